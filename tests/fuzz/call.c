/* SPDX-License-Identifier: BSD-3-Clause */
/* call.c - see call.h: every collective; by MPIX_ names every algorithm. Compiled for each of the
 * two programs (mpi/calls.h: PLAIN).
 */
#include "call.h"

#include <string.h>

/* Algorithms take turns with the choice; a quarter of the calls is left to `auto`. */
static const call_set *set_of(const call *c)
{
    const call_set *found[64];
    int p, n = 0;
    rng r = {c->choice};
    bool automatic = rng_chance(&r, 25);

    MPI_Comm_size(c->args.comm, &p);
    for (int i = 0; i < call_set_count; i++)
        if (call_sets[i].kind == c->kind && calls_serve(&call_sets[i], p, c->reduction) &&
            (!automatic || strcmp(call_sets[i].algorithm, "auto") == 0))
            found[n++] = &call_sets[i];
    return found[rng_below(&r, n)];
}

const char *call_algorithm(const call *c)
{
    return set_of(c)->algorithm;
}

static bool is_large(const call *c, const call_set *s)
{
    return c->large && s->run[1];
}

int call_run(const call *c)
{
    const call_set *s = set_of(c);

    return calls_run(s, is_large(c, s), &c->args);
}

int call_start(const call *c, MPI_Request *request)
{
    const call_set *s = set_of(c);

    return calls_start(s, is_large(c, s), &c->args, request);
}

int call_init(const call *c, MPI_Request *request, void **own)
{
    const call_set *s = set_of(c);
    persistent made = PERSISTENT_NULL;
    int code = calls_init(s, is_large(c, s), &c->args, MPI_INFO_NULL, &made);

#ifdef PLAIN
    *request = made;
    *own = NULL;
#else
    *request = MPI_REQUEST_NULL;
    *own = made;
#endif
    return code;
}
