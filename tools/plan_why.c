/* plan_why.c - see plan.h. */
#include "plan.h"
#include "tune/planner.h"

#include <stdio.h>
#include <stdlib.h>

static void print_row(const forecast *f, int64_t least, bool taken)
{
    char name[128];

    select_print(&f->choice, name, sizeof name);
    printf("  %12.3f us  %5.2f  %-40s %s%s\n", 1e-6 * (double)f->time,
           least ? (double)f->time / (double)least : 1, name,
           f->executed ? f->bound : "closed form", taken ? ", auto" : "");
}

static void print_rule(const choice *taken, const char *why)
{
    char name[128];

    select_print(taken, name, sizeof name);
    printf("auto: %s (%s)\n", name, why);
}

/* Bytes as selection counts them: of all blocks, or of the vector. */
int plan_print_why(const request *r)
{
    coll call = {.kind = r->kind, .p = r->p};
    int64_t all = coll_is_vector(r->kind) ? r->bytes : r->bytes * r->p;
    forecast_call asked = {.kind = r->kind, .p = r->p, .bytes = all, .t = r->topo};
    forecast list[PLANNER_MOST];
    const char *why;
    choice taken;
    constants k;
    int n;
    bool ruled = select_rule(&call, all, &(algo_set){{0}}, &taken, &why);

    if (!plan_find_machine(r, &k))
        return 2;
    printf("%s, %d ranks%s%s, %lld bytes, machine %s: estimated time, of the fastest, bound by\n",
           coll_kind_name(r->kind), r->p, r->regions ? " on " : "", r->regions ? r->regions : "",
           (long long)r->bytes, plan_machine(r));
    asked.k = &k;
    n = coll_has_common_size(r->kind) ? planner_list(&asked, list) : 0;
    for (int i = 0; i < n; i++)
        print_row(&list[i], list[0].time, !ruled && i == 0);
    if (ruled)
        print_rule(&taken, why);
    return !ruled && n == 0 ? plan_fail("out of memory", "schedules") : 0;
}
