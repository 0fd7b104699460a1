/* SPDX-License-Identifier: BSD-3-Clause */
/* tune_pair.c - messages between two ranks: latency, overhead and bandwidth, and up to which length
 * their senders do not wait for their receivers. See tune_measure.h.
 */
#include "tune_turns.h"

#include <math.h>
#include <stdlib.h>
#include <tutti.h>

enum {
    MANY = 33, /* messages of one start */
    FEW_BYTES = 8,
};

/* One message, or MANY at a time, from rank `from`: a persistent request of ours, or messages of
 * the MPI's own. */
typedef struct message {
    MPIX_Request ours; /* MPIX_REQUEST_NULL: the MPI's */
    MPI_Request theirs[MANY];
    size_t bytes;
    int from, n;
} message;

typedef struct pair {
    MPI_Comm comm, graph; /* MPI_COMM_NULL: messages of the MPI's own */
    int rank, tries;
    char *out, *in; /* of rank 0; rank 1 has them for what it gets and answers */
    message pong, ping, many, length[2];
} pair;

static message message_make(pair *p, size_t bytes, int from)
{
    message m = {.ours = MPIX_REQUEST_NULL, .bytes = bytes, .from = from, .n = 1};

    if (p->graph != MPI_COMM_NULL)
        MPIX_Bcast_binomial_init(from == 0 ? p->out : p->in, (int)bytes, MPI_BYTE, from, p->comm,
                                 MPI_INFO_NULL, &m.ours);
    return m;
}

/* Several messages of one start: an edge for each, all of one weight. */
static void pair_make_graph(pair *p)
{
    int other[MANY], weight[MANY], in = p->rank ? MANY : 0;

    for (int i = 0; i < MANY; i++) {
        other[i] = 1 - p->rank;
        weight[i] = 1;
    }
    MPI_Dist_graph_create_adjacent(p->comm, in, other, weight, MANY - in, other, weight,
                                   MPI_INFO_NULL, 0, &p->graph);
}

static message message_make_many(pair *p)
{
    message m = {.ours = MPIX_REQUEST_NULL, .bytes = FEW_BYTES, .n = MANY};

    if (p->graph != MPI_COMM_NULL)
        MPIX_Neighbor_alltoall_linear_init(p->out, FEW_BYTES, MPI_BYTE, p->in, FEW_BYTES, MPI_BYTE,
                                           p->graph, MPI_INFO_NULL, &m.ours);
    return m;
}

static void message_start(pair *p, message *m)
{
    char *buffer = m->from == 0 ? p->out : p->in;

    if (m->ours != MPIX_REQUEST_NULL) {
        MPIX_Start(&m->ours);
        return;
    }
    for (int i = 0; i < m->n; i++, buffer += m->bytes)
        if (p->rank == m->from)
            MPI_Isend(buffer, (int)m->bytes, MPI_BYTE, 1 - p->rank, 0, p->comm, &m->theirs[i]);
        else
            MPI_Irecv(buffer, (int)m->bytes, MPI_BYTE, 1 - p->rank, 0, p->comm, &m->theirs[i]);
}

static void message_wait(message *m)
{
    if (m->ours != MPIX_REQUEST_NULL)
        MPIX_Wait(&m->ours, MPI_STATUS_IGNORE);
    else
        MPI_Waitall(m->n, m->theirs, MPI_STATUSES_IGNORE);
}

/* Has it ended? */
static int message_test(message *m)
{
    int ended;

    if (m->ours != MPIX_REQUEST_NULL)
        MPIX_Test(&m->ours, &ended, MPI_STATUS_IGNORE);
    else
        MPI_Testall(m->n, m->theirs, &ended, MPI_STATUSES_IGNORE);
    return ended;
}

static void message_run(pair *p, message *m)
{
    message_start(p, m);
    message_wait(m);
}

static void message_free(message *m)
{
    if (m->ours != MPIX_REQUEST_NULL)
        MPIX_Request_free(&m->ours);
}

/* Seconds of a message and its answer, and of them those until its send has ended; once both ranks
 * are there. */
typedef struct trip {
    double all, send;
} trip;

