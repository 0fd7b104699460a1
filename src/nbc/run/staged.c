/* SPDX-License-Identifier: BSD-3-Clause */
/* staged.c - see staged.h. */
#include "nbc/run/staged.h"

#include <mpi.h>
#include <stdlib.h>

staged *staged_make(void)
{
    staged *s = calloc(1, sizeof *s);

    if (s)
        atomic_init(&s->refs, 1);
    return s;
}

staged *staged_share(staged *s)
{
    if (s)
        atomic_fetch_add(&s->refs, 1);
    return s;
}

void staged_free(staged *s)
{
    if (!s || atomic_fetch_sub(&s->refs, 1) > 1)
        return;
    free(s->send.host);
    free(s->recv.host);
    free(s->recv.result);
    free(s);
}

static bool read_in(const staged_side *side)
{
    return side->in_bytes == 0 ||
           device_read(side->device, side->host, &(device_range){0, side->in_bytes}, 1);
}

void staged_begin(staged *s)
{
    s->failed = !read_in(&s->send) || !read_in(&s->recv);
}

int staged_end(staged *s, int error)
{
    const staged_side *r = &s->recv;

    if (error)
        return error;
    if (s->failed || (r->n > 0 && !device_write(r->device, r->host, r->result, r->n)))
        return MPI_ERR_OTHER;
    return MPI_SUCCESS;
}
