/* SPDX-License-Identifier: BSD-3-Clause */
/* sim_memory.c - the data that the steps of a simulated rank name: where it is, how long, and how a
 * message is made of it. See sim_inside.h.
 */
#include "sim/must.h"
#include "sim/sim_inside.h"

#include <stdlib.h>
#include <string.h>

enum { POISON = 0xa5 };

static int64_t sim_items_before(const sim *m, int rank, sched_space space, int64_t element)
{
    const sim_rank *r = &m->ranks[rank];

    return sched_items(r->sched->parts, r->count[space], element);
}

int64_t sim_items(const sim *m, int rank, interval i)
{
    return sim_items_before(m, rank, i.space, interval_end(i)) -
           sim_items_before(m, rank, i.space, i.offset);
}

unsigned char *sim_address(const sim *m, int rank, interval i)
{
    return (unsigned char *)m->ranks[rank].buffer[i.space] +
           (size_t)sim_items_before(m, rank, i.space, i.offset) * m->o->size[i.space];
}

size_t sim_bytes(const sim *m, int rank, interval i)
{
    return (size_t)sim_items(m, rank, i) * m->o->size[i.space];
}

size_t sim_message_bytes(const sim *m, int rank, const step *st)
{
    const sched *s = m->ranks[rank].sched;
    size_t sum = 0;

    for (int i = 0; i < st->n; i++)
        sum += sim_bytes(m, rank, s->list[st->first + i]);
    return sum;
}

bool sim_is_empty(const sim *m, int rank, const step *st)
{
    return m->ranks[rank].sched->parts > 1 && sim_message_bytes(m, rank, st) == 0;
}

unsigned char *sim_gather(const sim *m, int rank, const step *st)
{
    const sched *s = m->ranks[rank].sched;
    unsigned char *data = sim_must(malloc(sim_message_bytes(m, rank, st) + 1)), *at = data;

    for (int i = 0; i < st->n; i++) {
        interval v = s->list[st->first + i];
        memcpy(at, sim_address(m, rank, v), sim_bytes(m, rank, v));
        at += sim_bytes(m, rank, v);
    }
    return data;
}

void sim_scatter(const sim *m, int rank, const step *st, const unsigned char *data)
{
    const sched *s = m->ranks[rank].sched;

    for (int i = 0; i < st->n; i++) {
        interval v = s->list[st->first + i];
        memcpy(sim_address(m, rank, v), data, sim_bytes(m, rank, v));
        data += sim_bytes(m, rank, v);
    }
}

void sim_poison(const sim *m, int rank, const step *st)
{
    const sched *s = m->ranks[rank].sched;

    for (int i = 0; i < st->n; i++) {
        interval v = s->list[st->first + i];
        memset(sim_address(m, rank, v), POISON, sim_bytes(m, rank, v));
    }
}
