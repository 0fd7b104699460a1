/* request.h - persistent requests: what an MPIX_Request points to. */
#ifndef TUTTI_REQUEST_H
#define TUTTI_REQUEST_H

#include "nbc/exec.h"

#include <tutti.h>

struct tutti_request {
    exec *exec;
    bool active;
    bool native; /* active through MPIX_Start_native: completed by the native request */
};

/* A request for a bound persistent exec, which it takes over on success. */
int request_make(exec *e, MPIX_Request *result);

/* Active, and to be completed through this handle? */
static inline bool request_pending(MPIX_Request r)
{
    return r && r->active && !r->native;
}

/* A pending request that is complete becomes inactive; returns the operation's error. */
int request_finish(MPIX_Request r);

void request_empty_status(MPI_Status *status, int error);

#endif
