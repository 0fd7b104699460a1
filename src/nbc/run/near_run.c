/* SPDX-License-Identifier: BSD-3-Clause */
/* near_run.c - move the messages that go through shared memory: see near.h. */
#include "nbc/node/pool.h"
#include "nbc/node/segment.h"
#include "nbc/node/store.h"
#include "nbc/node/vmread.h"
#include "nbc/run/near.h"
#include "nbc/run/pack.h"
#include "nbc/run/wire.h"

/* Tuning: fruitless polls between two looks for messages that have left their ring, and looks that
 * a message waits for room before it does; and bytes that are read from another's memory to be
 * reduced. */
enum { LOOK_AWAY = 64, PATIENCE = 16, AFAR_PART = 262144 };

/* Of where a message is lent: an address of its sender's, not a place in the segment. */
#define ELSEWHERE ((uint64_t)1 << 63)

static char *run_of(const near *n, const bound *b, const near_message *m)
{
    return m->space < 0 ? n->packed + m->packed : b->base[m->space] + m->offset;
}

/* Where there is a copy of it in the store. 0: there is no memory for one now. */
static uint64_t copy_to_store(near_message *m, const char *data)
{
    if (!m->copy) {
        m->copy = pool_take((size_t)m->bytes);
        if (m->copy)
            wire_copy_bytes(m->copy, data, (size_t)m->bytes);
    }
    return m->copy ? store_find(m->copy, (size_t)m->bytes) : 0;
}

/* Lend it, if it can be. False: it must be copied to the ring. That would be slow where a copy was
 * to be lent: without memory for it, it waits, and if that takes long it leaves the ring, or goes
 * through that of a persistent request after all. */
static bool lend(const near *n, const bound *b, near_message *m, uint64_t position)
{
    const char *data = run_of(n, b, m);
    uint64_t where = 0;

    if (!m->answer)
        return false;
    if (m->lends_store)
        where = store_find(data, (size_t)m->bytes);
    if (!where && m->lends_all)
        where = ELSEWHERE | (uint64_t)(uintptr_t)data;
    else if (!where && m->lends_copy)
        where = copy_to_store(m, data);
    if (where)
        m->lent = ring_lend(m->track->ring, position, where, segment_place(m->answer), m->bytes);
    return where != 0 || (m->lends_copy && (!n->own || ++m->waited < PATIENCE * LOOK_AWAY));
}

/* Pack it. False: there is no room to put it, and its place may be another's meanwhile. What cannot
 * be packed is sent all the same, and ends with an error here: the receiver waits for it. */
static bool pack(near *n, const bound *b, const step *st, near_message *m, uint64_t position)
{
    if (near_is_brief(m) && !ring_room(m->track->ring, position, near_lines(m)))
        return false;
    m->error = pack_step(b, st, run_of(n, b, m));
    m->packs = true;
    return true;
}

static void forget(near_message *m)
{
    if (m->copy)
        pool_give(m->copy, (size_t)m->bytes);
    m->copy = NULL;
    m->progress = (ring_progress){0};
    m->packs = m->lent = m->again = false;
    m->reduced = 0;
    m->waited = 0;
}

/* One that is longer than the room begins when all before it has been read: from then on it waits
 * for nothing but its receiver. */
static bool may_begin(const near *n, const near_message *m, uint64_t position)
{
    return n->own || m->progress.done > 0 || ring_kind_of(m->track->ring) == RING_OF_LINES ||
           ring_room(m->track->ring, position, near_lines(m)) ||
           ring_all_read(m->track->ring, position);
}

/* It has been lent. True: in vain, now and whenever it is sent; false: it has been read, or not
 * yet. */
static bool take_back(near_message *m, uint64_t position)
{
    ring_reply reply = ring_answered(m->answer, position);

    if (reply == RING_UNREADABLE) {
        m->lent = m->lends_all = false;
        m->again = true;
    } else if (reply == RING_WAS_READ) {
        forget(m);
    }
    return m->again;
}

/* True: it has gone. */
static bool send_some(near *n, const bound *b, const step *st)
{
    near_message *m = &n->message[st->message];
    ring *r = m->track->ring;
    uint64_t position = m->track->base + m->before;

    if (m->lent && !take_back(m, position))
        return !m->lent;
    if (m->space < 0 && !m->packs && !pack(n, b, st, m, position))
        return false;
    if (m->progress.done == 0 && !m->again && lend(n, b, m, position))
        return false;
    if (!may_begin(n, m, position) ||
        !ring_put(r, position, run_of(n, b, m), m->bytes, m->again, &m->progress.done))
        return false;
    forget(m);
    return true;
}