static trip time_trips(pair *p, message *m, int calls)
{
    double begin, sent = 0;

    message_run(p, &p->ping);
    message_run(p, &p->pong);
    begin = MPI_Wtime();
    for (int i = 0; i < calls; i++) {
        double began = MPI_Wtime();
        message_run(p, m);
        sent += MPI_Wtime() - began;
        message_run(p, &p->pong);
    }
    return (trip){.all = (MPI_Wtime() - begin) / calls, .send = sent / calls};
}

static trip shorter_trip(trip a, trip b)
{
    return (trip){.all = smaller(a.all, b.all), .send = smaller(a.send, b.send)};
}

/* Two lengths, the longer one at most `longest`, and shorter where a message takes long. */
static size_t pair_make_lengths(pair *p, size_t longest)
{
    const double enough = 0.15;
    size_t bytes = longest < 1 << 16 ? longest : 1 << 16;
    double seconds;

    while (true) {
        p->length[1] = message_make(p, bytes, 0);
        time_trips(p, &p->length[1], 1);
        seconds = time_trips(p, &p->length[1], 1).all;
        MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, p->comm);
        if (seconds > enough || LONG_TO_SHORT * bytes > longest)
            break;
        message_free(&p->length[1]);
        bytes *= LONG_TO_SHORT;
    }
    p->length[0] = message_make(p, bytes / LONG_TO_SHORT, 0);
    p->tries = seconds > long_try ? 1 : TRIES;
    return bytes;
}

typedef struct turn {
    trip one, many, shorter, longer;
} turn;

static turn pair_take_turn(pair *p)
{
    enum { CALLS = 16 };
    const trip never = {HUGE_VAL, HUGE_VAL};
    turn t = {never, never, never, never};

    for (int i = 0; i < p->tries; i++) {
        t.one = shorter_trip(t.one, time_trips(p, &p->ping, CALLS));
        t.many = shorter_trip(t.many, time_trips(p, &p->many, CALLS));
        t.shorter = shorter_trip(t.shorter, time_trips(p, &p->length[0], 1));
        t.longer = shorter_trip(t.longer, time_trips(p, &p->length[1], 1));
    }
    return t;
}

static int quickest_small(const void *left, const void *right)
{
    const turn *a = left, *b = right;
    double x = a->one.all + a->many.all, y = b->one.all + b->many.all;

    return (x > y) - (x < y);
}

static int quickest_large(const void *left, const void *right)
{
    const turn *a = left, *b = right;
    double x = a->shorter.all + a->longer.all, y = b->shorter.all + b->longer.all;

    return (x > y) - (x < y);
}

/* The overhead of one of many messages. The sender's is how much later its send ends. Messages
 * follow each other as fast as the slower end can: in a node that is the receiver, and the mean of
 * both is what a rank that sends and receives has to do. A slow network lets even small messages
 * through one by one. Both ends of one message cannot take longer than all its way: where a sender
 * delivers it itself (a kernel's network between hosts that it emulates), it all is overhead. */
static double overhead_of(const turn *t, bool network)
{
    double send = (t->many.send - t->one.send) / (MANY - 1);
    double all = (t->many.all - t->one.all) / (MANY - 1);
    double mean = smaller(network ? send : (send + all) / 2, t->one.all / 4);

    return mean > 0 ? mean : 0;
}

/* A message's way there is half of the way there and back. */
static void find_small(turn t[], int n, bool network, pair_figures *f)
{
    double x[TURNS_MOST];
    int good = turns_good(n);

    qsort(t, (size_t)n, sizeof *t, quickest_small);
    for (int i = 0; i < good; i++)
        x[i] = overhead_of(&t[i], network);
    f->overhead = turns_figure(x, good, n);
    for (int i = 0; i < good; i++) {
        double way = t[i].one.all / 2 - 2 * f->overhead.value;
        x[i] = way > 0 ? way : 0;
    }
    f->latency = turns_figure(x, good, n);
}

static void find_large(turn t[], int n, pair_figures *f)
{
    double x[TURNS_MOST], bytes = f->longest - f->longest / LONG_TO_SHORT;
    int rates = 0, good = turns_good(n);

    qsort(t, (size_t)n, sizeof *t, quickest_large);
    for (int i = 0; i < good; i++)
        turns_rate(x, &rates, bytes, t[i].longer.all - t[i].shorter.all);
    f->bandwidth = turns_figure(x, rates, n);
}

