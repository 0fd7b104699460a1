/* near.c - see near.h. */
#include "nbc/run/near.h"

#include "nbc/comm/comm.h"
#include "nbc/comm/hooks.h"
#include "nbc/run/piece.h"
#include "nbc/run/wire.h"

#include <stdlib.h>

/* Tuning: longer messages are MPI's, which copies them once. */
enum { NEAR_MOST = 65536 };

/* ---- which messages, and where ---- */

static int64_t message_bytes(const exec *e, const step *st)
{
    return wire_bytes(&e->bound, st);
}

/* The way of a message that may go through a ring, or NULL. */
static struct node_link *way_of(const exec *e, const step *st)
{
    struct node_link *way = links_to(e->comm->links, st->peer);

    if (!way || e->bound.messages[st->message].empty || message_bytes(e, st) > NEAR_MOST)
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
static struct near *make(const sched *s, bool own)
{
    size_t m = (size_t)s->nmessages, tracks = RING_KINDS * (size_t)s->nqueues;
    size_t rings = own ? tracks : 0;
    size_t size = sizeof(struct near) + m * (sizeof(near_message) + sizeof(int32_t)) +
                  tracks * sizeof(near_track) + rings * (sizeof(own_ring) + sizeof(ring)) + 96;
    struct near *n = calloc(1, size);
    char *at = (char *)n;

