/* SPDX-License-Identifier: BSD-3-Clause */
/* right_mpi.c - a library that was built for one MPI refuses to run in a program of another.
 *
 * The two MPIs' handles have nothing in common, and the first call with one would be a
 * segmentation fault. So this is looked at when the library is loaded, before MPI_Init. Names are
 * searched in the program and what it was linked with first, thus PMPI_Get_library_version is that
 * of the program's MPI; only in a program without one, such as a shell between mpirun and the
 * program, it is that of the MPI that came with us, and all is well. It may be called before
 * MPI_Init.
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

#ifdef OPEN_MPI
#define BUILT_FOR   "Open MPI"
#define IS_OPEN_MPI true
#else
#define BUILT_FOR   "MPICH"
#define IS_OPEN_MPI false
#endif

static const char self_anchor; /* an address in the object that this is linked into */

enum { VERSION_SIZE = 8192 }; /* MPI_MAX_LIBRARY_VERSION_STRING of MPICH; Open MPI's is 256 */

/* "Open MPI v4.1.4, package: ..." and "MPICH Version:\t4.0.2\nMPICH Release date: ..." */
static void shorten(char *version)
{
    version[strcspn(version, ",\n")] = '\0';
    for (char *at = version; (at = strchr(at, '\t')); at++)
        *at = ' ';
}

static void refuse(const char *other)
{
    Dl_info self;

    if (!dladdr((void *)&self_anchor, &self))
        self.dli_fname = "libtutti";
    fprintf(stderr,
            "tutti: %s is for " BUILT_FOR ", but this program runs %s; "
            "use the library that was built with its mpicc\n",
            self.dli_fname, other);
    _exit(1);
}

__attribute__((constructor)) static void check_mpi(void)
{
    static char version[VERSION_SIZE];
    int length = 0;

    if (PMPI_Get_library_version(version, &length) != MPI_SUCCESS ||
        (mpi_version_read(version).family == MPI_FAMILY_OPENMPI) == IS_OPEN_MPI)
        return;
    shorten(version);
    refuse(version);
}

void *right_mpi_symbol(void *object, const char *file, const char *name)
{
    void *symbol = dlsym(object, name);
    Dl_info where;

    return symbol && dladdr(symbol, &where) && strcmp(where.dli_fname, file) == 0 ? symbol : NULL;
}

/* Is a loaded object an MPI of the other kind? By symbols, because MPIs call their libraries what
 * they like: libmpi.so.12 is Intel's, libmpi.so.40 Open MPI's, libmpi_gnu_91.so.12 Cray's. */
static int look_at(struct dl_phdr_info *info, size_t size, void *found)
{
    const char *name = info->dlpi_name;
    void *object = strchr(name, '/') ? dlopen(name, RTLD_LAZY | RTLD_NOLOAD) : NULL;

    (void)size;
    if (!object)
        return 0;
    if (right_mpi_symbol(object, name, "PMPI_Get_library_version") &&
        (dlsym(object, "ompi_mpi_comm_world") != NULL) != IS_OPEN_MPI)
        *(const char **)found = name;
    dlclose(object);
    return *(const char **)found != NULL;
}

void right_mpi_check(void)
{
    const char *other = NULL;

    dl_iterate_phdr(look_at, &other);
    if (other)
        refuse(other);
}