static bool try_send(near *n, const bound *b, const step *st, int *error)
{
    near_message *m = &n->message[st->message];

    if (!send_some(n, b, st))
        return false;
    *error = m->error;
    m->error = MPI_SUCCESS;
    return true;
}

/* What is packed is read when all of it is there. */
static bool receive_small(near *n, const bound *b, const step *st, int *error)
{
    near_message *m = &n->message[st->message];
    uint64_t position = m->track->base + m->before;
    ring_state state;

    if (m->space < 0 && !ring_complete(m->track->ring, position, false))
        return false;
    state = ring_get(m->track->ring, position, run_of(n, b, m), m->bytes, &m->progress);
    if (state == RING_EMPTY)
        return false;
    if (state == RING_OTHER)
        *error = MPI_ERR_TRUNCATE;
    else if (m->space < 0)
        *error = unpack_step(b, st, run_of(n, b, m), m->progress.done);
    forget(m);
    return true;
}

/* Bytes of a message from `done` on, but for those that have been reduced before it came again. */
static int reduce_piece(const bound *b, const near_message *m, const char *from, int64_t done,
                        int64_t bytes)
{
    int64_t skip = m->reduced > done ? m->reduced - done : 0;

    if (skip >= bytes)
        return MPI_SUCCESS;
    return wire_reduce_some(b, &b->locals[b->sched->steps[m->reduces].queue], from + skip,
                            done + skip, bytes - skip);
}

/* What lies in the sender's memory: in parts of whole lines, each by way of a buffer that stays in
 * the cache. */
static int reduce_from_afar(const bound *b, near_message *m, const ring_piece *p, bool *readable)
{
    static _Alignas(RING_LINE) char part[AFAR_PART]; /* engine lock */
    int error = MPI_SUCCESS;

    for (int64_t at = 0; at < p->bytes && !error; at += AFAR_PART) {
        int64_t some = p->bytes - at < AFAR_PART ? p->bytes - at : AFAR_PART;

        *readable = vmread(m->way->pid, part, (p->where & ~ELSEWHERE) + (uint64_t)at, (size_t)some);
        if (!*readable) {
            m->reduced = at;
            return MPI_SUCCESS;
        }
        error = reduce_piece(b, m, part, at, some);
    }
    return error;
}

static int take_from_afar(near *n, const bound *b, const step *st, const ring_piece *p,
                          bool *readable)
{
    near_message *m = &n->message[st->message];

    if (m->reducing)
        return reduce_from_afar(b, m, p, readable);
    *readable = vmread(m->way->pid, run_of(n, b, m), p->where & ~ELSEWHERE, (size_t)p->bytes);
    return *readable && m->space < 0 ? unpack_step(b, st, run_of(n, b, m), p->bytes) : MPI_SUCCESS;
}

/* A piece of a message, from where it lies to where it is wanted. */
static int take_piece(near *n, const bound *b, const step *st, const ring_piece *p, bool *readable)
{
    near_message *m = &n->message[st->message];
    int64_t done = m->progress.done;
    const char *from;

    if (!p->at && p->where & ELSEWHERE)
        return take_from_afar(n, b, st, p, readable);
    from = p->at ? p->at : store_reach(p->where, (size_t)p->bytes);
    if (m->reducing)
        return reduce_piece(b, m, from, done, p->bytes);
    if (m->space < 0 && done == 0 && p->last)
        return unpack_step(b, st, from, p->bytes);
    wire_copy_bytes(run_of(n, b, m) + done, from, (size_t)p->bytes);
    return m->space < 0 && p->last ? unpack_step(b, st, run_of(n, b, m), done + p->bytes)
                                   : MPI_SUCCESS;
}

/* What was lent has been read, or cannot be. */
static void answer(const ring_piece *p, ring_reply reply)
{
    if (!p->at)
        ring_answer(segment_at_place(p->answer), p->position, reply);
}

