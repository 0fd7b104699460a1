/* SPDX-License-Identifier: BSD-3-Clause */
/* windows.c - the windows of tags that persistent requests hold for their life: see windows.h.
 *
 * They are counted through all numbers (lanes) of the communicator; of the first, the upper part:
 *
 *   lane        0           1               2
 *   window  split..n-1    0..n-1          0..n-1
 *   slot    0 1 2 ...     n-split ...
 *
 * All ranks take the same slots, because inits are made in the same order everywhere; requests are
 * freed in any order. Once all slots have been used, the ranks find out which are free on all of
 * them; if those are few, each takes another number. So they agree seldom.
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
    return t->lane * c->persistent.per_lane + t->window - c->gate.split;
}

static void set_slot(const comm *c, comm_ticket *t, int slot)
{
    int window = slot + c->gate.split;

    t->lane = window / c->persistent.per_lane;
    t->window = window % c->persistent.per_lane;
}

/* What is held here. */
static int collect_held(comm *c)
{
    comm_windows *w = &c->persistent;
    unsigned char *held = realloc(w->held, (size_t)w->capacity);

    if (!held)
        return MPI_ERR_NO_MEM;
    w->held = held;
    memset(held, 0, (size_t)w->capacity);
    process_lock();
    for (const comm_ticket *t = w->holders; t; t = t->next)
        held[slot_of(c, t)] = 1;
    process_unlock();
    return MPI_SUCCESS;
}

static int count_free(const comm_windows *w)
{
    int n = 0;

    for (int i = 0; i < w->capacity; i++)
        n += !w->held[i];
    return n;
}

/* Numbers have been offered: take them if all ranks have one and few windows are free. */
static int settle(comm *c, const handshake *h, bool *added)
{
    bool few = count_free(&c->persistent) < c->persistent.per_lane / 4 + 1;
    int error;

    *added = false;
    if (!few || !handshake_numbered(h))
        return MPI_SUCCESS;
    engine_enter(); /* operations of the communicator look at the lanes */
    error = comm_add_lane(c, c->wire.from_channel ? h : NULL);
    engine_leave();
    *added = error == MPI_SUCCESS;
    return error;
}

/* A communicator of our own has all numbers for itself. */
static int offer(const comm *c)
{
    if (c->wire.from_channel)
        return channel_number_take(true);
    return c->wire.nlanes < channel_numbers() ? c->wire.nlanes : -1;
}

static int agree_on_windows(comm *c)
{
    comm_windows *w = &c->persistent;
    hello mine = {.number = offer(c)};
    handshake h = {0};
    bool added = false;
    int error;

    mine.error = collect_held(c);
    error = comm_meet(c, "a persistent collective", &mine, true, &h);
    for (int r = 0; !error && r < c->p; r++)
        error = h.all[r].error;
    if (!error)
        error = handshake_max(w->held, w->capacity, c->user);
    w->looked = 0;
    w->agreed = w->capacity;
    if (!error)
        error = settle(c, &h, &added);
    if (!added && mine.number >= 0 && c->wire.from_channel)
        channel_number_return(mine.number);
    handshake_close(&h);
    return error;
}

/* A slot that has been free on all ranks since they last agreed. */
static bool find_held(comm_windows *w, int n, int *slot)
{
    while (w->held && w->looked < n && w->held[w->looked])
        w->looked++;
    if (!w->held || w->looked >= n)
        return false;
    *slot = w->looked++;
    return true;
}

static int find_slot(comm *c, int *slot)
{
    comm_windows *w = &c->persistent;

    for (int round = 0; round < 2; round++) {
        if (w->next < w->capacity) {
            *slot = w->next++;
            return MPI_SUCCESS;
        }
        if (find_held(w, w->agreed, slot))
            return MPI_SUCCESS;
        int error = round == 0 ? agree_on_windows(c) : MPI_SUCCESS;
        if (error)
            return error;
    }
    return MPI_ERR_OTHER;
}

int comm_persistent_window(comm *c, comm_ticket *t)
{
    int slot = 0, error = c->p > 1 ? find_slot(c, &slot) : MPI_SUCCESS;

    if (error)
        return error;
    t->persistent = true;
    t->lane = t->window = 0;
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
