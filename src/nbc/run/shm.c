/* SPDX-License-Identifier: BSD-3-Clause */
/* shm.c - which messages go through shared memory, and where: see shm.h. What moves them is in
 * shm_run.c; the rings of persistent requests are made in shm_init.c. */
#include "nbc/run/shm.h"

#include "nbc/node/pool.h"
#include "nbc/node/segment.h"
#include "nbc/process/layout.h"
#include "nbc/run/piece.h"
#include "nbc/run/wire.h"

#include <stdlib.h>
#include <string.h>

/* Tuning: longer messages that go both ways between two ranks at once go through MPI, which copies
 * as often, unless they are reduced on the way, or read from their senders' memory. */
enum { MEET_MOST = 262144 };

/* Tuning: lines of a ring through which messages that are longer than it are copied; in shorter
 * ones they would wait too often, and are exposed. */
enum { STREAM_COPIES = 1024 };

/* ---- which messages, and where ---- */

/* What it has but for its block of memory. */
static void let_go(shm *n)
{
    for (int i = 0; i < n->nrings; i++)
        own_ring_free(&n->in[i]);
    segment_return(n->acks, (size_t)n->n_acks * sizeof(uint64_t));
    free(n->packed);
}

/* Tracks lie by queue and kind until they are gathered. n: one of the same schedule, and not of its
 * own rings, to be used again; or NULL. */
static shm *allocate_shm(shm *n, const sched *s, bool own)
{
    int tracks = RING_KINDS * s->nqueues, rings = own ? tracks : 0;
    shm shape = {.own = own, .nrings = rings, .ntracks = tracks};
    const layout_array arrays[] = {
        LAYOUT(shape.message, s->nmessages),
        LAYOUT(shape.track, tracks),
        LAYOUT(shape.open, s->nmessages),
        LAYOUT(shape.in, rings),
        LAYOUT(shape.out, rings),
        LAYOUT(shape.exchanged, s->nqueues),
        LAYOUT(shape.reduced, s->nsteps - s->nmessages),
    };

    shape.size = layout_assign(NULL, sizeof shape, arrays, LAYOUT_LENGTH(arrays));
    if (n) {
        let_go(n);
        memset(n, 0, shape.size);
        layout_assign(n, sizeof shape, arrays, LAYOUT_LENGTH(arrays));
    } else {
        n = layout_make(sizeof shape, arrays, LAYOUT_LENGTH(arrays));
    }
    if (n)
        *n = shape;
    return n;
}

/* The peer of a message that may go through a ring; NULL: it goes through MPI. */
static shm_peer *peer_of(const bound *b, const shm_peers *l, const step *st)
{
    shm_peer *peer = shm_peers_find(l, st->peer);

    if (!peer || b->messages[st->message].empty)
        return NULL;
    return (st->kind == STEP_SEND ? peer->to : peer->from) ? peer : NULL;
}

static bool suits_mpi(const shm_message *m)
{
    return m->bytes > MEET_MOST && (m->bytes <= m->peer->eager || !m->peer->both_read_all);
}

