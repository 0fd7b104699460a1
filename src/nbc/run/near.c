/* near.c - see near.h. */
#include "nbc/run/near.h"

#include "nbc/comm/channel.h"
#include "nbc/comm/hooks.h"
#include "nbc/run/piece.h"
#include "nbc/run/wire.h"

#include <stdlib.h>

/* Tuning: longer messages are MPI's, which copies them once. */
enum { NEAR_MOST = 65536 };

/* ---- which messages, and where ---- */

/* The way of a message that may go through a ring, or NULL. */
static node_link *way_of(const bound *b, const links *l, const step *st)
{
    node_link *way = links_to(l, st->peer);

    if (!way || b->messages[st->message].empty || wire_bytes(b, st) > NEAR_MOST)
        return NULL;
    return (st->kind == STEP_SEND ? way->to : way->from) ? way : NULL;
}

static void *place(char **at, size_t n, size_t size)
{
    void *here = *at;

    *at += (n * size + 15) / 16 * 16;
    return here;
}

/* All arrays in one block. Tracks lie by queue and kind until they are gathered. */
static near *make(const sched *s, bool own)
{
    size_t m = (size_t)s->nmessages, tracks = RING_KINDS * (size_t)s->nqueues;
    size_t rings = own ? tracks : 0;
    size_t size = sizeof(near) + m * (sizeof(near_message) + sizeof(int32_t)) +
                  tracks * sizeof(near_track) + rings * (sizeof(own_ring) + sizeof(ring)) +
                  (size_t)s->nqueues + 112;
    near *n = calloc(1, size);
    char *at = (char *)n;

    if (!n)
        return NULL;
    place(&at, 1, sizeof *n);
    n->message = place(&at, m, sizeof *n->message);
    n->track = place(&at, tracks, sizeof *n->track);
    n->open = place(&at, m, sizeof *n->open);
    n->in = place(&at, rings, sizeof *n->in);
    n->out = place(&at, rings, sizeof *n->out);
    n->turn = place(&at, (size_t)s->nqueues, sizeof *n->turn);
    n->own = own;
    n->nrings = (int)rings;
    n->ntracks = (int)tracks;
    return n;
}

/* Where the data of a step is one run of bytes. */
static void find_run(const bound *b, const step *st, near_message *m)
{
    piece x = piece_at(b, st, 0);

    m->space = -1;
    if (st->n > 1 || !datatype_is_run(x.type))
        return;
    m->space = (int8_t)b->sched->list[st->first].space;
    m->offset = x.offset;
}

/* The ring is decided for every track: which messages go through it? */
static void add_messages(near *n, const bound *b, const links *l)
{
    const sched *s = b->sched;

    for (int i = 0; i < s->nsteps; i++) {
        const step *st = &s->steps[i];
        near_message *m;
        near_track *t;
        uint64_t lines;

        if (!step_is_message(st) || !way_of(b, l, st))
            continue;
        m = &n->message[st->message];
        m->bytes = wire_bytes(b, st);
        lines = ring_lines(m->bytes);
        t = &n->track[RING_KINDS * st->queue + (int)ring_kind_of(m->bytes)];
        if (!t->ring || !ring_fits(lines, t->ring->lines))
            continue;
        m->track = t;
        m->before = t->lines;
        t->lines += lines;
        find_run(b, st, m);
        n->messages++;
        n->bytes += m->bytes;
    }
}

