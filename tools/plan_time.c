/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_time.c - see plan.h. */
#include "nbc/process/machine.h"
#include "plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int plan_ranks_of_node(const request *r)
{
    return r->topo ? topo_most_on_node(r->topo) : r->p;
}

/* What `auto` goes by here; a file that is no good there is no error: `auto` goes on without. */
bool plan_find_machine(const request *r, constants *k)
{
    char why[1500];
    const char *setting = getenv("TUTTI_CONSTANTS");
    bool read = machine_read(r->machine            ? r->machine
                             : setting && *setting ? setting
                                                   : NULL,
                             why, sizeof why);

    if (!read && r->machine) {
        why[strcspn(why, ";")] = '\0'; /* what the library would take instead */
        fprintf(stderr, "tutti-plan: --machine %s\n", why);
    } else if (!read) {
        fprintf(stderr, "tutti-plan: %s\n", why);
    }
    *k = constants_shared(machine_constants(), plan_ranks_of_node(r));
    return read || !r->machine;
}

const char *plan_machine(void)
{
    return machine_source();
}

bool plan_times_make(const request *r, const constants *k, plan_times *t)
{
    int64_t bytes = coll_shapes[r->kind].recv == COLL_NONE ? 0 : r->bytes; /* tokens have none */
    int64_t item = coll_has(r->kind, COLL_REDUCES) ? (int64_t)sizeof(double) : 1;

    *t = (plan_times){.all = plan_compile_all(r)};
    if (!t->all || !stepgraph_make(&t->graph, t->all, r->p, NULL))
        return false;
    t->of = malloc(((size_t)t->graph.n + 1) * sizeof *t->of);
    return t->of && estimate_watch(&t->graph, bytes / item, item, r->topo, k, t->of, &t->estimate);
}

void plan_times_free(const request *r, plan_times *t)
{
    free(t->of);
    stepgraph_free(&t->graph);
    plan_free_all(r, t->all);
}

bool plan_estimate(const request *r, const constants *k, estimate *result)
{
    plan_times t;
    bool done = plan_times_make(r, k, &t);

    if (done)
        *result = t.estimate;
    plan_times_free(r, &t);
    return done;
}

static void print_part(const char *what, int64_t picoseconds, const estimate *e)
{
    printf("  %12.3f us  %3.0f %%  %s\n", 1e-6 * (double)picoseconds,
           e->time ? 100.0 * (double)picoseconds / (double)e->time : 0, what);
}

static void print_estimate(const request *r, const estimate *e)
{
    plan_print_title(r);
    printf(", %lld bytes, machine %s\n", (long long)r->bytes, plan_machine());
    print_part("in all, of which is work of", e->time, e);
    print_part("the busiest rank's processor: messages, copies, reductions", e->processor, e);
    if (e->cores)
        print_part("the cores of the busiest node, of which ranks take turns", e->cores, e);
    print_part("the busiest node's memory: messages inside it", e->memory, e);
    print_part("the busiest node's links outwards", e->out, e);
    print_part("the busiest node's links inwards", e->in, e);
}

int plan_print_time(const request *r)
{
    constants k;
    estimate e;
    int failed = plan_find_machine(r, &k) ? plan_too_much(r, "--time") : 2;

    if (failed)
        return failed;
    if (!plan_estimate(r, &k, &e))
        return plan_fail("out of memory", "schedules");
    print_estimate(r, &e);
    return 0;
}

int plan_print_machine(const request *r)
{
    constants k;

    if (!plan_find_machine(r, &k))
        return 2;
    constants_print(stdout, &k, "", NULL);
    return 0;
}
