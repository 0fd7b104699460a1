/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic.c - see traffic.h. */
#include "nbc/run/traffic.h"

#include "nbc/process/mpi_calls.h"

stats_traffic traffic_of(const exec *e)
{
    const bound *b = &e->bound;
    stats_traffic t = {0};

    for (int i = 0; !e->run.error && i < b->sched->nsteps; i++) {
        const step *st = &b->sched->steps[i];
        const message *m = st->kind == STEP_SEND ? &b->messages[st->message] : NULL;
        MPI_Count size = 0;
        bool shared;
        if (!m || m->empty)
            continue;
        mpi_type_size(m->type, &size);
        shared = shm_takes(e->shm, st);
        *(shared ? &t.shared_messages : &t.mpi_messages) += 1;
        *(shared ? &t.shared_bytes : &t.mpi_bytes) += size * m->count;
    }
    return t;
}
