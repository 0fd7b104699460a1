/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_library.c - see mpi_library.h. */
#include "nbc/process/mpi_library.h"

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

_Atomic(const mpi_library *) mpi_library_known;

static mpi_library library;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void ask_library(void)
{
    static char text[8192]; /* what MPICH may write; the headers' limits differ */
    int length = 0;

    if (PMPI_Get_library_version(text, &length) != MPI_SUCCESS)
        text[0] = '\0';
    library.version = mpi_version_read(text);
    mpi_version_shorten(text);
    snprintf(library.name, sizeof library.name, "%.*s", (int)sizeof library.name - 1, text);
    atomic_store_explicit(&mpi_library_known, &library, memory_order_release);
}

const mpi_library *mpi_library_ask(void)
{
    pthread_once(&once, ask_library);
    return &library;
}
