/* SPDX-License-Identifier: BSD-3-Clause */
/* tune_machine.c - see tune_machine.h. Two ranks measure at a time, or those of a node, or of two;
 * the others sleep. */
#include "tune_machine.h"

#include "tune_locations.h"
#include "tune_measure.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tutti.h>

enum {
    IN_NODE = 1 << 20,        /* bytes of the longest message inside a node */
    TOGETHER = 1 << 18,       /* where several meet: longer ones may be the MPI's (run/shm.c) */
    IN_NETWORK = 1 << 22,     /* bytes of the longest message between nodes */
    TOGETHER_LEAST = 1 << 16, /* between nodes when the network is slow */
    SHORT = 1 << 10           /* where only latency is looked at */
};

/* ---- what is said ---- */

__attribute__((format(printf, 2, 3))) static void progress(const tuning *t, const char *format, ...)
{
    va_list list;

    if (t->rank != 0 || t->quiet)
        return;
    fprintf(stderr, "tutti-tune: %4.1f s: ", MPI_Wtime() - t->begin);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
}

static double *value_of(tuning *t, const char *name, char **note)
{
    int index;
    double *value = constants_find(&t->result, name, &index);

    *note = t->note[index] ? t->note[index] : tune_allocate(CONSTANTS_NOTE);
    t->note[index] = *note;
    return value;
}

/* The base's value stays. */
static void not_measured(tuning *t, const char *name, const char *why)
{
    char *note;

    value_of(t, name, &note);
    snprintf(note, CONSTANTS_NOTE, "not measured here: %s; from %s", why, t->base);
}

static void put(tuning *t, const char *name, figure f, const char *how)
{
    char *note;
    double *value = value_of(t, name, &note);

    if (f.n == 0) {
        not_measured(t, name, "every turn was disturbed");
        return;
    }
    *value = f.value;
    snprintf(note, CONSTANTS_NOTE, "median of %d of %d, quartiles %.3g to %.3g: %s", f.n, f.turns,
             f.low, f.high, how);
}

/* ---- who measures, and who sleeps ---- */

/* Until all have measured. Ranks that waited in MPI_Barrier would take the processors away. */
static void rest(void)
{
    const struct timespec nap = {.tv_nsec = 10000000};
    MPI_Request request;
    int done = 0;

    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE), !done)
        nanosleep(&nap, NULL);
}

/* Those that have a part, in its order; MPI_COMM_NULL for others. */
static MPI_Comm group_of(const tuning *t, int part)
{
    MPI_Comm comm;

    MPI_Comm_split(MPI_COMM_WORLD, part < 0 ? MPI_UNDEFINED : 0, part, &comm);
    if (comm != MPI_COMM_NULL)
        tune_node_eager(comm, t->result.way[WAY_NODE].eager);
    return comm;
}

static pair_figures of_pair(const tuning *t, two x, pair_way way, size_t longest)
{
    pair_figures f = {0};
    MPI_Comm comm = group_of(t, t->rank == x.a ? 0 : t->rank == x.b ? 1 : -1);

    if (comm != MPI_COMM_NULL) {
        f = measure_pair(comm, way, longest);
        MPI_Comm_free(&comm);
    }
    rest();
    MPI_Bcast(&f, sizeof f, MPI_BYTE, x.a, MPI_COMM_WORLD);
    return f;
}

/* The figure of the ranks that have a part. At least one has. */
static figure of_group(const tuning *t, const int part[], together_way way, size_t longest)
{
    MPI_Comm comm = group_of(t, part[t->rank]);
    figure f = {0};
    int first = 0;

    while (part[first] != 0)
        first++;
    if (comm != MPI_COMM_NULL) {
        f = measure_together(comm, way, longest);
        MPI_Comm_free(&comm);
    }
    rest();
    MPI_Bcast(&f, sizeof f, MPI_BYTE, first, MPI_COMM_WORLD);
    return f;
}

/* ---- what is measured ---- */

static void tune_local(tuning *t)
{
    figure f[2] = {{0}};

    progress(t, "copies and reductions");
    if (t->rank == 0)
        measure_local(&f[0], &f[1]);
    rest();
    put(t, "copy", f[0], "memcpy of 1 MiB");
    put(t, "reduce", f[1], "sums of 1 MiB of doubles");
}

