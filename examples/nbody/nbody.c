/* SPDX-License-Identifier: BSD-3-Clause */
/* nbody.c - all-pairs gravity: every rank needs the positions of all bodies in every step.
 *
 *   mpiexec -n 8 nbody                       a Plummer sphere
 *   mpiexec -n 8 nbody --regions node:4      on two nodes that are made up
 *   mpiexec -n 64 nbody bodies.txt           lines of mass x y z vx vy vz
 *
 * Positions travel by one allgatherv a step. Each rank computes with its own bodies while it
 * begins, and then with those of another rank as soon as they are there, those of its own node
 * first. This is done with MPI's own blocking and non-blocking allgatherv, and with persistent ones
 * of Tutti that look at where the ranks are, with and without a new order of the ranks. Printed are
 * how far the energy drifts and the time of a step, for each.
 *
 * Leapfrog, kick-drift-kick; softened gravity, G = 1. The application of the rank reordering paper
 * (Mirsadeghi, Afsahi, 2016).
 */
#include "bodies.h"
#include "exchange.h"
#include "options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

/* Ways to exchange; reordered ones after what they reorder. */
static const char *const algorithms[] = {
    "auto",
    "ring",
    "reorder_ring",
    "recursive_doubling",
    "reorder_recursive_doubling",
    "bruck",
    "reorder_bruck",
    "sparbit",
    "reorder_sparbit",
    "locality_bruck",
    "hierarchical",
    "reorder_hierarchical",
    "lane:bruck",
    "lane:ring,block",
};
enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms, WAYS = ALGORITHMS + 2, STRIDE = 64 };

/* One way to exchange, and what came of it. */
typedef struct way {
    exchange exchange;
    bool serves;
    double *times; /* [rounds]: seconds of a step */
    double drift, difference;
} way;

/* A simulation: the bodies as they are, and those at the start. */
typedef struct simulation {
    const options *o;
    bodies start, now;
    double *reference; /* [3 mine]: positions at the end with MPI's blocking call */
    int *order;        /* [ranks]: whose block is wanted first */
    bool *used;        /* [ranks] */
} simulation;

/* ---- gravity ---- */

/* What the bodies first .. first + n - 1 do to mine. Returns the potential energy between them. */
static double attract(bodies *b, int first, int n, double softening, exchange *e)
{
    int my_first = b->displs[rank];
    double energy = 0, soft = softening * softening;

    for (int i = 0; i < b->mine; i++) {
        const double *at = b->x + 3 * (size_t)(my_first + i);
        double ax = 0, ay = 0, az = 0, potential = 0;
        for (int j = first; j < first + n; j++) {
            const double *other = b->x + 3 * (size_t)j;
            double dx = other[0] - at[0], dy = other[1] - at[1], dz = other[2] - at[2];
            double inverse = 1 / sqrt(dx * dx + dy * dy + dz * dz + soft);
            double pull = b->mass[j] * inverse * inverse * inverse;
            ax += pull * dx;
            ay += pull * dy;
            az += pull * dz;
            potential -= j == my_first + i ? 0 : b->mass[j] * inverse;
        }
        b->a[3 * i] += ax;
        b->a[3 * i + 1] += ay;
        b->a[3 * i + 2] += az;
        energy += 0.5 * b->mass[my_first + i] * potential;
        if (i % STRIDE == STRIDE - 1)
            exchange_advance(e);
    }
    return energy;
}

/* Positions of all, and what they do to mine: each block as soon as it is there. Returns this
 * rank's part of the potential energy. */
static double accelerate(simulation *s, exchange *e)
{
    bodies *b = &s->now;
    double energy = 0;

    memset(b->a, 0, 3 * (size_t)b->mine * sizeof *b->a);
    memset(s->used, 0, (size_t)size);
    exchange_begin(e);
    for (int left = size; left > 0;)
        for (int i = 0; i < size; i++) {
            int block = s->order[i];
            if (s->used[block] || !exchange_arrived(e, block))
                continue;
            energy += attract(b, b->displs[block], b->counts[block], s->o->softening, e);
            s->used[block] = true;
            left--;
            i = -1; /* what is wanted more may have come meanwhile */
        }
    exchange_end(e);
    return energy;
}

