/* SPDX-License-Identifier: BSD-3-Clause */
/* shm_run.c - move the messages that go through shared memory: see shm.h. */
#include "nbc/comm/comm.h"
#include "nbc/node/pool.h"
#include "nbc/node/segment.h"
#include "nbc/node/shared_heap.h"
#include "nbc/node/vmread.h"
#include "nbc/run/exec.h"
#include "nbc/run/pack.h"
#include "nbc/run/wire.h"

/* Tuning. FALL_BACK_POLLS: fruitless polls between two looks for messages that fall back to MPI.
 * PATIENCE: such looks that find no room for a message before it falls back. AFAR_PART: bytes that
 * are read at once from another process's memory to be reduced. */
enum { FALL_BACK_POLLS = 64, PATIENCE = 16, AFAR_PART = 262144 };

/* Marks where a message is exposed: it is an address of the sender's, not an offset in the segment.
 */
#define ELSEWHERE ((uint64_t)1 << 63)

static char *data_of(const exec *e, const shm_message *m)
{
    return m->space < 0 ? e->shm->packed + m->packed : e->bound.base[m->space] + m->offset;
}

/* The address of a copy of it in the shared heap. 0: there is no memory for one now. */
static uint64_t copy_to_heap(shm_message *m, const char *data)
{
    if (!m->copy) {
        m->copy = pool_take((size_t)m->bytes);
        if (m->copy)
            wire_copy_bytes(m->copy, data, (size_t)m->bytes);
    }
    return m->copy ? shared_heap_find(m->copy, (size_t)m->bytes) : 0;
}

/* Expose it, if it can be. False: it must be copied to the ring. That would be slow where a copy
 * was to be exposed. Without memory for the copy the message waits. If that takes long it falls
 * back to MPI, or goes through the ring after all if that is a persistent request's own. */
static bool expose(const exec *e, shm_message *m, uint64_t position)
{
    const char *data = data_of(e, m);
    uint64_t where = 0;

    if (!m->ack)
        return false;
    if (m->exposes_heap)
        where = shared_heap_find(data, (size_t)m->bytes);
    if (!where && m->exposes_all)
        where = ELSEWHERE | (uint64_t)(uintptr_t)data;
    else if (!where && m->exposes_copy)
        where = copy_to_heap(m, data);
    if (where)
        m->exposed = ring_expose(m->track->ring, position, where, segment_offset(m->ack), m->bytes);
    return where != 0 ||
           (m->exposes_copy && (!e->shm->own || ++m->waited < PATIENCE * FALL_BACK_POLLS));
}

/* Pack it. False: there is no room to put it, and the buffer may be used for another meanwhile.
 * What cannot be packed is sent all the same, and ends with an error here: the receiver waits for
 * it. */
static bool pack_shm_message(exec *e, const step *st, shm_message *m, uint64_t position)
{
    if (shm_is_brief(m) && !ring_room(m->track->ring, position, shm_lines(m)))
        return false;
    m->error = pack_step(&e->bound, st, data_of(e, m));
    m->packs = true;
    return true;
}

static void forget_message(shm_message *m)
{
    if (m->copy)
        pool_give(m->copy, (size_t)m->bytes);
    m->copy = NULL;
    m->progress = (ring_progress){0};
    m->packs = m->exposed = m->again = false;
    m->reduced = 0;
    m->waited = 0;
}

/* One that is longer than the room begins when all before it has been read: from then on it waits
 * for nothing but its receiver. */
static bool may_begin(const exec *e, const shm_message *m, uint64_t position)
{
    return e->shm->own || m->progress.done > 0 || ring_kind_of(m->track->ring) == RING_OF_LINES ||
           ring_room(m->track->ring, position, shm_lines(m)) ||
           ring_all_read(m->track->ring, position);
}

/* It has been exposed. True: it could not be read, and never can be. False: it has been read, or
 * not yet. */
static bool could_not_be_read(shm_message *m, uint64_t position)
{
    ring_ack ack = ring_ack_of(m->ack, position);

    if (ack == RING_UNREADABLE) {
        m->exposed = m->exposes_all = false;
        m->again = true;
    } else if (ack == RING_WAS_READ) {
        forget_message(m);
    }
    return m->again;
}

/* True: it has gone. */
static bool send_some(exec *e, const step *st, shm_message *m)
{
    ring *r = m->track->ring;
    uint64_t position = m->track->base + m->before;

    if (m->exposed && !could_not_be_read(m, position))
        return !m->exposed;
    if (m->space < 0 && !m->packs && !pack_shm_message(e, st, m, position))
        return false;
    if (m->progress.done == 0 && !m->again && expose(e, m, position))
        return false;
    if (!may_begin(e, m, position) ||
        !ring_put(r, position, data_of(e, m), m->bytes, m->again, &m->progress.done))
        return false;
    forget_message(m);
    return true;
}

