/* SPDX-License-Identifier: BSD-3-Clause */
/* call_plain.c - see call.h: the calls are the MPI's, for libtutti_mpi.so and for the MPI alone. */
#include "call.h"

#include <stdlib.h>

const char *const program_name = "fuzz_plain";
const bool names_are_ours = false;

int own_start(void **own, MPI_Request *native)
{
    (void)own;
    (void)native;
    return MPI_ERR_REQUEST;
}

int own_free(void **own)
{
    (void)own;
    return MPI_ERR_REQUEST;
}

int own_family(enum family w, int n, void *requests[], int done[], MPI_Status status[])
{
    (void)w;
    (void)n;
    (void)requests;
    (void)done;
    (void)status;
    return 0;
}

void own_begin(bool *restricted, bool *manual)
{
    *restricted = *manual = false;
}

void own_progress(void)
{
}

void *own_memory(size_t bytes, bool *shared)
{
    *shared = false;
    return malloc(bytes);
}

void own_memory_free(void *memory, bool shared)
{
    (void)shared;
    free(memory);
}
