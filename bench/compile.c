/* SPDX-License-Identifier: BSD-3-Clause */
/* compile.c - tutti-bench compile: how long the compilation of a schedule takes, and what it
 * occupies. No MPI.
 *
 * Median over repetitions, for the middle rank (of algorithms that look at the topology, or have a
 * root, the first one, which has most to do; nodes of 32 ranks dealt to them one by one, of two
 * packages), counts normalized to one element a block (as the library does for regular collectives)
 * and as elements (as for v-collectives). With options: compile_ranks.c.
 */
#include "compile.h"

#include "stats.h"
#include "subcommands.h"
#include "topo/shape.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPETITIONS = 101 };

static bool is_first(const algo *a)
{
    return a->regional || coll_has(a->kind, COLL_ROOTED);
}

/* Median seconds; the last schedule is left in *s. */
static double time_of(const algo *a, coll_form form, const coll *c, const topo *t, sched **s)
{
    double times[REPETITIONS];

    for (int i = 0; i < REPETITIONS; i++) {
        double begin = compile_now();
        if (algo_compile(a, form, c, t, s) != SCHED_OK) {
            fprintf(stderr, "tutti-bench compile: %s: out of memory\n", a->name);
            exit(1);
        }
        times[i] = compile_now() - begin;
        if (i < REPETITIONS - 1)
            sched_free(*s);
    }
    return median(times, REPETITIONS);
}

static void measure(const algo *a, coll_form form, int p, const topo *t, const int64_t *v)
{
    static const char *const forms[] = {"step", "block"};
    coll_kind listed = compile_kind(a, true);
    int rank = is_first(a) ? 0 : p / 2;
    coll regular = compile_call(a, compile_kind(a, false), p, rank, v), vector;
    sched *s = NULL;
    double time;

    if (algo_refuses(a, &regular))
        return;
    time = time_of(a, form, &regular, t, &s);
    printf("%-17s %-26s %-6s %6d %8d %9zu %11.1f", coll_kind_name(a->kind), a->name,
           a->has_forms ? forms[form] : "", p, s->nsteps, sched_memory(s), 1e6 * time);
    sched_free(s);
    if (listed != COLL_KINDS) {
        vector = compile_call(a, listed, p, rank, v);
        printf(" %11.1f", 1e6 * time_of(a, form, &vector, t, &s));
        sched_free(s);
    }
    printf("\n");
}

static topo *machine(int p)
{
    location *at = malloc((size_t)p * sizeof *at);
    char why[100];
    topo *t = NULL;

    if (at && shape_locations("node:32@cyclic package:2", p, at, why, sizeof why))
        t = topo_make(at, p);
    free(at);
    return t;
}

static void measure_all(void)
{
    static const int sizes[] = {64, 1000, 4096};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    int64_t *v = malloc(2 * 4096 * sizeof *v);
    topo *machines[SIZES];

    for (int k = 0; k < SIZES; k++)
        machines[k] = machine(sizes[k]);
    printf("# median of %d compilations, us\n%-17s %-26s %-6s %6s %8s %9s %11s %11s\n", REPETITIONS,
           "#", "algorithm", "form", "ranks", "steps", "bytes", "regular", "v");
    for (int i = 0; i < algo_count; i++)
        for (int form = 0; form <= (algo_table[i]->has_forms ? FORM_BLOCK : FORM_STEP); form++)
            for (int k = 0; k < SIZES; k++) {
                compile_blocks(sizes[k], v);
                measure(algo_table[i], (coll_form)form, sizes[k], machines[k], v);
            }
    for (int k = 0; k < SIZES; k++)
        topo_free(machines[k]);
    free(v);
}

int bench_compile(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--choices") == 0)
        return compile_choices();
    if (argc > 1)
        return compile_ranks(argc, argv);
    measure_all();
    return 0;
}
