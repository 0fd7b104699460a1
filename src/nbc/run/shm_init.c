/* SPDX-License-Identifier: BSD-3-Clause */
/* shm_init.c - the rings of a persistent request: see shm.h. */
#include "nbc/run/shm.h"

#include "nbc/comm/hooks.h"
#include "nbc/process/clock.h"
#include "nbc/process/env.h"
#include "nbc/process/process.h"
#include "nbc/process/watch.h"

/* Lines for a message that is exposed: enough if it cannot be read and comes through the ring. */
enum { EXPOSED_LINES = 64 };

/* Lines of the candidates of every track. Returns how many rings this process makes for them. */
static int count_lines(shm *n, const sched *s)
{
    int rings = 0;

    for (int i = 0; i < s->nsteps; i++) {
        const step *st = &s->steps[i];
        const shm_message *m = step_is_message(st) ? &n->message[st->message] : NULL;
        if (m && m->peer) {
            ring_kind kind = m->bytes <= RING_SMALL ? RING_OF_LINES : RING_OF_BLOCKS;
            uint64_t lines = ring_lines(kind, m->bytes);
            bool exposed = m->peer->both_read_all && m->bytes > m->peer->eager;
            shm_track *t = &n->track[RING_KINDS * st->queue + (int)kind];

            rings += st->kind == STEP_RECV && t->lines == 0;
            t->lines += exposed && lines > EXPOSED_LINES ? EXPOSED_LINES : lines;
        }
    }
    return rings;
}

/* What an init waits for, for TUTTI_TIMEOUT. */
typedef struct waiting {
    const char *collective;
    int rank;
    double opened;
    bool reported;
    int idle;
} waiting;

/* The clock of watch.h is the engine's. */
static void watch(waiting *w)
{
    if (!watch_on || w->reported || !engine_try_enter())
        return;
    watch_tick();
    w->reported = watch_too_long(w->opened);
    if (w->reported)
        env_say_here("%s: init pending for %.1f s: not called yet on this communicator by rank %d",
                     w->collective, watch_since(w->opened), w->rank);
    engine_leave();
}

/* Operations advance, and messages of the program's when this takes longer. */
static void wait_turn_for_peer(waiting *w)
{
    comm_above.idle_turn(&w->idle);
    watch(w);
}

/* Make the rings of a queue of receives, and publish them when the sender has read the previous
 * descriptor: it does so in an init that is over here, so that it waits for nobody. */
static int publish_rings(shm *n, int queue, const shm_peers *l, shm_peer *peer, size_t room,
                         waiting *w)
{
    own_ring *in = &n->in[RING_KINDS * queue];
    shm_track *t = &n->track[RING_KINDS * queue];
    bool good = true;

    while (!shm_peer_has_read(peer) && !l->broken)
        wait_turn_for_peer(w);
    if (l->broken)
        return l->broken;
    for (int kind = 0; kind < RING_KINDS; kind++) {
        good &= own_ring_make(&in[kind], (ring_kind)kind, t[kind].lines, room);
        t[kind] = (shm_track){.ring = in[kind].memory ? &in[kind].ring : NULL};
    }
    shm_peer_publish(peer, in, l->inits + 1);
    return good ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static int await_rings(shm *n, int queue, const shm_peers *l, shm_peer *peer, waiting *w)
{
    ring *out = &n->out[RING_KINDS * queue];
    shm_track *t = &n->track[RING_KINDS * queue];

    while (!shm_peer_poll(peer, out)) {
        if (l->broken)
            return l->broken;
        wait_turn_for_peer(w);
    }
    for (int kind = 0; kind < RING_KINDS; kind++)
        t[kind] = (shm_track){.ring = out[kind].lines ? &out[kind] : NULL};
    return MPI_SUCCESS;
}

/* Publish the rings of every queue of receives, or await those of every queue of sends. room: bytes
 * of each ring. */
static int exchange_all(shm *n, const sched *s, const shm_peers *l, step_kind kind, size_t room,
                        const char *collective)
{
    int error = MPI_SUCCESS;

    for (int i = 0; i < s->nsteps; i++) {
        const step *st = &s->steps[i];
        shm_peer *peer = st->kind == kind ? n->message[st->message].peer : NULL;
        waiting w = {.collective = collective, .rank = st->peer};
        int one = MPI_SUCCESS;

        if (!peer || n->exchanged[st->queue])
            continue;
        n->exchanged[st->queue] = true;
        w.opened = watch_on ? clock_now() : 0;
        if (kind == STEP_RECV)
            one = publish_rings(n, st->queue, l, peer, room, &w);
        else
            one = await_rings(n, st->queue, l, peer, &w);
        error = error ? error : one;
    }
    return error;
}

int shm_publish(shm **n, const bound *b, const shm_peers *l, const char *collective)
{
    int error, rings, published;

    shm_free(n);
    error = shm_make(n, b, l, true);
    if (error || !*n)
        return error;
    error = shm_reserve(*n, b);
    rings = count_lines(*n, b->sched);
    published =
        exchange_all(*n, b->sched, l, STEP_RECV, rings ? own_rings_room(rings) : 0, collective);
    return error ? error : published;
}

int shm_await(shm **n, const bound *b, const shm_peers *l, const char *collective)
{
    if (!*n)
        return MPI_SUCCESS;
    int error = exchange_all(*n, b->sched, l, STEP_SEND, 0, collective);

    return error ? error : shm_finish(n, b);
}

/* Others may write to its rings: their memory is never used again. */
void shm_abandon(shm **n)
{
    for (int i = 0; *n && i < (*n)->nrings; i++)
        (*n)->in[i].memory = NULL;
    shm_free(n);
}
