/* SPDX-License-Identifier: BSD-3-Clause */
/* sched_build.c - emit steps: O(1) per interval.
 *
 *   sched_begin -> sched_send, sched_recv, ... -> sched_commit (sched_commit.c)
 */
#include "nbc/sched/sched_builder.h"

#include <limits.h>
#include <stdlib.h>

enum {
    MAX_ITEMS = INT_MAX / 2, /* so that doubling a capacity cannot overflow an int */
    FIRST_PLACES = 64
};

sched_builder *sched_begin(int p, coll_form form)
{
    sched_builder *b = calloc(1, sizeof *b);

    if (!b)
        return NULL;
    b->p = p;
    b->parts = 1;
    b->form = form;
    return b;
}

coll_form sched_form(const sched_builder *b)
{
    return b->form;
}

bool sched_fail(sched_builder *b, sched_error error)
{
    if (!b->error)
        b->error = error;
    return false;
}

void sched_cut(sched_builder *b, int parts)
{
    if (parts < 1 || b->nsteps > 0)
        sched_fail(b, SCHED_BAD_STEP);
    b->parts = parts;
}

void sched_pack_scratch(sched_builder *b)
{
    b->packs = true;
}

int sched_parts(const sched_builder *b)
{
    return b->parts;
}

/* l: NULL: there is no memory, or has been an error. */
static void *lend(sched_builder *b, loan *l)
{
    if (!l) {
        sched_fail(b, SCHED_NO_MEMORY);
        return NULL;
    }
    l->next = b->loans;
    b->loans = l;
    return l->memory;
}

void *sched_borrow(sched_builder *b, size_t size)
{
    return lend(b, b->error ? NULL : calloc(1, sizeof(loan) + size));
}

void *sched_borrow_unset(sched_builder *b, size_t size)
{
    return lend(b, b->error ? NULL : malloc(sizeof(loan) + size));
}

void sched_phase(sched_builder *b, const char *name)
{
    if (b->nphases < SCHED_PHASES)
        b->phase[b->nphases++] = name;
}

/* Room for one more item in a growing array; the array is left as it is when there is none. */
static bool grow(sched_builder *b, void **array, int *cap, int n, size_t size)
{
    if (n >= MAX_ITEMS)
        return sched_fail(b, SCHED_TOO_LARGE);
    return array_grow(array, cap, n, size, 64) || sched_fail(b, SCHED_NO_MEMORY);
}

static void push_step(sched_builder *b, step_kind kind, int peer)
{
    if (b->error || !grow(b, (void **)&b->steps, &b->steps_cap, b->nsteps, sizeof(step)))
        return;
    b->steps[b->nsteps++] = (step){.kind = (uint8_t)kind,
                                   .phase = (uint8_t)(b->nphases ? b->nphases - 1 : 0),
                                   .peer = peer,
                                   .message = -1,
                                   .first = b->nintervals};
    if (kind > STEP_RECV)
        b->steps[b->nsteps - 1].queue = b->nlocals++;
}

static void push_interval(sched_builder *b, interval i)
{
    if (b->error || !grow(b, (void **)&b->list, &b->list_cap, b->nintervals, sizeof(interval)))
        return;
    const step *s = &b->steps[b->nsteps - 1];
    if (i.offset < 0 || interval_end(i) < i.offset ||
        (i.space == SPACE_SEND && step_writes(s, s->n))) {
        sched_fail(b, SCHED_BAD_STEP);
        return;
    }
    if (interval_end(i) > b->extent[i.space])
        b->extent[i.space] = interval_end(i);
    b->list[b->nintervals++] = i;
    b->steps[b->nsteps - 1].n++;
}

void sched_spare(sched_builder *b, int rank, bool me)
{
    b->spared = rank + 1;
    b->spares_me = me;
}

void sched_open(sched_builder *b, step_kind kind, int peer)
{
    if (b->open || peer < 0 || peer >= b->p || kind > STEP_RECV) {
        sched_fail(b, SCHED_BAD_STEP);
        return;
    }
    b->open = true;
    b->muted = b->spared && (kind == STEP_SEND ? peer == b->spared - 1 : b->spares_me);
    if (!b->muted)
        push_step(b, kind, peer);
}

void sched_add(sched_builder *b, interval what)
{
    if (!b->open)
        sched_fail(b, SCHED_BAD_STEP);
    if (b->error || b->muted || what.length == 0)
        return;

    interval *last = b->steps[b->nsteps - 1].n ? &b->list[b->nintervals - 1] : NULL;
    if (last && last->space == what.space && interval_end(*last) == what.offset) {
        last->length += what.length;
        if (interval_end(what) > b->extent[what.space])
            b->extent[what.space] = interval_end(what);
        return;
    }
    push_interval(b, what);
}

/* 0: no limit. */
static void set_windows(sched_builder *b, int sends, int receives)
{
    const int windows[] = {sends, receives};

    for (int i = 0; i < 2 && !b->error; i++) {
        recent *r = &b->throttled[i];
        free(r->at);
        *r = (recent){.window = windows[i]};
        if (r->window > 0 && !(r->at = malloc((size_t)r->window * sizeof *r->at)))
            sched_fail(b, SCHED_NO_MEMORY);
    }
}

void sched_throttle(sched_builder *b, int n)
{
    if (n < 1)
        sched_fail(b, SCHED_BAD_STEP);
    set_windows(b, n, n + 1);
}