static void keep_error(shm_message *m, int error)
{
    m->error = m->error ? m->error : error;
}

/* All of a message is there: its data, packed. */
static void unpack_shm_message(const exec *e, const step *st, shm_message *m, const char *from,
                               int64_t bytes)
{
    keep_error(m, unpack_step(&e->bound, st, from, bytes));
}

/* What is packed is read when all of it is there. */
static bool receive_small(const exec *e, const step *st, shm_message *m, uint64_t position)
{
    ring_state state;

    if (m->space < 0 && !ring_complete(m->track->ring, position, false))
        return false;
    state = ring_get(m->track->ring, position, data_of(e, m), m->bytes, &m->progress);
    if (state == RING_EMPTY)
        return false;
    if (state == RING_OTHER)
        keep_error(m, MPI_ERR_TRUNCATE);
    else if (m->space < 0)
        unpack_shm_message(e, st, m, data_of(e, m), m->progress.done);
    return true;
}

/* Bytes of a message from `done` on, but for those that have been reduced before it came again. */
static void reduce_piece(const exec *e, shm_message *m, const char *from, int64_t done,
                         int64_t bytes)
{
    const bound *b = &e->bound;
    int64_t skip = m->reduced > done ? m->reduced - done : 0;

    if (skip < bytes)
        keep_error(m, wire_reduce_some(b, &b->locals[b->sched->steps[m->reduces].queue],
                                       from + skip, done + skip, bytes - skip));
}

/* What lies in the sender's memory: in parts of whole lines, each through a buffer that stays in
 * the cache. False: it cannot be read. */
static bool reduce_from_afar(const exec *e, shm_message *m, const ring_piece *p)
{
    static _Alignas(RING_LINE) char part[AFAR_PART]; /* engine lock */

    for (int64_t at = 0; at < p->bytes && !m->error; at += AFAR_PART) {
        int64_t some = p->bytes - at < AFAR_PART ? p->bytes - at : AFAR_PART;

        if (!vmread(m->peer->pid, part, (p->where & ~ELSEWHERE) + (uint64_t)at, (size_t)some)) {
            m->reduced = at;
            return false;
        }
        reduce_piece(e, m, part, at, some);
    }
    return true;
}

static bool take_from_afar(exec *e, const step *st, shm_message *m, const ring_piece *p)
{
    if (m->reducing)
        return reduce_from_afar(e, m, p);
    if (!vmread(m->peer->pid, data_of(e, m), p->where & ~ELSEWHERE, (size_t)p->bytes))
        return false;
    if (m->space < 0)
        unpack_shm_message(e, st, m, data_of(e, m), p->bytes);
    return true;
}

/* A piece of a message, from where it lies to where it is wanted. False: it cannot be read. */
static bool take_piece(exec *e, const step *st, shm_message *m, const ring_piece *p)
{
    int64_t done = m->progress.done;
    const char *from;

    if (!p->at && p->where & ELSEWHERE)
        return take_from_afar(e, st, m, p);
    from = p->at ? p->at : shared_heap_reach(p->where, (size_t)p->bytes);
    if (m->reducing) {
        reduce_piece(e, m, from, done, p->bytes);
    } else if (m->space < 0 && done == 0 && p->last) {
        unpack_shm_message(e, st, m, from, p->bytes);
    } else {
        wire_copy_bytes(data_of(e, m) + done, from, (size_t)p->bytes);
        if (m->space < 0 && p->last)
            unpack_shm_message(e, st, m, data_of(e, m), done + p->bytes);
    }
    return true;
}

/* What was exposed has been read, or cannot be. */
static void acknowledge(const ring_piece *p, ring_ack kind)
{
    if (!p->at)
        ring_acknowledge(segment_at_offset(p->ack), p->position, kind);
}

/* Take what is there. True: that was the last of it. */
static bool take_pieces(exec *e, const step *st, shm_message *m, uint64_t position)
{
    ring *r = m->track->ring;
    ring_piece piece = {.last = false};

    while (!piece.last) {
        ring_state state = ring_look(r, position, m->bytes, &m->progress, &piece);

        if (state == RING_EMPTY)
            return false;
        if (state == RING_OTHER) {
            m->error = MPI_ERR_TRUNCATE;
            acknowledge(&piece, RING_WAS_READ);
            return true;
        }
        if (!take_piece(e, st, m, &piece)) {
            m->progress.again = true;
            acknowledge(&piece, RING_UNREADABLE);
            return false;
        }
        ring_read(r, position, m->bytes, &m->progress, &piece);
        acknowledge(&piece, RING_WAS_READ);
    }
    return true;
}

