/* SPDX-License-Identifier: BSD-3-Clause */
/* windows.c - the windows of tags that persistent requests hold for their life: see windows.h.
 *
 * They are counted through all tag spaces of the communicator, in the first one from `split` on:
 *
 *   tag space     0           1               2
 *   window    split..n-1    0..n-1          0..n-1
 *   slot      0 1 2 ...     n-split ...
 *
 * All ranks take the same slots, because inits are made in the same order everywhere; requests are
 * freed in any order. Once all slots have been used, the ranks find out which are free on all of
 * them; if those are few, each allocates another context id. So they agree seldom.
 */
#include "nbc/comm/windows.h"

#include "nbc/comm/channel.h"
#include "nbc/comm/comm_wire.h"
#include "nbc/comm/meet.h"
#include "nbc/process/process.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

static int slot_of(const comm *c, const comm_ticket *t)
{
    return t->tag_space * c->persistent.per_tag_space + t->window - c->gate.split;
}

static void set_slot(const comm *c, comm_ticket *t, int slot)
{
    int window = slot + c->gate.split;

    t->tag_space = window / c->persistent.per_tag_space;
    t->window = window % c->persistent.per_tag_space;
}

/* What is held here. */
static void collect_held(comm *c)
{
    comm_windows *w = &c->persistent;

    memset(w->held, 0, (size_t)w->capacity);
    process_lock();
    for (const comm_ticket *t = w->holders; t; t = t->next)
        w->held[slot_of(c, t)] = 1;
    process_unlock();
}

static int count_free(const comm_windows *w)
{
    int n = 0;

    for (int i = 0; i < w->capacity; i++)
        n += !w->held[i];
    return n;
}

static const char caller[] = "a persistent collective";

/* Operations of the communicator read the tag spaces. */
static int add_window_tag_space(comm *c, const handshake *h)
{
    engine_enter();
    int error = comm_add_tag_space(c, c->wire.from_channel ? h : NULL);
    engine_leave();
    return error;
}

static void drop_window_tag_space(comm *c)
{
    engine_enter();
    comm_drop_tag_space(c);
    engine_leave();
}

/* Context ids have been offered: take them if all ranks have one, and memory, and few windows are
 * free.
 */
static int settle(comm *c, handshake *h, bool *added)
{
    bool few = count_free(&c->persistent) < c->persistent.per_tag_space / 4 + 1;
    int error, any;

    *added = false;
    if (!few || !handshake_has_context_ids(h))
        return MPI_SUCCESS;
    error = add_window_tag_space(c, h);
    any = comm_meet_again(c, caller, error, h);
    if (any && !error)
        drop_window_tag_space(c);
    *added = any == MPI_SUCCESS;
    return any;
}

/* A communicator of our own has all context ids for itself. */
static int offer(const comm *c)
{
    if (c->wire.from_channel)
        return channel_allocate_context_id(true);
    return c->wire.ntag_spaces < channel_context_ids() ? c->wire.ntag_spaces : -1;
}

static int agree_on_windows(comm *c)
{
    comm_windows *w = &c->persistent;
    handshake *h = &w->meeting;
    bool added = false;
    int error;

    collect_held(c);
    h->mine.context_id = offer(c);
    error = comm_meet_again(c, caller, MPI_SUCCESS, h);
    if (!error)
        error = handshake_max(w->held, w->capacity, c->user);
    w->looked = 0;
    w->agreed = w->capacity;
    if (!error)
        error = settle(c, h, &added);
    if (!added && h->mine.context_id >= 0 && c->wire.from_channel)
        channel_free_context_id(h->mine.context_id);
    handshake_close(h);
    return error;
}

/* One that nobody has used, or that has been free on all ranks since they last agreed? */
static bool has_slot(comm_windows *w)
{
    while (w->looked < w->agreed && w->held[w->looked])
        w->looked++;
    return w->next < w->capacity || w->looked < w->agreed;
}

static int find_slot(comm *c, int *slot)
{
    comm_windows *w = &c->persistent;
    int error = has_slot(w) ? MPI_SUCCESS : agree_on_windows(c);

    if (!error && !has_slot(w))
        error = MPI_ERR_OTHER;
    if (!error)
        *slot = w->next < w->capacity ? w->next++ : w->looked++;
    return error;
}

int comm_persistent_reserve(comm *c)
{
    comm_windows *w = &c->persistent;
    unsigned char *held;

    if (c->p == 1 || has_slot(w) || w->meeting.all)
        return MPI_SUCCESS;
    held = realloc(w->held, (size_t)w->capacity);
    if (!held)
        return MPI_ERR_NO_MEM;
    w->held = held;
    return handshake_open(&w->meeting, c->p, c->rank, &(hello){0}, false);
}

int comm_persistent_window(comm *c, comm_ticket *t)
{
    int slot = 0, error = c->p > 1 ? find_slot(c, &slot) : MPI_SUCCESS;

    if (error)
        return error;
    t->persistent = true;
    t->tag_space = t->window = 0;
    if (c->p > 1)
        set_slot(c, t, slot);
    process_lock();
    DL_APPEND(c->persistent.holders, t);
    process_unlock();
    return MPI_SUCCESS;
}

void comm_persistent_release(comm *c, comm_ticket *t)
{
    process_lock();
    DL_DELETE(c->persistent.holders, t);
    process_unlock();
    t->persistent = false;
}