static bool receive_blocks(near *n, const bound *b, const step *st, int *error)
{
    near_message *m = &n->message[st->message];
    ring *r = m->track->ring;
    uint64_t position = m->track->base + m->before;
    ring_piece piece = {.last = false};

    if (m->space < 0 && near_is_brief(m) && !ring_complete(r, position, m->progress.again))
        return false;
    while (!piece.last) {
        ring_state state = ring_look(r, position, m->bytes, &m->progress, &piece);
        bool readable = true;
        int one;

        if (state == RING_EMPTY)
            return false;
        if (state == RING_OTHER) {
            m->error = MPI_ERR_TRUNCATE;
            answer(&piece, RING_WAS_READ);
            break;
        }
        one = take_piece(n, b, st, &piece, &readable);
        if (!readable) {
            m->progress.again = true;
            answer(&piece, RING_UNREADABLE);
            return false;
        }
        m->error = m->error ? m->error : one;
        ring_read(r, position, m->bytes, &m->progress, &piece);
        answer(&piece, RING_WAS_READ);
    }
    *error = m->error;
    m->error = MPI_SUCCESS;
    if (m->reducing)
        n->reduced[b->sched->steps[m->reduces].queue] = INT64_MAX;
    m->reducing = false;
    forget(m);
    return true;
}

static bool try_receive(near *n, const bound *b, const step *st, int *error)
{
    near_message *m = &n->message[st->message];
    ring *r = m->track->ring;

    if (!m->progress.done && !ring_begun(r, m->track->base + m->before, m->progress.again))
        return false;
    return ring_kind_of(r) == RING_OF_BLOCKS ? receive_blocks(n, b, st, error)
                                             : receive_small(n, b, st, error);
}

static bool try_message(near *n, const bound *b, int index, near_asks *asks, void *runner,
                        int *error)
{
    const step *st = &b->sched->steps[index];
    near_message *m = &n->message[st->message];

    *error = MPI_SUCCESS;
    if (st->kind == STEP_SEND)
        return try_send(n, b, st, error);
    if (m->reduces >= 0 && m->progress.done == 0)
        m->reducing = asks(runner, index, m->reduces);
    return try_receive(n, b, st, error);
}

/* A longer one that is there already takes its time: first all sends, so that the others need not
 * wait for that. */
static bool is_put_off(near *n, const step *st)
{
    bool off = st->kind == STEP_RECV && n->message[st->message].bytes >= NEAR_LEND;

    n->put_off |= off;
    return off;
}

bool near_post(near *n, const bound *b, int index, near_asks *asks, void *runner, int *error)
{
    if (!is_put_off(n, &b->sched->steps[index]) && try_message(n, b, index, asks, runner, error))
        return true;
    n->open[n->nopen++] = index;
    return false;
}

int near_poll(near *n, const bound *b, near_asks *asks, void *runner, struct finished *finished)
{
    int found = 0;

    n->put_off = false;
    for (int i = 0; i < n->nopen;) {
        int index = n->open[i], error;

        if (!try_message(n, b, index, asks, runner, &error)) {
            i++;
            continue;
        }
        n->open[i] = n->open[--n->nopen];
        finished[found++] = (struct finished){.step = index, .error = error};
    }
    return found;
}

static bool leaves_for_lack_of_room(near_message *m)
{
    return m->progress.done == 0 && !m->lent && ++m->waited >= PATIENCE;
}

/* What was sent before it through the ring, with the same tag, is seen there by now. */
static bool has_left(const bound *b, const step *st, near_message *m, MPI_Comm wire, int tag)
{
    const message *x = &b->messages[st->message];
    uint64_t position = m->track->base + m->before;
    int flag = 0;

    if (m->progress.done > 0 || ring_begun(m->track->ring, position, m->progress.again))
        return false;
    if (PMPI_Iprobe(x->peer, x->tag + tag, wire, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS || !flag)
        return false;
    return !ring_begun(m->track->ring, position, m->progress.again) &&
           ring_skip(m->track->ring, position, near_lines(m));
}

int near_leave(near *n, const bound *b, MPI_Comm wire, int tag)
{
    if (n->own || ++n->fruitless % LOOK_AWAY != 0)
        return -1;
    for (int i = 0; i < n->nopen; i++) {
        int index = n->open[i];
        const step *st = &b->sched->steps[index];
        near_message *m = &n->message[st->message];

        if (!(st->kind == STEP_SEND ? leaves_for_lack_of_room(m) : has_left(b, st, m, wire, tag)))
            continue;
        if (m->reduced)
            n->reduced[b->sched->steps[m->reduces].queue] = m->reduced;
        m->reducing = false;
        m->error = MPI_SUCCESS; /* it is packed again */
        forget(m);
        n->open[i] = n->open[--n->nopen];
        return index;
    }
    return -1;
}

bool near_is_open(const near *n, int index)
{
    for (int i = 0; i < n->nopen; i++)
        if (n->open[i] == index)
            return true;
    return false;
}