void sched_rounds(sched_builder *b, bool on)
{
    set_windows(b, on, on);
}

/* The step waits for the n-th last of these. */
static void wait_for_recent(sched_builder *b, const recent *r, int n, int step)
{
    if (n <= r->n && !edges_add(&b->order, (edge){r->at[(r->n - n) % r->window], step}, 64))
        sched_fail(b, SCHED_NO_MEMORY);
}

static void throttle_message(sched_builder *b, int step, step_kind kind)
{
    recent *sends = &b->throttled[0], *receives = &b->throttled[1];
    recent *mine = kind == STEP_SEND ? sends : receives;

    if (!receives->at || b->error)
        return;
    if (kind == STEP_SEND)
        wait_for_recent(b, receives, sends->window, step);
    wait_for_recent(b, mine, mine->window, step);
    mine->at[mine->n++ % mine->window] = step;
}

/* ---- queues ---- */

/* The slot of the key, or the free one where it belongs. Peers are often a stride apart: the
 * product spreads any. */
static struct queue_slot *find_queue_slot(const sched_builder *b, const queue_table *t,
                                          uint32_t key)
{
    uint32_t i = (uint32_t)((uint64_t)(key * 2654435769u) * (uint32_t)t->n >> 32);

    if (t->n == 2 * b->p)
        return &t->at[key];
    while (t->at[i].number && t->at[i].key != key)
        i = (i + 1) & ((uint32_t)t->n - 1);
    return &t->at[i];
}

static bool enlarge_table(sched_builder *b)
{
    queue_table *t = &b->queues, larger = *t;

    larger.n = t->n ? 2 * t->n : FIRST_PLACES;
    if (larger.n >= b->p / 2)
        larger.n = 2 * b->p;
    larger.at = calloc((size_t)larger.n, sizeof *larger.at);
    if (!larger.at)
        return sched_fail(b, SCHED_NO_MEMORY);
    for (int i = 0; i < t->n; i++)
        if (t->at[i].number)
            *find_queue_slot(b, &larger, t->at[i].key) = t->at[i];
    free(t->at);
    *t = larger;
    return true;
}

/* The queue of the message, a new one at its first; -1: failed. */
static int find_queue(sched_builder *b, int peer, step_kind kind)
{
    queue_table *t = &b->queues;
    uint32_t key = 2 * (uint32_t)peer + (kind == STEP_RECV);
    struct queue_slot *slot;

    if (2 * b->nqueues >= t->n && t->n < 2 * b->p && !enlarge_table(b))
        return -1;
    slot = find_queue_slot(b, t, key);
    if (slot->number)
        return slot->number - 1;
    if (!grow(b, (void **)&t->sent, &t->sent_cap, b->nqueues, sizeof *t->sent))
        return -1;
    t->sent[b->nqueues] = 0;
    *slot = (struct queue_slot){.key = key, .number = ++b->nqueues};
    return slot->number - 1;
}

/* Number the message in its (peer, direction), or drop it if it is empty. */
void sched_close(sched_builder *b)
{
    if (!b->open)
        sched_fail(b, SCHED_BAD_STEP);
    b->open = false;
    if (b->error || b->muted)
        return;

    step *s = &b->steps[b->nsteps - 1];
    if (s->n == 0) {
        b->nsteps--;
        return;
    }
    int queue = find_queue(b, s->peer, (step_kind)s->kind);
    if (queue < 0)
        return;
    s->queue = queue;
    s->tag = (uint8_t)(b->queues.sent[queue]++ % SCHED_WINDOW);
    s->message = b->nmessages++;
    throttle_message(b, b->nsteps - 1, (step_kind)s->kind);
}

void sched_send(sched_builder *b, interval what, int peer)
{
    sched_open(b, STEP_SEND, peer);
    sched_add(b, what);
    sched_close(b);
}

void sched_recv(sched_builder *b, interval what, int peer)
{
    sched_open(b, STEP_RECV, peer);
    sched_add(b, what);
    sched_close(b);
}

static void push_local(sched_builder *b, step_kind kind, interval from, interval to)
{
    if (b->open || (from.length == 0) != (to.length == 0))
        sched_fail(b, SCHED_BAD_STEP);
    if (from.length == 0)
        return;
    push_step(b, kind, -1);
    push_interval(b, from);
    push_interval(b, to);
}

void sched_copy(sched_builder *b, interval from, interval to)
{
    if (from.space != to.space || from.offset != to.offset || from.length != to.length)
        push_local(b, STEP_COPY, from, to);
}

void sched_reduce(sched_builder *b, interval from, interval to)
{
    push_local(b, STEP_REDUCE, from, to);
}

void sched_fence(sched_builder *b)
{
    if (b->open)
        sched_fail(b, SCHED_BAD_STEP);
    push_step(b, STEP_FENCE, -1);
}

interval sched_scratch(sched_builder *b, int64_t length)
{
    interval part = interval_make(SPACE_SCRATCH, b->extent[SPACE_SCRATCH], length);

    if (length > 0 && grow(b, (void **)&b->room, &b->room_cap, b->nrooms, sizeof *b->room))
        b->room[b->nrooms++] = part.offset;
    b->extent[SPACE_SCRATCH] += length;
    return part;
}