/* Room for the largest message that is packed. */
static int make_packed(near *n, const sched *s)
{
    int64_t most = 0;

    for (int i = 0; i < s->nmessages; i++)
        if (n->message[i].track && n->message[i].space < 0 && n->message[i].bytes > most)
            most = n->message[i].bytes;
    n->packed = most ? malloc((size_t)most) : NULL;
    return most && !n->packed ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

/* Only tracks that carry anything stay. */
static void gather_tracks(near *n, const sched *s)
{
    int kept = 0;

    for (int i = 0; i < n->ntracks; i++) {
        if (!n->track[i].lines)
            continue;
        for (int k = 0; k < s->nmessages && kept != i; k++)
            if (n->message[k].track == &n->track[i])
                n->message[k].track = &n->track[kept];
        n->track[kept++] = n->track[i];
    }
    n->ntracks = kept;
}

/* Complete what has got its rings. Without a message there is no need for any of it. */
static int finish(near **n, const bound *b, const links *l)
{
    int error;

    add_messages(*n, b, l);
    gather_tracks(*n, b->sched);
    error = make_packed(*n, b->sched);
    if (error || !(*n)->messages)
        near_free(n);
    return error;
}

/* A queue is of one peer and direction. */
static void take_ways(near *n, const bound *b, const links *l)
{
    const sched *s = b->sched;

    for (int i = 0; i < s->nsteps; i++) {
        const step *st = &s->steps[i];
        node_link *way = step_is_message(st) ? way_of(b, l, st) : NULL;

        for (int kind = 0; way && kind < RING_KINDS; kind++) {
            ring *r = st->kind == STEP_SEND ? &way->out[kind] : &way->in[kind];
            n->track[RING_KINDS * st->queue + kind].ring = r->lines ? r : NULL;
        }
    }
}

int near_address(near **n, const bound *b, const links *l)
{
    near_free(n);
    if (!l)
        return MPI_SUCCESS;
    *n = make(b->sched, false);
    if (!*n)
        return MPI_ERR_NO_MEM;
    take_ways(*n, b, l);
    return finish(n, b, l);
}

void near_free(near **n)
{
    for (int i = 0; *n && i < (*n)->nrings; i++)
        own_ring_free(&(*n)->in[i]);
    if (*n)
        free((*n)->packed);
    free(*n);
    *n = NULL;
}

/* ---- a persistent request ---- */

/* Lines of the candidates of every track. */
static void count_lines(near *n, const bound *b, const links *l)
{
    const sched *s = b->sched;

    for (int i = 0; i < s->nsteps; i++) {
        const step *st = &s->steps[i];
        if (step_is_message(st) && way_of(b, l, st)) {
            int64_t bytes = wire_bytes(b, st);
            n->track[RING_KINDS * st->queue + (int)ring_kind_of(bytes)].lines += ring_lines(bytes);
        }
    }
}

/* Make the rings of a queue of receives, and tell the sender. */
static int tell(near *n, int queue, node_link *way)
{
    own_ring *in = &n->in[RING_KINDS * queue];
    near_track *t = &n->track[RING_KINDS * queue];
    bool good = true;

    for (int kind = 0; kind < RING_KINDS; kind++) {
        good &= own_ring_make(&in[kind], (ring_kind)kind, t[kind].lines);
        t[kind] = (near_track){.ring = in[kind].memory ? &in[kind].ring : NULL};
    }
    link_tell(way, in);
    return good ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* Operations advance, and messages of the program's. */
static void wait_turn(int *idle)
{
    comm_above.idle_turn(idle);
    channel_poke();
}

static void hear(near *n, int queue, node_link *way)
{
    ring *out = &n->out[RING_KINDS * queue];
    near_track *t = &n->track[RING_KINDS * queue];

    for (int idle = 0; !link_hear(way, out);)
        wait_turn(&idle);
    for (int kind = 0; kind < RING_KINDS; kind++)
        t[kind] = (near_track){.ring = out[kind].lines ? &out[kind] : NULL};
}

/* The sender has heard. */
static void settle(const node_link *way)
{
    for (int idle = 0; !link_told(way);)
        wait_turn(&idle);
}

typedef enum exchange { TELL, HEAR, SETTLE } exchange;

/* One turn for every queue of this kind that has anything to tell. */
static int exchange_all(near *n, const bound *b, const links *l, exchange what)
{
    const sched *s = b->sched;
    step_kind kind = what == HEAR ? STEP_SEND : STEP_RECV;
    int error = MPI_SUCCESS;

    for (int i = 0; i < s->nsteps; i++) {
        const step *st = &s->steps[i];
        node_link *way = st->kind == kind ? way_of(b, l, st) : NULL;
        int one = MPI_SUCCESS;

        if (!way || n->turn[st->queue] != (what == SETTLE))
            continue;
        n->turn[st->queue]++;
        if (what == TELL)
            one = tell(n, st->queue, way);
        else if (what == HEAR)
            hear(n, st->queue, way);
        else
            settle(way);
        error = error ? error : one;
    }
    return error;
}

/* All receivers tell before anybody waits for them. */
int near_init(near **n, const bound *b, const links *l)
{
    int error;

    near_free(n);
    if (!l)
        return MPI_SUCCESS;
    *n = make(b->sched, true);
    if (!*n)
        return MPI_ERR_NO_MEM;
    count_lines(*n, b, l);
    error = exchange_all(*n, b, l, TELL);
    exchange_all(*n, b, l, HEAR);
    exchange_all(*n, b, l, SETTLE);
    if (!error)
        error = finish(n, b, l);
    if (error)
        near_free(n);
    return error;
}

/* ---- run ---- */

static char *run_of(const near *n, const bound *b, const near_message *m)
{
    return m->space < 0 ? n->packed : b->base[m->space] + m->offset;
}

static bool try_send(near *n, const bound *b, const step *st, int *error)
{
    near_message *m = &n->message[st->message];
    near_track *t = m->track;
    uint64_t position = t->base + m->before;

    if (!ring_room(t->ring, position, ring_lines(m->bytes)))
        return false;
    if (m->space < 0)
        *error = wire_gather(b, st, n->packed);
    ring_put(t->ring, position, run_of(n, b, m), m->bytes);
    return true;
}

/* What is packed is read when all of it is there: one buffer serves all messages. */
static bool try_receive(near *n, const bound *b, const step *st, int *error)
{
    near_message *m = &n->message[st->message];
    near_track *t = m->track;
    uint64_t position = t->base + m->before;
    ring_state state = RING_COMPLETE;

    if (!m->done && !ring_begun(t->ring, position))
        return false;
    if (m->space < 0)
        state = ring_look(t->ring, position, m->bytes);
    if (state == RING_COMPLETE)
        state = ring_get(t->ring, position, run_of(n, b, m), m->bytes, &m->done);
    if (state == RING_EMPTY)
        return false;
    m->done = 0;
    if (state == RING_OTHER)
        *error = MPI_ERR_TRUNCATE;
    else if (m->space < 0)
        *error = wire_scatter(b, st, n->packed);
    return true;
}

static bool try_message(near *n, const bound *b, int index, int *error)
{
    const step *st = &b->sched->steps[index];

    *error = MPI_SUCCESS;
    return st->kind == STEP_SEND ? try_send(n, b, st, error) : try_receive(n, b, st, error);
}

bool near_post(near *n, const bound *b, int index, int *error)
{
    if (try_message(n, b, index, error))
        return true;
    n->open[n->nopen++] = index;
    return false;
}

int near_poll(near *n, const bound *b, struct finished *finished)
{
    int found = 0;

    for (int i = 0; i < n->nopen;) {
        int index = n->open[i], error;

        if (!try_message(n, b, index, &error)) {
            i++;
            continue;
        }
        n->open[i] = n->open[--n->nopen];
        finished[found++] = (struct finished){.step = index, .error = error};
    }
    return found;
}

bool near_is_open(const near *n, int index)
{
    for (int i = 0; i < n->nopen; i++)
        if (n->open[i] == index)
            return true;
    return false;
}
