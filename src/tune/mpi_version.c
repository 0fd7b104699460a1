/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_version.c - see mpi_version.h. */
#include "tune/mpi_version.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Up to three numbers; letters end them: 6.0.0rc2, 4.3.0a1. */
static int read_version_number(const char *text)
{
    int major = 0, minor = 0, patch = 0;

    if (sscanf(text, "%3d.%2d.%2d", &major, &minor, &patch) < 1 || major < 0 || minor < 0 ||
        patch < 0)
        return 0;
    return MPI_VERSION_NUMBER(major, minor, patch);
}

mpi_version mpi_version_read(const char *library_version)
{
    static const struct name {
        const char *begins;
        mpi_family family;
    } names[] = {
        {"Open MPI v", MPI_FAMILY_OPENMPI},
        {"MPICH Version:", MPI_FAMILY_MPICH},
    };
    static const char *const relatives[] = {"Open MPI", "Spectrum MPI", "FUJITSU MPI"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i].begins);
        if (strncmp(library_version, names[i].begins, n) == 0)
            return (mpi_version){names[i].family, read_version_number(library_version + n)};
    }
    for (size_t i = 0; i < sizeof relatives / sizeof *relatives; i++)
        if (strstr(library_version, relatives[i]))
            return (mpi_version){MPI_FAMILY_OPENMPI, 0};
    return (mpi_version){MPI_FAMILY_MPICH, 0};
}

void mpi_version_shorten(char *library_version)
{
    library_version[strcspn(library_version, ",\n")] = '\0';
    for (char *c = library_version; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = ' ';
}

const char *mpi_family_name(mpi_family family)
{
    return family == MPI_FAMILY_OPENMPI ? "Open MPI" : "MPICH";
}