static void put_pair(tuning *t, const char *way, const pair_figures *f, const char *who)
{
    char name[32], how[100];
    char *note;

    snprintf(how, sizeof how, "half of there and back, without overhead, %s", who);
    snprintf(name, sizeof name, "%s.latency", way);
    put(t, name, f->latency, how);
    snprintf(how, sizeof how, "of each of 33 messages of 8 bytes, %s", who);
    snprintf(name, sizeof name, "%s.overhead", way);
    put(t, name, f->overhead, how);
    snprintf(how, sizeof how, "%.0f bytes against a quarter, %s", f->longest, who);
    snprintf(name, sizeof name, "%s.bandwidth", way);
    put(t, name, f->bandwidth, how);
    snprintf(name, sizeof name, "%s.eager", way);
    *value_of(t, name, &note) = f->eager.value;
    if (f->reads)
        snprintf(note, CONSTANTS_NOTE,
                 "longest of 4 KiB, 8 ... that is not slower copied than read, %s", who);
    else
        snprintf(note, CONSTANTS_NOTE, "%s %.0f: longest send that ended without its receive, %s",
                 f->eager.high > f->longest ? "not looked for above" : "less than",
                 f->eager.high > f->longest ? f->longest : f->eager.high, who);
}

/* A way between two ranks. False: there are none, and `why` says so. */
static bool tune_way(tuning *t, const char *way, pair_way kind, two x, const char *why,
                     pair_figures *f)
{
    static const char *const names[] = {"latency", "overhead", "bandwidth", "eager"};
    char name[32], who[40];

    if (x.a < 0) {
        for (int i = 0; i < 4; i++) {
            snprintf(name, sizeof name, "%s.%s", way, names[i]);
            not_measured(t, name, why);
        }
        return false;
    }
    progress(t, "%s: messages between ranks %d and %d", way, x.a, x.b);
    *f = of_pair(t, x, kind, kind == PAIR_NETWORK ? IN_NETWORK : IN_NODE);
    snprintf(who, sizeof who, "ranks %d and %d", x.a, x.b);
    put_pair(t, way, f, who);
    return true;
}

/* Several messages cannot be slower than one of them: what says so is what disturbs them. */
static void put_shared(tuning *t, const char *name, figure f, const char *how, double alone)
{
    char text[100];

    if (f.n > 0 && f.value < alone) {
        snprintf(text, sizeof text, "%s, but %.3g", how, f.value);
        put(t, name, (figure){alone, alone, alone, f.n, f.turns}, text);
        return;
    }
    put(t, name, f, how);
}

/* How long a turn is on the cores that the ranks with a part share. */
static void tune_crowd(tuning *t, const int part[], int n)
{
    MPI_Comm comm = group_of(t, part[t->rank]);
    double cores = t->result.cores;
    figure f = {0};
    char how[64];
    int first = 0;

    while (part[first] != 0)
        first++;
    if (comm != MPI_COMM_NULL) {
        cores = cores > 0 ? cores : measure_cores(comm);
        if (cores < n)
            f = measure_crowd(comm);
        MPI_Comm_free(&comm);
    }
    rest();
    MPI_Bcast(&cores, 1, MPI_DOUBLE, first, MPI_COMM_WORLD);
    MPI_Bcast(&f, sizeof f, MPI_BYTE, first, MPI_COMM_WORLD);
    if (cores >= n) {
        not_measured(t, "node.turn", "no more ranks than cores on a node");
        return;
    }
    constants k = t->result;
    k.cores = cores;
    snprintf(how, sizeof how, "sums of 8 bytes by %d ranks on %g cores", n, cores);
    put(t, "node.turn", tune_turn(&k, n, f), how);
}

static void tune_node(tuning *t)
{
    const char *why = t->at.p > 1 ? "no two ranks of a node" : "one rank only";
    int *part = tune_allocate((size_t)t->at.p * sizeof *part);
    int n = locations_of_one_node(&t->at, part);
    char how[64];
    two together = locations_inner(&t->at), apart = locations_node(&t->at);
    pair_figures f = {0}, theirs;

    tune_way(t, "inner", PAIR_NODE, together,
             t->at.has_inner ? "no two ranks of a region inside a node"
                             : "no regions inside nodes are known",
             &f);
    tune_way(t, "node", PAIR_NODE, apart,
             n > 1 ? "all ranks of a node are of one region inside" : why, &f);
    tune_way(t, "mpi", PAIR_MPI, apart.a < 0 ? together : apart, why, &theirs);
    if (n > 1) {
        progress(t, "node: messages of %d ranks at a time", n);
        snprintf(how, sizeof how, "%d ranks, each 256 KiB to the next", n);
        put_shared(t, "node.shared", of_group(t, part, TOGETHER_RING, TOGETHER), how,
                   f.bandwidth.value);
        progress(t, "node: sums of %d ranks", n);
        tune_crowd(t, part, n);
    } else {
        not_measured(t, "node.shared", why);
        not_measured(t, "node.turn", why);
    }
    free(part);
}

