/* SPDX-License-Identifier: BSD-3-Clause */
/* role.h - who a thread is while it advances operations. */
#ifndef TUTTI_ROLE_H
#define TUTTI_ROLE_H

#include <stdbool.h>

typedef enum role {
    ROLE_PROGRAM, /* the program, in a call of Tutti's */
    ROLE_MPI,     /* the program, in a native MPI call; known while a trace is written only */
    ROLE_THREAD,  /* the progress thread */
    ROLES
} role;

extern _Thread_local role role_now;

/* The caller is in a native call, unless it is the progress thread. Returns what it was, for
 * role_now afterwards. */
static inline role role_enter_mpi(void)
{
    role before = role_now;

    if (before == ROLE_PROGRAM)
        role_now = ROLE_MPI;
    return before;
}

/* This thread must not call functions of the program, those of MPI_Op_create: the progress thread,
 * unless the program lets it. */
extern _Thread_local bool role_keeps_off;

#endif
