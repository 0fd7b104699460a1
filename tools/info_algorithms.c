/* SPDX-License-Identifier: BSD-3-Clause */
/* info_algorithms.c - see info.h. */
#include "algos/algo.h"
#include "info.h"

#include <stdio.h>

/* The collectives that it serves: "allgather(v)", "alltoall". */
static void print_title(const algo *a)
{
    const char *v = "";
    char title[32];

    for (int i = 0; i < COLL_KINDS; i++)
        if (algo_serves(a, (coll_kind)i) && coll_is_v((coll_kind)i) && (coll_kind)i != a->kind)
            v = "(v)";
    snprintf(title, sizeof title, "%s%s", coll_kind_name(a->kind), v);
    printf("%-20s", title);
}

void info_print_algorithms(void)
{
    printf("%-20s %-20s %-23s %-19s %-33s %s\n", "collective", "algorithm", "steps", "sent/rank",
           "ranks", "source");
    for (int i = 0; i < algo_count; i++) {
        const algo *a = algo_table[i];
        print_title(a);
        printf(" %-20s %-23s %-19s %-33s %s\n", a->name, a->steps, a->volume,
               a->restriction ? a->restriction : "any", a->source);
        printf("%-20s   %s%s", "", a->summary, a->has_forms ? " (forms: step, block)" : "");
        for (int k = 0; a->variants && a->variants[k]; k++)
            printf("%s%s", k ? ", " : " (variants: ", a->variants[k]->name);
        printf("%s%s", a->variants ? ")" : "",
               a->orders ? " (orders: place, initcomm, endshuffle)" : "");
        if (a->parameter.name)
            printf(" (%s:%s, %s from %d, usually %d)", a->name, a->parameter.name,
                   a->parameter.name, a->parameter.least, a->parameter.usual);
        printf("\n");
    }
    printf("p ranks; N nodes, or R regions, of q ranks each; m: the blocks of all ranks.\n"
           "(v): serves the v-collective too. `auto` chooses by number of ranks, size, nodes.\n");
}