static void pair_take_turns(pair *p, bool network, pair_figures *f)
{
    turn turns[TURNS_MOST];
    double begin = MPI_Wtime();
    int n = 0;

    pair_take_turn(p);
    for (; turns_again(p->comm, n, begin); n++)
        turns[n] = pair_take_turn(p);
    find_small(turns, n, network, f);
    find_large(turns, n, f);
}

/* Does a send of so many bytes end before its receive begins? Yes is sure; no may be a rank that
 * did not run, so it is asked again. */
static bool ends_alone(pair *p, size_t bytes, double patience)
{
    message m = message_make(p, bytes, 0);
    int ended = 0;

    for (int turn = 0; turn < 3 && !ended; turn++) {
        if (p->rank == 0) {
            double begin = MPI_Wtime();
            message_start(p, &m);
            do
                ended = message_test(&m);
            while (!ended && MPI_Wtime() - begin < patience);
        }
        MPI_Bcast(&ended, 1, MPI_INT, 0, p->comm);
        if (p->rank == 1)
            message_start(p, &m);
        message_wait(&m);
    }
    message_free(&m);
    return ended;
}

/* How long an answer to that is waited for: rank 0 knows. */
static bool waits_not(pair *p, size_t bytes, const pair_figures *f)
{
    double patience = 0.02 + (f->bandwidth.n ? 4 * (double)bytes / f->bandwidth.value : 0);

    MPI_Bcast(&patience, 1, MPI_DOUBLE, 0, p->comm);
    return ends_alone(p, bytes, patience);
}

/* The longest one up to `longest` that does, to an eighth. */
static void find_eager(pair *p, size_t longest, pair_figures *f)
{
    size_t good = 0, bad = 64, step;

    while (bad <= longest && waits_not(p, bad, f)) {
        good = bad;
        bad *= 2;
    }
    step = bad <= longest ? good / 2 : 0;
    for (size_t least = good / 8; step >= least && step > 0; step /= 2)
        if (waits_not(p, good + step, f))
            good += step;
        else
            bad = good + step;
    f->eager = (figure){.value = (double)good, .low = (double)good, .high = (double)bad, .n = 1};
}

/* Does its receiver read a message where it is, if it may? Then its send waits for that; copied, it
 * would not. */
static bool pair_reads(pair *p)
{
    enum { BYTES = 16384 };
    bool waits;

    tune_node_eager(p->comm, 0);
    waits = !ends_alone(p, BYTES, 0.02);
    tune_node_eager(p->comm, 1e15);
    return waits && ends_alone(p, BYTES, 0.02);
}

pair_figures measure_pair(MPI_Comm comm, pair_way way, size_t longest)
{
    pair p = {.comm = comm, .graph = MPI_COMM_NULL};
    size_t room = longest > MANY * FEW_BYTES ? longest : MANY * FEW_BYTES;
    pair_figures f = {0};
    size_t bytes;

    MPI_Comm_rank(comm, &p.rank);
    p.out = tune_allocate(room);
    p.in = tune_allocate(room);
    if (way != PAIR_MPI)
        pair_make_graph(&p);
    f.reads = way == PAIR_NODE && pair_reads(&p);
    if (f.reads) {
        f.eager = measure_reads(comm, longest);
        tune_node_eager(comm, f.eager.value);
    }
    p.ping = message_make(&p, FEW_BYTES, 0);
    p.pong = message_make(&p, FEW_BYTES, 1);
    p.many = message_make_many(&p);
    bytes = pair_make_lengths(&p, longest);
    f.longest = (double)bytes;
    pair_take_turns(&p, way == PAIR_NETWORK, &f);
    if (!f.reads)
        find_eager(&p, bytes, &f);

    message *all[] = {&p.ping, &p.pong, &p.many, &p.length[0], &p.length[1]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        message_free(all[i]);
    if (p.graph != MPI_COMM_NULL)
        MPI_Comm_free(&p.graph);
    free(p.out);
    free(p.in);
    return f;
}