static bool receive_blocks(exec *e, const step *st, shm_message *m, uint64_t position)
{
    if (m->space < 0 && shm_is_brief(m) &&
        !ring_complete(m->track->ring, position, m->progress.again))
        return false;
    if (!take_pieces(e, st, m, position))
        return false;
    if (m->reducing)
        e->shm->reduced[e->bound.sched->steps[m->reduces].queue] = INT64_MAX;
    m->reducing = false;
    return true;
}

/* May that step begin as soon as this receive is over? */
static bool may_reduce(const exec *e, int receive, int index)
{
    const sched *s = e->bound.sched;

    if (!e->run.flat)
        return e->run.waiting[index] == 1;
    return e->run.tail_waits == s->succ_at[receive + 1] - s->succ_at[receive];
}

static bool receive_some(exec *e, const step *st, shm_message *m)
{
    uint64_t position = m->track->base + m->before;
    bool over;

    if (m->reduces >= 0 && m->progress.done == 0)
        m->reducing = may_reduce(e, (int)(st - e->bound.sched->steps), m->reduces);
    if (!m->progress.done && !ring_begun(m->track->ring, position, m->progress.again))
        return false;
    over = ring_kind_of(m->track->ring) == RING_OF_BLOCKS ? receive_blocks(e, st, m, position)
                                                          : receive_small(e, st, m, position);
    if (over)
        forget_message(m);
    return over;
}

/* True: it has come or gone, with this error. */
static bool try_message(exec *e, int index, int *error)
{
    const step *st = &e->bound.sched->steps[index];
    shm_message *m = &e->shm->message[st->message];

    if (!(st->kind == STEP_SEND ? send_some(e, st, m) : receive_some(e, st, m)))
        return false;
    *error = m->error;
    m->error = MPI_SUCCESS;
    return true;
}

/* A longer one that is there already takes its time: first all sends, so that the others need not
 * wait for that. */
static bool is_receive_put_off(shm *n, const step *st)
{
    bool off = st->kind == STEP_RECV && n->message[st->message].bytes >= SHM_EXPOSE;

    n->put_off |= off;
    return off;
}

bool shm_post(exec *e, int index, int *error)
{
    shm *n = e->shm;

    if (!is_receive_put_off(n, &e->bound.sched->steps[index]) && try_message(e, index, error))
        return true;
    n->open[n->nopen++] = index;
    return false;
}

int shm_poll(exec *e, struct finished *finished)
{
    shm *n = e->shm;
    int found = 0;

    n->put_off = false;
    for (int i = 0; i < n->nopen;) {
        int index = n->open[i], error;

        if (!try_message(e, index, &error)) {
            i++;
            continue;
        }
        n->open[i] = n->open[--n->nopen];
        finished[found++] = (struct finished){.step = index, .error = error};
    }
    return found;
}

static bool falls_back_for_lack_of_room(shm_message *m)
{
    return m->progress.done == 0 && !m->exposed && ++m->waited >= PATIENCE;
}

/* Has the sender sent it through MPI? What was sent before it through the ring, with the same tag,
 * is seen there by now. */
static bool has_fallen_back(const exec *e, const step *st, shm_message *m)
{
    const message *x = &e->bound.messages[st->message];
    MPI_Comm wire = e->comm->wire.comm;
    uint64_t position = m->track->base + m->before;
    int flag = 0;

    if (m->progress.done > 0 || ring_begun(m->track->ring, position, m->progress.again))
        return false;
    if (PMPI_Iprobe(x->peer, exec_tag(e, x), wire, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS ||
        !flag)
        return false;
    return !ring_begun(m->track->ring, position, m->progress.again) &&
           ring_skip(m->track->ring, position, shm_lines(m));
}

int shm_fall_back(exec *e)
{
    shm *n = e->shm;

    if (n->own || ++n->fruitless % FALL_BACK_POLLS != 0)
        return -1;
    for (int i = 0; i < n->nopen; i++) {
        int index = n->open[i];
        const step *st = &e->bound.sched->steps[index];
        shm_message *m = &n->message[st->message];

        if (!(st->kind == STEP_SEND ? falls_back_for_lack_of_room(m) : has_fallen_back(e, st, m)))
            continue;
        if (m->reduced)
            n->reduced[e->bound.sched->steps[m->reduces].queue] = m->reduced;
        m->reducing = false;
        m->error = MPI_SUCCESS; /* it is packed again */
        forget_message(m);
        n->open[i] = n->open[--n->nopen];
        return index;
    }
    return -1;
}

bool shm_is_open(const shm *n, int index)
{
    for (int i = 0; i < n->nopen; i++)
        if (n->open[i] == index)
            return true;
    return false;
}
