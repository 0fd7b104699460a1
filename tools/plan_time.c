/* plan_time.c - see plan.h. */
#include "plan.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A machine of ours, or a file. */
static bool find_machine(const char *name, constants *k)
{
    const constants *builtin = constants_builtin(name);
    char why[200];
    FILE *in = builtin ? NULL : fopen(name, "r");

    if (builtin) {
        *k = *builtin;
        return true;
    }
    if (!in)
        snprintf(why, sizeof why, "neither ethernet nor fast, and no file: %s", strerror(errno));
    else if (constants_read(in, k, why, sizeof why))
        name = NULL;
    if (in)
        fclose(in);
    if (name)
        plan_fail(why, name);
    return name == NULL;
}

const char *plan_machine(const request *r)
{
    return r->machine ? r->machine : "fast";
}

bool plan_find_machine(const request *r, constants *k)
{
    return find_machine(plan_machine(r), k);
}

bool plan_estimate(const request *r, const constants *k, estimate *result)
{
    int64_t bytes = coll_shapes[r->kind].recv == COLL_NONE ? 0 : r->bytes; /* tokens have none */
    int64_t item = coll_has(r->kind, COLL_REDUCES) ? (int64_t)sizeof(double) : 1;
    sched **all = plan_compile_all(r);
    stepgraph g = {0};
    bool done = all && stepgraph_make(&g, all, r->p, NULL) &&
                estimate_find(&g, bytes / item, item, r->topo, k, result);

    stepgraph_free(&g);
    plan_free_all(r, all);
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
    printf(", %lld bytes, machine %s\n", (long long)r->bytes, plan_machine(r));
    print_part("in all, of which is work of", e->time, e);
    print_part("the busiest rank's processor: messages, copies, reductions", e->processor, e);
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