static void kick(bodies *b, double dt)
{
    for (int i = 0; i < 3 * b->mine; i++)
        b->v[i] += dt * b->a[i];
}

static void drift(bodies *b, double dt)
{
    double *x = b->x + 3 * (size_t)b->displs[rank];

    for (int i = 0; i < 3 * b->mine; i++)
        x[i] += dt * b->v[i];
}

static double total_energy(const bodies *b, double potential)
{
    double mine = potential, all;

    for (int i = 0; i < b->mine; i++)
        for (int k = 0; k < 3; k++)
            mine += 0.5 * b->mass[b->displs[rank] + i] * b->v[3 * i + k] * b->v[3 * i + k];
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* ---- a run ---- */

/* From the start on; returns seconds of a step, on the slowest rank. */
static double run(simulation *s, way *w)
{
    const options *o = s->o;
    bodies *b = &s->now;
    double before, after, potential, begin, mine, all;

    bodies_copy(&s->start, b);
    potential = accelerate(s, &w->exchange);
    before = total_energy(b, potential);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    for (int step = 0; step < o->steps; step++) {
        kick(b, o->dt / 2);
        drift(b, o->dt);
        potential = accelerate(s, &w->exchange);
        kick(b, o->dt / 2);
    }
    mine = MPI_Wtime() - begin;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    after = total_energy(b, potential);
    w->drift = fabs(before) > 0 ? fabs((after - before) / before) : fabs(after);
    return o->steps ? all / o->steps : 0;
}

/* How far my bodies are from where they are with MPI's own call: sums in another order differ a
 * little.
 */
static double compare(const simulation *s, bool is_reference)
{
    const bodies *b = &s->now;
    const double *x = b->x + 3 * (size_t)b->displs[rank];
    double mine = 0, all;

    if (is_reference)
        memcpy(s->reference, x, 3 * (size_t)b->mine * sizeof *x);
    for (int i = 0; i < 3 * b->mine; i++)
        mine = fmax(mine, fabs(x[i] - s->reference[i]));
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

/* ---- set up ---- */

/* My own block, those of my node, and then the others, all from my rank on. */
static int find_order(simulation *s)
{
    int *node = malloc((size_t)size * sizeof *node), n = 0, error;

    s->order = malloc((size_t)size * sizeof *s->order);
    s->used = malloc((size_t)size);
    if (!node || !s->order || !s->used)
        return 1;
    error = tutti_comm_regions(MPI_COMM_WORLD, "node", node, NULL);
    for (int far = 0; far < 2; far++)
        for (int i = 0; i < size; i++) {
            int block = (rank + i) % size;
            if ((node[block] != node[rank]) == far)
                s->order[n++] = block;
        }
    free(node);
    return error != MPI_SUCCESS;
}

static int make_regions(const char *regions)
{
    MPI_Info info;
    int error;

    if (!regions)
        return 0;
    MPI_Info_create(&info);
    MPI_Info_set(info, "tutti_regions", regions);
    error = tutti_comm_set_hints(MPI_COMM_WORLD, info);
    MPI_Info_free(&info);
    if (error && rank == 0)
        fprintf(stderr, "nbody: --regions %s: not a shape; try tutti-plan --regions\n", regions);
    return error != MPI_SUCCESS;
}

/* Which ways serve this job: not all take any number of ranks. */
static int make_ways(simulation *s, way ways[WAYS])
{
    for (int i = 0; i < WAYS; i++) {
        exchange_kind kind = i < 2 ? (exchange_kind)i : EXCHANGE_PERSISTENT;
        const char *name = i < 2 ? NULL : s->o->algorithm ? s->o->algorithm : algorithms[i - 2];
        ways[i] = (way){.times = calloc((size_t)s->o->rounds, sizeof(double))};
        if (!ways[i].times)
            return 1;
        ways[i].serves =
            (i < 3 || !s->o->algorithm) &&
            exchange_make(kind, name, &s->now, MPI_COMM_WORLD, &ways[i].exchange) == MPI_SUCCESS;
    }
    if (s->o->algorithm && !ways[2].serves && rank == 0)
        fprintf(stderr, "nbody: algorithm %s: does not serve this job\n", s->o->algorithm);
    return s->o->algorithm && !ways[2].serves;
}

static int load(const options *o, simulation *s)
{
    int failed = o->file ? bodies_read(o->file, MPI_COMM_WORLD, &s->start)
                         : bodies_plummer(o->bodies, o->seed, MPI_COMM_WORLD, &s->start);

    if (failed)
        return 1;
    failed = bodies_clone(&s->start, MPI_COMM_WORLD, &s->now);
    s->reference = malloc(3 * (size_t)s->now.mine * sizeof *s->reference + 1);
    return failed || !s->reference;
}

/* ---- report ---- */

static int compare_times(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static double median(double *times, int n)
{
    qsort(times, (size_t)n, sizeof *times, compare_times);
    return times[n / 2];
}

static int report(const simulation *s, way ways[WAYS])
{
    int wrong = 0;
    double base = 0;

    if (rank == 0)
        printf("%-28s %12s %10s %14s  %s\n", "allgatherv", "ms a step", "/ MPI's", "energy drift",
               "positions");
    for (int i = 0; i < WAYS; i++) {
        way *w = &ways[i];
        bool same;
        double time;
        if (!w->serves)
            continue;
        time = median(w->times, s->o->rounds);
        base = i == 0 ? time : base;
        same = w->difference < 1e-9;
        wrong += !same;
        if (rank == 0)
            printf("%-28s %12.4f %10.2f %14.2e  %s\n", w->exchange.name, time * 1e3,
                   base > 0 ? time / base : 1, w->drift, same ? "same" : "DIFFERENT");
    }
    return wrong;
}

static void print_title(const simulation *s)
{
    char text[400];

    tutti_comm_topology(MPI_COMM_WORLD, text, sizeof text, NULL);
    text[strcspn(text, "\n")] = '\0';
    if (rank == 0)
        printf("%d bodies%s%s; %s\n", s->start.total, s->o->file ? " of " : ", a Plummer sphere",
               s->o->file ? s->o->file : "", text);
}

static int simulate(simulation *s)
{
    way ways[WAYS] = {0};
    int failed = make_ways(s, ways);

    for (int round = 0; round < s->o->rounds && !failed; round++)
        for (int i = 0; i < WAYS; i++) {
            if (!ways[i].serves)
                continue;
            ways[i].times[round] = run(s, &ways[i]);
            ways[i].difference = fmax(ways[i].difference, compare(s, round == 0 && i == 0));
        }
    if (!failed)
        failed = report(s, ways);
    for (int i = 0; i < WAYS; i++) {
        if (ways[i].serves)
            exchange_free(&ways[i].exchange);
        free(ways[i].times);
    }
    return failed;
}

int main(int argc, char **argv)
{
    options o;
    simulation s = {.o = &o};
    int failed;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    failed = !options_parse(argc, argv, &o);
    if (failed && rank == 0)
        fputs(options_usage, stderr);
    failed = failed || make_regions(o.regions) || load(&o, &s) || find_order(&s);
    if (!failed) {
        print_title(&s);
        failed = simulate(&s);
    }
    bodies_free(&s.start);
    bodies_free(&s.now);
    free(s.reference);
    free(s.order);
    free(s.used);
    MPI_Finalize();
    return failed ? 1 : 0;
}