    if (!n)
        return NULL;
    place(&at, 1, sizeof *n);
    n->message = place(&at, m, sizeof *n->message);
    n->track = place(&at, tracks, sizeof *n->track);
    n->open = place(&at, m, sizeof *n->open);
    n->in = place(&at, rings, sizeof *n->in);
    n->out = place(&at, rings, sizeof *n->out);
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
static void add_messages(exec *e)
{
    const sched *s = e->bound.sched;
    struct near *n = e->near;

    for (int i = 0; i < s->nsteps; i++) {
        const step *st = &s->steps[i];
        near_message *m;
        near_track *t;
        uint64_t lines;

        if (!step_is_message(st) || !way_of(e, st))
            continue;
        m = &n->message[st->message];
        m->bytes = message_bytes(e, st);
        lines = ring_lines(m->bytes);
        t = &n->track[RING_KINDS * st->queue + (int)ring_kind_of(m->bytes)];
        if (!t->ring || !ring_fits(lines, t->ring->lines))
            continue;
        m->track = t;
        m->before = t->lines;
        t->lines += lines;
        find_run(&e->bound, st, m);
        n->messages++;
        n->bytes += m->bytes;
    }
}

/* Room for the largest message that is packed. */
static int make_packed(struct near *n, const sched *s)
{
    int64_t most = 0;

    for (int i = 0; i < s->nmessages; i++)
        if (n->message[i].track && n->message[i].space < 0 && n->message[i].bytes > most)
            most = n->message[i].bytes;
    n->packed = most ? malloc((size_t)most) : NULL;
    return most && !n->packed ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

/* Only tracks that carry anything stay. */
static void gather_tracks(struct near *n, const sched *s)
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
static int finish(exec *e)
{
    struct near *n = e->near;
    int error;

    add_messages(e);
    gather_tracks(n, e->bound.sched);
    error = make_packed(n, e->bound.sched);
    if (error || !n->messages)
        near_free(e);
    return error;
}

/* A queue is of one peer and direction. */
static void take_ways(exec *e)
{
    const sched *s = e->bound.sched;

    for (int i = 0; i < s->nsteps; i++) {
        const step *st = &s->steps[i];
        struct node_link *way = step_is_message(st) ? way_of(e, st) : NULL;

        for (int kind = 0; way && kind < RING_KINDS; kind++) {
            ring *r = st->kind == STEP_SEND ? &way->out[kind] : &way->in[kind];
            e->near->track[RING_KINDS * st->queue + kind].ring = r->lines ? r : NULL;
        }
    }
}

int near_address(exec *e)
{
    near_free(e);
    if (!e->comm->links)
        return MPI_SUCCESS;
    e->near = make(e->bound.sched, false);
    if (!e->near)
        return MPI_ERR_NO_MEM;
    take_ways(e);
    return finish(e);
}

void near_free(exec *e)
{
    struct near *n = e->near;

    for (int i = 0; n && i < n->nrings; i++)
        own_ring_free(&n->in[i]);
    if (n)
        free(n->packed);
    free(n);
    e->near = NULL;
}

/* ---- a persistent request ---- */

/* Lines of the candidates of every track. */
static void count_lines(exec *e)
{
    const sched *s = e->bound.sched;

    for (int i = 0; i < s->nsteps; i++) {
        const step *st = &s->steps[i];
        if (step_is_message(st) && way_of(e, st)) {
            int64_t bytes = message_bytes(e, st);
            e->near->track[RING_KINDS * st->queue + (int)ring_kind_of(bytes)].lines +=
                ring_lines(bytes);
        }
    }
}

static bool has_lines(const near_track *t)
{
    return t[RING_OF_LINES].lines || t[RING_OF_BLOCKS].lines;
}

/* Make the rings of a queue of receives, and tell the sender. */
static int tell(exec *e, int queue, struct node_link *way)
{
    struct near *n = e->near;
    own_ring *in = &n->in[RING_KINDS * queue];
    near_track *t = &n->track[RING_KINDS * queue];
    bool good = true;

    for (int kind = 0; kind < RING_KINDS; kind++) {
        good &= own_ring_make(&in[kind], (ring_kind)kind, t[kind].lines);
        t[kind] = (near_track){.ring = in[kind].memory ? &in[kind].ring : NULL};
    }
    for (int idle = 0; !link_tell(way, in);)
        comm_above.idle_turn(&idle);
    return good ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static void hear(exec *e, int queue, struct node_link *way)
{
    ring *out = &e->near->out[RING_KINDS * queue];
    near_track *t = &e->near->track[RING_KINDS * queue];

    for (int idle = 0; !link_hear(way, out);)
        comm_above.idle_turn(&idle);
    for (int kind = 0; kind < RING_KINDS; kind++)
        t[kind] = (near_track){.ring = out[kind].lines ? &out[kind] : NULL};
}

/* All receivers tell before anybody waits for them. */
static int exchange(exec *e, step_kind kind, bool *done)
{
    const sched *s = e->bound.sched;
    int error = MPI_SUCCESS;

    for (int i = 0; i < s->nsteps; i++) {
        const step *st = &s->steps[i];
        struct node_link *way = st->kind == kind ? way_of(e, st) : NULL;
        int one = MPI_SUCCESS;

        if (!way || done[st->queue] || !has_lines(&e->near->track[RING_KINDS * st->queue]))
            continue;
        done[st->queue] = true;
        if (kind == STEP_RECV)
            one = tell(e, st->queue, way);
        else
            hear(e, st->queue, way);
        error = error ? error : one;
    }
    return error;
}

int near_init(exec *e)
{
    bool *done;
    int error;

    near_free(e);
    exec_forget_address(e); /* for whom it serves next */
    if (!e->comm->links)
        return MPI_SUCCESS;
    e->near = make(e->bound.sched, true);
    done = calloc((size_t)e->bound.sched->nqueues + 1, sizeof *done);
    error = e->near && done ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    if (!error) {
        count_lines(e);
        error = exchange(e, STEP_RECV, done);
        exchange(e, STEP_SEND, done);
    }
    free(done);
    if (!error)
        error = finish(e);
    if (error)
        near_free(e);
    return error;
}

/* ---- run ---- */

static char *run_of(const exec *e, const near_message *m)
{
    return m->space < 0 ? e->near->packed : e->bound.base[m->space] + m->offset;
}

static bool try_send(exec *e, const step *st, int *error)
{
    near_message *m = &e->near->message[st->message];
    near_track *t = m->track;
    uint64_t position = t->base + m->before;

    if (!ring_room(t->ring, position, ring_lines(m->bytes)))
        return false;
    if (m->space < 0)
        *error = wire_gather(&e->bound, st, e->near->packed);
    ring_put(t->ring, position, run_of(e, m), m->bytes);
    return true;
}

/* What is packed is read when all of it is there: one buffer serves all messages. */
static bool try_receive(exec *e, const step *st, int *error)
{
    near_message *m = &e->near->message[st->message];
    near_track *t = m->track;
    uint64_t position = t->base + m->before;
    ring_state state = RING_COMPLETE;

    if (m->space < 0)
        state = ring_look(t->ring, position, m->bytes);
    if (state == RING_COMPLETE)
        state = ring_get(t->ring, position, run_of(e, m), m->bytes, &m->done);
    if (state == RING_EMPTY)
        return false;
    m->done = 0;
    if (state == RING_OTHER)
        *error = MPI_ERR_TRUNCATE;
    else if (m->space < 0)
        *error = wire_scatter(&e->bound, st, e->near->packed);
    return true;
}

static bool try_message(exec *e, int index, int *error)
{
    const step *st = &e->bound.sched->steps[index];

    *error = MPI_SUCCESS;
    return st->kind == STEP_SEND ? try_send(e, st, error) : try_receive(e, st, error);
}

bool near_post(exec *e, int index, int *error)
{
    if (try_message(e, index, error))
        return true;
    e->near->open[e->near->nopen++] = index;
    return false;
}

int near_poll(exec *e)
{
    struct near *n = e->near;
    int found = 0;

    for (int i = 0; i < n->nopen;) {
        int index = n->open[i], error;

        if (!try_message(e, index, &error)) {
            i++;
            continue;
        }
        n->open[i] = n->open[--n->nopen];
        e->run.finished[found++] = (struct finished){.step = index, .error = error};
    }
    return found;
}

bool near_is_open(const exec *e, int index)
{
    for (int i = 0; i < e->near->nopen; i++)
        if (e->near->open[i] == index)
            return true;
    return false;
}