/* Do long messages go both ways between the two ranks? Both know. */
static int leave_meeting(shm *n, const bound *b, const shm_peers *l)
{
    const sched *s = b->sched;
    unsigned char *seen = calloc((size_t)l->n, 1);

    for (int round = 0; seen && round < 2; round++)
        for (int i = 0; i < s->nsteps; i++) {
            const step *st = &s->steps[i];
            shm_message *m = step_is_message(st) ? &n->message[st->message] : NULL;
            if (!m || !m->peer || !suits_mpi(m))
                continue;
            if (round == 0)
                seen[m->peer - l->peer] |= st->kind == STEP_SEND ? 1 : 2;
            else if (seen[m->peer - l->peer] == 3)
                m->peer = NULL;
        }
    free(seen);
    return seen ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* Which messages may go through rings. */
static int find_peers(shm *n, const bound *b, const shm_peers *l)
{
    const sched *s = b->sched;
    bool long_ones = false;

    for (int i = 0; i < s->nsteps; i++) {
        const step *st = &s->steps[i];
        shm_message *m = step_is_message(st) ? &n->message[st->message] : NULL;
        if (!m)
            continue;
        m->peer = peer_of(b, l, st);
        m->bytes = m->peer ? wire_bytes(b, st) : 0;
        long_ones |= m->peer && suits_mpi(m);
    }
    return long_ones && b->given.op.op == MPI_OP_NULL ? leave_meeting(n, b, l) : MPI_SUCCESS;
}

/* Where the data of a step is contiguous. */
static void find_contiguous(const bound *b, const step *st, shm_message *m)
{
    piece x = piece_at(b, st, 0);

    m->space = -1;
    if (st->n > 1 || !x.type->contiguous)
        return;
    m->space = (int8_t)b->sched->list[st->first].space;
    m->offset = x.offset;
}

static bool same(interval x, interval y)
{
    return x.space == y.space && x.offset == y.offset && x.length == y.length;
}

/* Does the step read any of it? */
static bool reads(const sched *s, const step *st, interval x)
{
    bool found = st->kind == STEP_FENCE; /* those after it may */

    for (int i = 0; i < st->n && st->kind != STEP_RECV; i++)
        found |= (st->kind == STEP_REDUCE || !step_writes(st, i)) &&
                 interval_overlap(s->list[st->first + i], x);
    return found;
}

/* Can it be reduced in pieces of whole lines? */
static bool reduces_lines(const bound *b, const step *st)
{
    const raw_local *x = &b->locals[st->queue];
    const datatype *type = &b->space[x->to_base].type;

    return x->amount && type->dense && type->size > 0 && RING_LINE % type->size == 0;
}

/* What comes lies in scratch only for one step to reduce it: which one? Whoever reads it waits for
 * this receive, or for a fence that does (sched_deps.c). */
static int find_reduce(const bound *b, int index)
{
    const sched *s = b->sched;
    interval x = s->list[s->steps[index].first];
    int found = -1, readers = 0;

    if (s->steps[index].n != 1 || x.space != SPACE_SCRATCH)
        return -1;
    for (int k = s->succ_at[index]; k < s->succ_at[index + 1]; k++) {
        const step *next = &s->steps[s->succ[k]];
        if (!reads(s, next, x))
            continue;
        readers++;
        if (next->kind == STEP_REDUCE && same(s->list[next->first], x) &&
            !interval_overlap(s->list[next->first + 1], x) && reduces_lines(b, next))
            found = s->succ[k];
    }
    return readers == 1 ? found : -1;
}

/* Can it be read where it lies, or where a copy of it does? Both ends know. */
static bool is_exposed(const shm_message *m)
{
    return m->peer->both_read_all || (m->peer->both_read_heap && (size_t)m->bytes <= pool_most);
}

/* What is exposed needs a line or two, however long it is. */
static bool carries(const shm_track *t, ring_kind kind, const shm_message *m)
{
    uint64_t n = ring_lines(kind, m->bytes), least = is_exposed(m) ? RING_STREAM : STREAM_COPIES;

    return t[kind].ring && n > 0 &&
           (ring_fits(n, t[kind].ring->lines) || t[kind].ring->lines >= least);
}

/* Small ones go in lines; where these are too few, in blocks. NULL: it goes through MPI. */
static shm_track *choose_track(shm_track *t, const shm_message *m)
{
    if (m->bytes <= RING_SMALL && carries(t, RING_OF_LINES, m))
        return &t[RING_OF_LINES];
    return carries(t, RING_OF_BLOCKS, m) ? &t[RING_OF_BLOCKS] : NULL;
}

/* Can its receiver read it where it is, if that is the shared heap, or anywhere? What is packed
 * stays for that as long as the message takes, unless it is brief. In a short ring it is read also
 * if it is not so long. */
static void find_exposure(shm_message *m, const step *st)
{
    const ring *r = m->track->ring;
    bool brief = shm_is_brief(m), must = !brief && r->lines < STREAM_COPIES;

    if (st->kind != STEP_SEND || ring_kind_of(r) != RING_OF_BLOCKS)
        return;
    m->exposes_heap = m->bytes >= SHM_EXPOSE && m->space >= 0 && m->peer->reads_heap;
    m->exposes_all =
        m->peer->reads_all && (must || (m->bytes > m->peer->eager && (m->space >= 0 || !brief)));
    m->exposes_copy = must && m->peer->reads_heap;
}

/* The ring is decided for every track: which messages go through it? */
static void add_messages(shm *n, const bound *b)
{
    const sched *s = b->sched;

    for (int i = 0; i < s->nsteps; i++) {
        const step *st = &s->steps[i];
        shm_message *m;
        shm_track *t;

        if (!step_is_message(st) || !n->message[st->message].peer)
            continue;
        m = &n->message[st->message];
        t = choose_track(&n->track[RING_KINDS * st->queue], m);
        if (!t)
            continue;
        m->track = t;
        m->before = t->lines;
        t->lines += shm_lines(m);
        find_contiguous(b, st, m);
        find_exposure(m, st);
        n->n_acks += m->exposes_heap || m->exposes_all || m->exposes_copy;
        m->reduces = st->kind == STEP_RECV && ring_kind_of(t->ring) == RING_OF_BLOCKS
                         ? find_reduce(b, i)
                         : -1;
        n->messages++;
        n->bytes += m->bytes;
    }
}

/* A word for each message that may be exposed, for its receiver's ack. Without memory for them
 * nothing is exposed. */
static void make_acks(shm *n, const sched *s)
{
    _Atomic uint64_t *next;

    n->acks = n->n_acks ? segment_take((size_t)n->n_acks * sizeof *next) : NULL;
    next = n->acks;
    for (int i = 0; n->acks && i < s->nsteps; i++) {
        const step *st = &s->steps[i];
        shm_message *m = step_is_message(st) ? &n->message[st->message] : NULL;
        if (m && (m->exposes_heap || m->exposes_all || m->exposes_copy))
            m->ack = next++;
    }
}

int shm_reserve(shm *n, const bound *b)
{
    int64_t all = 0;

    for (int i = 0; i < b->sched->nsteps; i++) {
        const step *st = &b->sched->steps[i];
        shm_message *m = step_is_message(st) ? &n->message[st->message] : NULL;
        if (!m || !m->peer)
            continue;
        find_contiguous(b, st, m);
        all += m->space < 0 ? m->bytes : 0;
    }
    n->packed = all ? malloc((size_t)all) : NULL;
    return all && !n->packed ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

/* Room for the messages that are packed: the brief ones, then those that take their time. What is
 * reserved already becomes no longer. */
static int make_packed(shm *n, const sched *s)
{
    char *room;
    int64_t most = 0, all;

    for (int i = 0; i < s->nmessages; i++) {
        const shm_message *m = &n->message[i];
        if (m->track && m->space < 0 && shm_is_brief(m) && m->bytes > most)
            most = m->bytes;
    }
    all = most;
    for (int i = 0; i < s->nmessages; i++) {
        shm_message *m = &n->message[i];
        if (!m->track || m->space >= 0 || shm_is_brief(m))
            continue;
        m->packed = all;
        all += m->bytes;
    }
    if (!all) {
        free(n->packed);
        n->packed = NULL;
        return MPI_SUCCESS;
    }
    room = realloc(n->packed, (size_t)all);
    if (room)
        n->packed = room;
    return n->packed ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* Only tracks that carry anything stay: `base`, free until a start, says where. */
static void gather_tracks(shm *n, const sched *s)
{
    int kept = 0;

    for (int i = 0; i < n->ntracks; i++)
        n->track[i].base = (uint64_t)(n->track[i].lines ? kept++ : 0);
    for (int i = 0; i < s->nmessages; i++)
        if (n->message[i].track)
            n->message[i].track = &n->track[n->message[i].track->base];
    for (int i = 0; i < n->ntracks; i++)
        if (n->track[i].lines)
            n->track[n->track[i].base] = n->track[i];
    n->ntracks = kept;
}

int shm_finish(shm **n, const bound *b)
{
    add_messages(*n, b);
    if (!(*n)->messages) {
        shm_free(n);
        return MPI_SUCCESS;
    }
    gather_tracks(*n, b->sched);
    make_acks(*n, b->sched);
    return make_packed(*n, b->sched);
}

/* A queue is of one peer and direction. */
static void take_common_rings(shm *n, const sched *s)
{
    for (int i = 0; i < s->nsteps; i++) {
        const step *st = &s->steps[i];
        shm_peer *peer = step_is_message(st) ? n->message[st->message].peer : NULL;

        for (int kind = 0; peer && kind < RING_KINDS; kind++) {
            ring *r = st->kind == STEP_SEND ? &peer->out[kind] : &peer->in[kind];
            n->track[RING_KINDS * st->queue + kind].ring = r->lines ? r : NULL;
        }
    }
}

int shm_make(shm **n, const bound *b, const shm_peers *l, bool own)
{
    int error;

    if (!l)
        shm_free(n);
    if (!l)
        return MPI_SUCCESS;
    *n = allocate_shm(*n, b->sched, own);
    if (!*n)
        return MPI_ERR_NO_MEM;
    error = find_peers(*n, b, l);
    if (error)
        shm_free(n);
    return error;
}

int shm_address(shm **n, const bound *b, const shm_peers *l)
{
    int error = shm_make(n, b, l, false);

    if (error || !*n)
        return error;
    take_common_rings(*n, b->sched);
    error = shm_finish(n, b);
    if (error)
        shm_free(n);
    return error;
}

void shm_free(shm **n)
{
    if (*n)
        let_go(*n);
    free(*n);
    *n = NULL;
}
