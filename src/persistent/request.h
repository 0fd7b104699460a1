/* SPDX-License-Identifier: BSD-3-Clause */
/* request.h - persistent requests: what an MPIX_Request points to. */
#ifndef TUTTI_REQUEST_H
#define TUTTI_REQUEST_H

#include "nbc/process/weak.h"
#include "persistent/trial.h"

#include <tutti_pmpix.h>

struct tutti_writers;

struct tutti_request {
    exec *exec;
    bool active;
    bool of_mpi; /* made under MPI's name: MPI_Allreduce_init */
    bool native; /* active through MPIX_Start_native: completed by the native request */

    /* for tutti_get_stats */
    int64_t completions;
    int64_t steps;         /* of all of them */
    int64_t steps_waited;  /* steps that retired inside a wait */
    int64_t steps_counted; /* of these, what TUTTI_STATS has counted */
    int left;              /* steps left when the wait began */
    bool timed;            /* asked for times */
    double seconds;        /* of all completed starts, if timed */

    struct tutti_writers *writers; /* arrived.c; NULL: nobody has asked */
    trial *trial;                  /* NULL: none, or it is over */
};

/* A request without an exec, for free(). timed: see exec.h. */
int request_make(bool timed, MPIX_Request *result);

/* It takes over a bound persistent exec, and the trial of which that is the first candidate, or
 * NULL. */
void request_take(MPIX_Request r, exec *e, struct trial *t);

/* MPIX_<name>, which a tool may define, and PMPIX_<name>, which it calls then. */
#define REQUEST_CALL(name, function, parameters, arguments)                                        \
    int PMPIX_##name parameters                                                                    \
    {                                                                                              \
        return STATS_COUNTED(function arguments);                                                  \
    }                                                                                              \
    WEAK_NAME(MPIX_##name);

/* Active, and to be completed through this handle? */
static inline bool request_pending(MPIX_Request r)
{
    return r && r->active && !r->native;
}

/* An error of MPIX_<name>, or of MPI_<name> for a request that was made by an init of MPI's name;
 * through the request's communicator, or the world's for a null one. Returns the error. */
int request_raise(const char *name, MPIX_Request r, int error);

/* MPI_ERR_REQUEST, and the reason: it is null, or active where it must not be. */
int request_refuse(MPIX_Request r);

/* A pending request that is complete becomes inactive; returns the operation's error. */
int request_finish(MPIX_Request r);

/* Around every call in which the program may wait for the request: so long a trial lasts. */
static inline void request_enter(MPIX_Request r)
{
    if (r->trial)
        trial_enter(r->trial);
}

static inline void request_leave(MPIX_Request r)
{
    if (r->trial)
        trial_leave(r->trial);
}

/* But for MPI_ERROR: MPI writes it with MPI_ERR_IN_STATUS alone. */
void request_empty_status(MPI_Status *status);

#endif
