/* SPDX-License-Identifier: BSD-3-Clause */
/* right_mpi.c - a library that was built for one MPI refuses to run in a program of another.
 *
 * The handles of MPICH, of Open MPI and of MPI-5's ABI have nothing in common, and the first call
 * with a wrong one would be a segmentation fault. So this is looked at when the library is loaded,
 * before MPI_Init. Names are searched in the program and what it was linked with first, thus
 * PMPI_Get_library_version is that of the program's MPI; only in a program without one, such as a
 * shell between mpirun and the program, it is that of the MPI that came with us, and all is well.
 * It may be called before MPI_Init.
 *
 * Compiled into libtutti and into libtutti_mpi: each may be the wrong one.
 */
#define _GNU_SOURCE /* dladdr */
#include "nbc/process/right_mpi.h"
#include "tune/mpi_version.h"

#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef enum kind { KIND_MPICH, KIND_OPENMPI, KIND_ABI } kind;

#if defined TUTTI_MPI_ABI
#define BUILT_FOR "the MPI ABI"
#define OURS      KIND_ABI
#elif defined OPEN_MPI
#define BUILT_FOR "Open MPI"
#define OURS      KIND_OPENMPI
#else
#define BUILT_FOR "MPICH"
#define OURS      KIND_MPICH
#endif

static const char self_anchor; /* an address in the object that this is linked into */

enum { VERSION_SIZE = 8192 }; /* MPI_MAX_LIBRARY_VERSION_STRING of MPICH; Open MPI's is 256 */

/* other: an MPI, or its file; how: more about it, or "". */
static void refuse_mpi(const char *other, const char *how)
{
    Dl_info self;

    if (!dladdr((void *)&self_anchor, &self))
        self.dli_fname = "libtutti";
    fprintf(stderr,
            "tutti: %s is for " BUILT_FOR ", but this program runs %s%s; "
            "use the library that was built with its mpicc\n",
            self.dli_fname, other, how);
    _exit(1);
}

/* The ABI fixes the name of its library, whoever's it is. */
static bool is_abi(const char *file)
{
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;

    return strncmp(name, "libmpi_abi.", 11) == 0 || strncmp(name, "libmpi_abi_", 11) == 0;
}

/* The kind of MPI whose functions are in this file. */
static kind kind_of(const char *file, bool openmpi)
{
    if (is_abi(file))
        return KIND_ABI;
    return openmpi ? KIND_OPENMPI : KIND_MPICH;
}

static const char *how(kind theirs)
{
    if (theirs == KIND_ABI)
        return " through the MPI ABI";
    return OURS == KIND_ABI ? " by its own handles" : "";
}

/* The program's MPI. */
static char version[VERSION_SIZE];
static bool is_openmpi;

const char *right_mpi_name(void)
{
    return version;
}

bool right_mpi_is_openmpi(void)
{
    return is_openmpi;
}

/* Minor versions of an ABI add to it. */
static void check_abi(void)
{
#ifdef TUTTI_MPI_ABI
    char text[64];
    int major = 0, minor = 0;

    if (PMPI_Abi_get_version(&major, &minor) != MPI_SUCCESS || major == MPI_ABI_VERSION)
        return;
    snprintf(text, sizeof text, " with version %d.%d of it", major, minor);
    refuse_mpi(version, text);
#endif
}

__attribute__((constructor)) static void check_mpi(void)
{
    Dl_info where = {0};
    int length = 0;
    kind theirs;

    if (PMPI_Get_library_version(version, &length) != MPI_SUCCESS)
        return;
    is_openmpi = mpi_version_read(version).family == MPI_FAMILY_OPENMPI;
    mpi_version_shorten(version);
    dladdr(dlsym(RTLD_DEFAULT, "PMPI_Get_library_version"), &where);
    theirs = kind_of(where.dli_fname ? where.dli_fname : "", is_openmpi);
    if (theirs != OURS)
        refuse_mpi(version, how(theirs));
    check_abi();
}

/* What the object of this file defines itself: dlsym finds also what it depends on. */
static bool defines(void *object, const char *file, const char *name)
{
    void *symbol = dlsym(object, name);
    Dl_info where;

    return symbol && dladdr(symbol, &where) && strcmp(where.dli_fname, file) == 0;
}

/* Is a loaded object an MPI of the other kind? By symbols, because MPIs call their libraries what
 * they like: libmpi.so.12 is Intel's, libmpi.so.40 Open MPI's, libmpi_gnu_91.so.12 Cray's. */
static int look_at(struct dl_phdr_info *info, size_t size, void *found)
{
    const char *name = info->dlpi_name;
    void *object = strchr(name, '/') ? dlopen(name, RTLD_LAZY | RTLD_NOLOAD) : NULL;

    if (!object)
        return 0;
    if (defines(object, name, "PMPI_Get_library_version") &&
        kind_of(name, dlsym(object, "ompi_mpi_comm_world") != NULL) != OURS)
        *(const char **)found = name;
    dlclose(object);
    return *(const char **)found != NULL;
}

void right_mpi_check(void)
{
    const char *other = NULL;

    dl_iterate_phdr(look_at, &other);
    if (other)
        refuse_mpi(other, "");
}
