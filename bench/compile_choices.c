/* SPDX-License-Identifier: BSD-3-Clause */
/* compile_choices.c - tutti-bench compile --choices: how long `auto` takes to choose, the first
 * time that a communicator sees a size. No MPI.
 *
 * On nodes that are alike, on some that are not, and on some that ranks are dealt to one by one. Of
 * each collective the median and the longest time over sizes from 8 bytes to 1 MiB in a block (or
 * vector).
 */
#include "compile.h"

#include "stats.h"
#include "topo/shape.h"
#include "tune/planner.h"

#include <stdio.h>
#include <stdlib.h>

enum { SIZES = 18, TIMES = 3 };

static double time_of(const coll *c, int64_t bytes, const topo *t, const constants *k)
{
    double times[TIMES];

    for (int i = 0; i < TIMES; i++) {
        double begin = compile_now();
        choice chosen;
        forecast best[2];
        const char *why;
        planner_choose(c, bytes, &(algo_set){{0}}, t, k, &chosen, best, &why);
        times[i] = compile_now() - begin;
    }
    return median(times, TIMES);
}

static void measure(coll_kind kind, int p, const topo *t, const constants *k)
{
    coll c = {.kind = kind, .p = p};
    double times[SIZES], most = 0;
    int64_t worst = 0;

    for (int i = 0; i < SIZES; i++) {
        int64_t block = 8LL << i;
        times[i] = time_of(&c, coll_is_vector(kind) ? block : block * p, t, k);
        if (times[i] > most) {
            most = times[i];
            worst = block;
        }
    }
    printf("%-17s %8d %11.2f %11.2f %11lld\n", coll_kind_name(kind), p, 1e3 * median(times, SIZES),
           1e3 * most, (long long)worst);
    fflush(stdout);
}

int compile_choices(void)
{
    static const struct {
        int p;
        const char *regions;
    } machines[] = {{64, "node:8 package:4"}, {64, "node:8@cyclic"}, {64, "node:9,5"},
                    {1024, "node:32"},        {4096, "node:32"},     {4096, "node:32@cyclic"},
                    {4096, "node:30"}};
    const constants *k = constants_builtin("fast");

    printf("# choices of auto, ms\n%-17s %8s %11s %11s %11s\n", "#", "ranks", "median", "longest",
           "bytes");
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
        int p = machines[m].p;
        location *at = malloc((size_t)p * sizeof *at);
        char why[100];
        topo *t = NULL;
        printf("# %s\n", machines[m].regions);
        if (at && shape_locations(machines[m].regions, p, at, why, sizeof why))
            t = topo_make(at, p);
        for (int kind = 0; t && kind < COLL_KINDS; kind++)
            if (coll_has_common_size((coll_kind)kind) && !coll_is_v((coll_kind)kind))
                measure((coll_kind)kind, p, t, k);
        topo_free(t);
        free(at);
    }
    return 0;
}
