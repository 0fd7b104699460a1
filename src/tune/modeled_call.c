/* SPDX-License-Identifier: BSD-3-Clause */
/* modeled_call.c - see modeled_call.h. */
#include "tune/modeled_call.h"

#include "tune/memory.h"

sched *modeled_call_compile(const modeled_call *q, const choice *c, const machine_model *m,
                            int rank)
{
    const algo *a = algo_table[c->algo];
    sched *s = NULL;
    sched_error error;
    coll call = {.kind = q->kind,
                 .p = m->p,
                 .rank = rank,
                 .noncommutative = q->noncommutative,
                 .user_op = q->user_op,
                 .parameter = algo_parameter_for(a, c->parameter, m->p),
                 .variant = c->variant,
                 .order = c->order,
                 .send = {.count = 1},
                 .recv = {.count = 1}};

    if (a->inapplicable && a->inapplicable(m->p))
        return NULL;
    error = algo_compile(a, c->form, &call, m->t, &s);
    tune_out_of_memory |= error == SCHED_NO_MEMORY;
    return error == SCHED_OK ? s : NULL;
}

static closed_call call_on(const modeled_call *q, const machine_model *m)
{
    return (closed_call){
        .count = q->count, .size = q->size, .t = m->t, .k = q->k, .inside = 1, .far = 1};
}

/* As many as there would be if the busiest did all that a node does: the middle one stands for all
 * between. */
static int64_t sharing_of(int64_t first, int64_t middle, int64_t last, int n)
{
    int64_t most = first > last ? first : last, sum = first + (n > 1 ? last : 0);

    if (n > 2) {
        most = most > middle ? most : middle;
        sum += middle * (n - 2);
    }
    return most > 0 ? (sum + most - 1) / most : 1;
}

/* How many messages share what a node has. s: the schedule of rank 0, the first sample. */
static bool find_sharing(const modeled_call *q, const choice *c, const machine_model *m,
                         const sched *s, closed_call *call)
{
    closed_traffic t[MACHINE_MODEL_SAMPLES];

    if (m->fold.n == 1) { /* all ranks do the same */
        call->inside = m->fold.represents;
        return true;
    }
    t[0] = closed_traffic_of(s, 0, call);
    for (int i = 1; i < MACHINE_MODEL_SAMPLES; i++) {
        sched *other = modeled_call_compile(q, c, m, m->sample[i]);
        if (!other)
            return false;
        t[i] = closed_traffic_of(other, m->sample[i], call);
        sched_free(other);
    }
    call->far = sharing_of(t[0].far, t[1].far, t[2].far, m->first_node_ranks);
    call->inside = sharing_of(t[0].inside, t[1].inside, t[2].inside, m->first_node_ranks);
    return true;
}

/* Where ranks are reordered, those of the first node need not have much to do: of some others, the
 * one that has most. False: as modeled_call_closed_form. */
static bool check_other_ranks(const modeled_call *q, const choice *c, const machine_model *m,
                              const closed_call *call, closed_form *found)
{
    const int ranks[] = {m->p / 3, (int)((int64_t)m->p * 3 / 4), m->p - 1};
    bool done = true;

    for (size_t i = 0; done && i < sizeof ranks / sizeof *ranks; i++) {
        sched *s = modeled_call_compile(q, c, m, ranks[i]);
        closed_form f;
        done = s && closed_find(s, ranks[i], call, &f);
        if (done && f.time > found->time)
            found->time = f.time;
        sched_free(s);
    }
    return done;
}

bool modeled_call_closed_form(const modeled_call *q, const choice *c, const machine_model *m,
                              closed_form *found)
{
    sched *s = modeled_call_compile(q, c, m, 0);
    closed_call call = call_on(q, m);
    bool done = s && find_sharing(q, c, m, s, &call) && closed_find(s, 0, &call, found);

    sched_free(s);
    if (done && algo_table[c->algo]->orders)
        done = check_other_ranks(q, c, m, &call, found);
    return done;
}

int64_t modeled_call_longest_message(const modeled_call *q, const choice *c, const machine_model *m)
{
    sched *s = modeled_call_compile(q, c, m, 0);
    closed_call call = call_on(q, m);
    int64_t longest = s ? closed_traffic_of(s, 0, &call).longest : 0;

    sched_free(s);
    return longest;
}
