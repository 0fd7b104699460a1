/* SPDX-License-Identifier: BSD-3-Clause */
/* reason.c - see reason.h. */

#include "nbc/process/reason.h"

#include "nbc/process/env.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { TEXT = 2400 }; /* with the names of all algorithms */

/* The latest reason of this thread. */
static _Thread_local int reason_error;
static _Thread_local bool reason_is_elsewhere;
static _Thread_local char reason_text[TEXT];

static int set_reason(int error, bool elsewhere, const char *format, va_list args)
{
    vsnprintf(reason_text, sizeof reason_text, format, args);
    reason_error = error;
    reason_is_elsewhere = elsewhere;
    return error;
}

int reason_set(int error, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    set_reason(error, false, format, args);
    va_end(args);
    return error;
}

int reason_elsewhere(int error, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    set_reason(error, true, format, args);
    va_end(args);
    return error;
}

int reason_own_block(int error, int64_t sent, int64_t room)
{
    return reason_set(error, "the rank sends %lld bytes to itself, and receives %lld",
                      (long long)sent, (long long)room);
}

int reason_printed(int error)
{
    reason_text[0] = '\0';
    reason_error = error;
    reason_is_elsewhere = false;
    return error;
}

void reason_of_class(int class, char text[MPI_MAX_ERROR_STRING])
{
    int length;

    text[0] = '\0';
    if (class == MPI_ERR_NO_MEM) /* for MPICH that is about MPI_Alloc_mem */
        strcpy(text, "out of memory");
    else
        PMPI_Error_string(class, text, &length);
}

static bool ends_program(MPI_Comm user)
{
    MPI_Errhandler handler;
    bool ends;

    if (PMPI_Comm_get_errhandler(user, &handler) != MPI_SUCCESS)
        return false;
    ends = handler == MPI_ERRORS_ARE_FATAL;
#ifdef MPI_ERRORS_ABORT
    ends |= handler == MPI_ERRORS_ABORT;
#endif
    if (!ends && handler != MPI_ERRORS_RETURN)
        PMPI_Errhandler_free(&handler);
    return ends;
}

void reason_wait(void)
{
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
}

void reason_print(const char *call, MPI_Comm user, int rank, int error)
{
    bool ends = ends_program(user);
    int world = 0, has_world;
    char text[MPI_MAX_ERROR_STRING], from[24] = "";

    if (reason_error != error) {
        reason_of_class(error, text);
        reason_set(error, "%s", text);
    }
    reason_error = MPI_SUCCESS;
    PMPI_Initialized(&has_world);
    if (has_world)
        PMPI_Comm_rank(MPI_COMM_WORLD, &world);
    for (int i = (world != 0) + (rank != 0) + 3 * reason_is_elsewhere; ends && i > 0; i--)
        reason_wait();
    if (!*reason_text || !(ends || env_verbose()))
        return;
    if (world)
        snprintf(from, sizeof from, "rank %d: ", world);
    fprintf(stderr, "tutti: %s%s: %s\n", from, call, reason_text);
    fflush(stderr);
}