/* As long as one alone, but for slow networks. */
static size_t length_of(const pair_figures *f, int pairs)
{
    const double enough = 0.4;
    size_t bytes = (size_t)f->longest;

    while (bytes > TOGETHER_LEAST && (double)bytes * pairs > enough * f->bandwidth.value)
        bytes /= 2;
    return bytes;
}

/* Messages that wait for their receive, both ways at a time; the slower of that and one way. */
static void tune_both(tuning *t, const int part[], const pair_figures *f, int pairs)
{
    size_t bytes = length_of(f, 8 * pairs), least = 2 * (size_t)f->eager.value;
    double *shared, *both;
    char how[96], *note;

    shared = value_of(t, "network.shared", &note);
    if (f->eager.high > f->longest) { /* none waits */
        both = value_of(t, "network.both", &note);
        *both = *shared;
        snprintf(note, CONSTANTS_NOTE, "as network.shared: no message waits for its receive");
        return;
    }
    progress(t, "network: messages both ways");
    bytes = bytes > least ? bytes : least;
    snprintf(how, sizeof how, "%d and %d ranks, each %zu bytes", pairs, pairs, bytes);
    put(t, "network.both", of_group(t, part, TOGETHER_BOTH, bytes), how);
    both = value_of(t, "network.both", &note);
    *both = *both < *shared ? *both : *shared;
}

static void put_switches(tuning *t, figure near, figure far, two x)
{
    figure f = {far.value - near.value, far.low - near.high, far.high - near.low, far.n, far.turns};
    char how[64];

    f.value = f.value > 0 ? f.value : 0;
    snprintf(how, sizeof how, "taken for one switch more, ranks %d and %d", x.a, x.b);
    put(t, "switch.latency", f, how);
}

static void tune_switches(tuning *t, const pair_figures *near)
{
    two x = locations_switch(&t->at), y = locations_network(&t->at);

    if (x.a < 0 || t->at.lowest[y.a] != t->at.lowest[y.b]) {
        not_measured(t, "switch.latency", "no two nodes on one switch and one on another");
        return;
    }
    progress(t, "switches: messages between ranks %d and %d", x.a, x.b);
    put_switches(t, near->latency, of_pair(t, x, PAIR_NETWORK, SHORT).latency, x);
}

static void tune_network(tuning *t)
{
    two x = locations_network(&t->at);
    int *part = tune_allocate((size_t)t->at.p * sizeof *part);
    int n = locations_of_two_nodes(&t->at, x, part);
    pair_figures f = {0};
    char how[96];
    size_t bytes;

    if (!tune_way(t, "network", PAIR_NETWORK, x, "one node only", &f)) {
        not_measured(t, "network.shared", "one node only");
        not_measured(t, "network.both", "one node only");
        not_measured(t, "switch.latency", "one node only");
    } else {
        progress(t, "network: messages of %d ranks to %d of another node", n / 2, n / 2);
        bytes = length_of(&f, n / 2);
        snprintf(how, sizeof how, "%d to %d ranks, each %zu bytes", n / 2, n / 2, bytes);
        put_shared(t, "network.shared", of_group(t, part, TOGETHER_THERE, bytes), how,
                   f.bandwidth.value);
        tune_both(t, part, &f, n / 2);
        tune_switches(t, &f);
    }
    free(part);
}

void tune_machine(tuning *t)
{
    t->begin = MPI_Wtime();
    t->at = locations_find();
    progress(t, "%d ranks on %d node%s", t->at.p, t->at.nodes, t->at.nodes == 1 ? "" : "s");
    tune_local(t);
    tune_node(t);
    tune_network(t);
    progress(t, "done");
}

void tune_free(tuning *t)
{
    for (int i = 0; i < CONSTANTS; i++)
        free(t->note[i]);
    locations_free(&t->at);
}
