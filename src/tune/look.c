/* SPDX-License-Identifier: BSD-3-Clause */
/* look.c - see look.h. */
#include "tune/look.h"

sched *look_compile(const look_call *q, const choice *c, const place *m, int rank)
{
    const algo *a = algo_table[c->algo];
    sched *s = NULL;
    coll call = {.kind = q->kind,
                 .p = m->p,
                 .rank = rank,
                 .ordered = q->ordered,
                 .whole = q->whole,
                 .parameter = algo_parameter_for(a, c->parameter, m->p),
                 .variant = c->variant,
                 .order = c->order,
                 .send = {.count = 1},
                 .recv = {.count = 1}};

    if (a->inapplicable && a->inapplicable(m->p))
        return NULL;
    return algo_compile(a, c->form, &call, m->t, &s) == SCHED_OK ? s : NULL;
}

static closed_call call_on(const look_call *q, const place *m)
{
    return (closed_call){
        .count = q->count, .size = q->size, .t = m->t, .k = q->k, .inside = 1, .far = 1};
}

/* ---- what ranks of a node share ---- */

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
static bool find_sharing(const look_call *q, const choice *c, const place *m, const sched *s,
                         closed_call *call)
{
    closed_traffic t[PLACE_SAMPLES];

    if (m->fold.n == 1) { /* all ranks are alike */
        call->inside = m->fold.alike;
        return true;
    }
    t[0] = closed_traffic_of(s, 0, call);
    for (int i = 1; i < PLACE_SAMPLES; i++) {
        sched *other = look_compile(q, c, m, m->sample[i]);
        if (!other)
            return false;
        t[i] = closed_traffic_of(other, m->sample[i], call);
        sched_free(other);
    }
    call->far = sharing_of(t[0].far, t[1].far, t[2].far, m->near);
    call->inside = sharing_of(t[0].inside, t[1].inside, t[2].inside, m->near);
    return true;
}

/* ---- the way from a root ---- */

/* One more message on the way from the root to the last rank, or back: whose it is, and how long it
 * takes. False: there is none. */
static bool hop(const look_call *q, const choice *c, const place *m, int *rank, int64_t *time)
{
    step_kind kind = coll_has(q->kind, COLL_ROOT_RECEIVES) ? STEP_SEND : STEP_RECV;
    sched *s = look_compile(q, c, m, *rank);
    closed_call call = call_on(q, m);
    bool found = false;

    for (int i = 0; s && !found && i < s->nsteps; i++) {
        const step *st = &s->steps[i];
        if (st->kind != kind)
            continue;
        *time += closed_message(s, st, *rank, &call);
        *rank = st->peer;
        found = true;
    }
    sched_free(s);
    return found;
}

/* What the way between the root and the last rank takes longer than one message. Where it is longer
 * than in a tree, it goes through all ranks; or all nodes, if every message leaves one. */
static int64_t way_from_root(const look_call *q, const choice *c, const place *m)
{
    int most = ceil_log2(m->p) + 2, rank = m->p - 1, before, n = 0, far = 0;
    int64_t first = 0, time = 0;

    for (; n < most && rank != 0; n++) {
        before = rank;
        if (!hop(q, c, m, &rank, &time))
            break;
        far += m->t && m->t->node[rank] != m->t->node[before];
        if (n == 0)
            first = time;
    }
    if (n == most && rank != 0)
        time += (time / n) * ((2 * far > n ? m->t->nodes : m->p) - n);
    return time > first ? time - first : 0;
}

/* Where ranks are reordered, those of the first node need not have much to do: of some others, the
 * one that has most. False: as look_at. */
static bool look_elsewhere(const look_call *q, const choice *c, const place *m,
                           const closed_call *call, closed_form *found)
{
    const int ranks[] = {m->p / 3, (int)((int64_t)m->p * 3 / 4), m->p - 1};
    bool done = true;

    for (size_t i = 0; done && i < sizeof ranks / sizeof *ranks; i++) {
        sched *s = look_compile(q, c, m, ranks[i]);
        closed_form f;
        done = s && closed_find(s, ranks[i], call, &f);
        if (done && f.time > found->time)
            found->time = f.time;
        sched_free(s);
    }
    return done;
}

/* ---- both ---- */

bool look_at(const look_call *q, const choice *c, const place *m, closed_form *found)
{
    sched *s = look_compile(q, c, m, 0);
    closed_call call = call_on(q, m);
    bool done = s && find_sharing(q, c, m, s, &call) && closed_find(s, 0, &call, found);

    sched_free(s);
    if (done && algo_table[c->algo]->orders)
        done = look_elsewhere(q, c, m, &call, found);
    if (done && coll_has(q->kind, COLL_ROOTED))
        found->time += way_from_root(q, c, m);
    return done;
}

int64_t look_longest(const look_call *q, const choice *c, const place *m)
{
    sched *s = look_compile(q, c, m, 0);
    closed_call call = call_on(q, m);
    int64_t longest = s ? closed_traffic_of(s, 0, &call).longest : 0;

    sched_free(s);
    return longest;
}
