/* SPDX-License-Identifier: BSD-3-Clause */
/* staged.c - see staged.h. */
#include "nbc/run/staged.h"

#include "nbc/process/env.h"

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
    staging_buffer_free(s->send.host);
    staging_buffer_free(s->recv.host);
    free(s->recv.result);
    free(s);
}

static bool read_in(const staged_side *s)
{
    return s->in_bytes == 0 ||
           device_transfer(&(device_copy){.to = s->host->memory,
                                          .from = s->device,
                                          .device = s->device,
                                          .parts = &(device_range){.bytes = s->in_bytes, .rows = 1},
                                          .n = 1});
}

static bool write_out(const staged_side *s)
{
    return s->n == 0 || device_transfer(&(device_copy){.to = s->device,
                                                       .from = s->host->memory,
                                                       .device = s->device,
                                                       .parts = s->result,
                                                       .n = s->n});
}

void staged_begin(staged *s)
{
    if (s->send.host)
        staging_buffer_use(s->send.host, s->send.device);
    if (s->recv.host)
        staging_buffer_use(s->recv.host, s->recv.device);
    s->failed = !read_in(&s->send) || !read_in(&s->recv);
}

int staged_end(staged *s, int error)
{
    if (error)
        return error;
    if (!s->failed && write_out(&s->recv))
        return MPI_SUCCESS;
    env_say_here(s->failed
                     ? "copying from GPU memory failed in the GPU's library: the data that this "
                       "rank has sent is wrong"
                     : "copying to GPU memory failed in the GPU's library: the data that "
                       "this rank has received is not in its buffer");
    return MPI_ERR_OTHER;
}
