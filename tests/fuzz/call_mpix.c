/* SPDX-License-Identifier: BSD-3-Clause */
/* call_mpix.c - see call.h: the calls are Tutti's, by MPIX_ names. */
#include "call.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

const char *const program_name = "fuzz_mpix";
const bool names_are_ours = true;

/* Optional in Tutti: makes its channel before any communicator is used. */
int tutti_init(void) __attribute__((weak));

int own_start(void **own, MPI_Request *native)
{
    MPIX_Request request = *own;

    return native ? MPIX_Start_native(&request, native) : MPIX_Start(&request);
}

int own_free(void **own)
{
    MPIX_Request request = *own;
    int code = MPIX_Request_free(&request);

    *own = request;
    return code;
}

static int any(int index, bool flag, int done[])
{
    done[0] = index;
    return flag && index != MPI_UNDEFINED;
}

static int all(int n, bool flag, int done[])
{
    for (int i = 0; i < n; i++)
        done[i] = i;
    return flag ? n : 0;
}

int own_family(enum family w, int n, void *requests[], int done[], MPI_Status status[])
{
    MPIX_Request *r = (MPIX_Request *)requests;
    int flag = 1, k = 0;

    switch (w) {
    case WAIT:
        MPIX_Wait(r, status);
        return all(1, true, done);
    case WAITALL:
        MPIX_Waitall(n, r, status);
        return all(n, true, done);
    case WAITANY:
        MPIX_Waitany(n, r, &k, status);
        return any(k, true, done);
    case WAITSOME:
        MPIX_Waitsome(n, r, &k, done, status);
        return k == MPI_UNDEFINED ? 0 : k;
    case TEST:
        MPIX_Test(r, &flag, status);
        return all(1, flag, done);
    case TESTALL:
        MPIX_Testall(n, r, &flag, status);
        return all(n, flag, done);
    case TESTANY:
        MPIX_Testany(n, r, &k, &flag, status);
        return any(k, flag, done);
    default:
        MPIX_Testsome(n, r, &k, done, status);
        return k == MPI_UNDEFINED ? 0 : k;
    }
}

/* The thread calls functions of MPI_Op_create too: the program may sit in a native call. */
static void allow_operations(void)
{
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "tutti_ops", "true");
    tutti_progress_thread_start(info);
    MPI_Info_free(&info);
}

void own_begin(bool *restricted, bool *manual)
{
    const char *name, *reason;

    if (tutti_init)
        tutti_init();
    tutti_progress_driver(&name, &reason);
    *manual = strcmp(name, "manual") == 0;
    *restricted = *manual || strcmp(name, "poll") == 0;
    if (strcmp(name, "thread") == 0)
        allow_operations();
}

void own_progress(void)
{
    tutti_progress();
}

/* Every other long one. */
void *own_memory(size_t bytes, bool *shared)
{
    static atomic_uint n;
    void *memory = NULL;

    *shared = bytes > 2000 && atomic_fetch_add(&n, 1) % 2 == 0 &&
              tutti_alloc((MPI_Aint)bytes, &memory) == MPI_SUCCESS;
    return *shared ? memory : malloc(bytes);
}

void own_memory_free(void *memory, bool shared)
{
    if (shared)
        tutti_free(memory);
    else
        free(memory);
}
