/* SPDX-License-Identifier: BSD-3-Clause */
/* handles.h - MPI_Request values for persistent collectives of ours.
 *
 * A handle is a value that the MPI never makes itself, so that one comparison distinguishes it from
 * a native request, and a call that we do not cover refuses it:
 *
 *   MPICH      an int of the kind "invalid" and the type "request", 0x2c800000 + index
 *   Open MPI   an address of our own
 *   MPI ABI    likewise: MPICH's are small numbers there, Open MPI's addresses of its own
 *
 * Open MPI's Fortran functions call the C ones, and then look into the request itself. They read
 * its number in Fortran (104 bytes after its address in versions 4.1, 5.0 and 6.0). In 5.0 and 6.0
 * those of non-blocking and persistent calls with lists also leave arrays there, from byte 200 on,
 * to be freed with it, because they take it for one of the MPI's own collectives. So what a handle
 * points to has its number in every word up to there, and room for arrays after that. A generalized
 * request has not: where such a function is the caller it gets a handle that stands for one.
 */
#ifndef TUTTI_HANDLES_H
#define TUTTI_HANDLES_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <tutti.h>

enum { HANDLES = 1 << 17 };

extern MPIX_Request handle_table[HANDLES]; /* null: not in use; takes no memory until used */

#if defined OPEN_MPI || defined TUTTI_MPI_ABI

/* The first one's number where a handle is asked for as an integer; the others follow downwards.
 * Open MPI has none below zero but MPI_UNDEFINED, -32766, which it gives to nobody; those of
 * MPICH behind the ABI have the type "request" in their bits, which these lack. */
enum { HANDLE_NUMBER = -65536 };

typedef struct handle_target {
    int number[50];
    void *arrays[7]; /* null: none */
} handle_target;

extern handle_target handle_targets[HANDLES];

static inline uint32_t handle_index(MPI_Request r)
{
    uintptr_t offset = (uintptr_t)r - (uintptr_t)handle_targets;

    return offset < sizeof handle_targets ? (uint32_t)(offset / sizeof *handle_targets) : HANDLES;
}

static inline MPI_Request handle_value(uint32_t index)
{
    return (MPI_Request)&handle_targets[index];
}

/* As an integer: in Fortran, and by MPI_Request_toint. */
static inline int handle_number(MPI_Request r)
{
    return HANDLE_NUMBER - (int)handle_index(r);
}

static inline bool handle_number_ours(int number)
{
    return number <= HANDLE_NUMBER && number > HANDLE_NUMBER - HANDLES;
}

static inline MPI_Request handle_numbered(int number)
{
    return handle_value((uint32_t)(HANDLE_NUMBER - number));
}

extern MPI_Request handle_natives[HANDLES]; /* null: it stands for a request of ours */

/* Does this one of ours stand for a native request? */
static inline bool handle_wraps(MPI_Request r)
{
    return handle_natives[handle_index(r)] != (MPI_Request)0;
}

static inline MPI_Request handle_native(MPI_Request r)
{
    return handle_natives[handle_index(r)];
}

#else

enum { HANDLE_BASE = 0x2c800000 };

static inline uint32_t handle_index(MPI_Request r)
{
    uint32_t index = (uint32_t)r - HANDLE_BASE;

    return index < HANDLES ? index : HANDLES;
}

static inline MPI_Request handle_value(uint32_t index)
{
    return (MPI_Request)(HANDLE_BASE + index);
}

static inline int handle_number(MPI_Request r)
{
    return r;
}

static inline bool handle_number_ours(int number)
{
    return handle_index(number) < HANDLES;
}

static inline MPI_Request handle_numbered(int number)
{
    return number;
}

static inline bool handle_wraps(MPI_Request r)
{
    return false;
}

static inline MPI_Request handle_native(MPI_Request r)
{
    return r;
}

#endif

/* Is it one of ours, in use or not? */
static inline bool handle_ours(MPI_Request r)
{
    return handle_index(r) < HANDLES;
}

/* A persistent collective of ours? */
static inline bool handle_persistent(MPI_Request r)
{
    return handle_ours(r) && !handle_wraps(r);
}

static inline bool handle_any_ours(int n, const MPI_Request requests[])
{
    bool any = false;

    for (int i = 0; requests && i < n; i++)
        any |= handle_ours(requests[i]);
    return any;
}

/* What it stands for; only of persistent ones. Null once it has been freed. */
static inline MPIX_Request *handle_request(MPI_Request r)
{
    return &handle_table[handle_index(r)];
}

/* Take over r and give out a handle. MPI_ERR_NO_MEM (raised): all are in use; r is freed. */
int handle_make(MPIX_Request r, MPI_Request *result);

/* The request has been freed. */
void handle_release(MPI_Request r);

/* For calls with lists: if the caller is a Fortran function that looks into the request, *request
 * becomes a handle that stands for it. */
int handle_for_caller(MPI_Request *request, const void *caller);

/* MPI has been called with what *request stands for, if it does: is that null now? */
void handle_after(MPI_Request *request, MPI_Request native);

#endif
