/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_why.c - see plan.h. */
#include "nbc/process/machine.h"
#include "plan.h"
#include "tune/native.h"
#include "tune/planner.h"
#include "tune/reproducible.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 128 };

static const algo_set nothing = {{0}};

/* Executed ones first, the fastest first; otherwise as the planner has them. */
static bool is_before(const forecast *f, const forecast *other)
{
    bool bound = forecast_is_approximate(f), others = forecast_is_approximate(other);

    return bound == others ? f->time < other->time : others;
}

static void sort(forecast *list, int n)
{
    for (int i = 1; i < n; i++) {
        forecast f = list[i];
        int k = i;
        for (; k > 0 && is_before(&f, &list[k - 1]); k--)
            list[k] = list[k - 1];
        list[k] = f;
    }
}

static void print_time(const forecast *f, int64_t least)
{
    double us = 1e-6 * (double)f->time;

    if (forecast_is_approximate(f))
        printf("  %3s%9.*f us  ", forecast_sign(f), us < 10 ? 3 : 1, us);
    else
        printf("  %12.3f us  %5.2f  ", us, least ? (double)f->time / (double)least : 1);
}

/* Two lists: what was executed, and what is known to take at least so long. True: what `auto` takes
 * is one of them. */
static bool print_list(const forecast *list, int n, const char *taken)
{
    char name[NAME];
    bool found = false;

    for (int i = 0; i < n; i++) {
        const forecast *f = &list[i];
        bool bound = forecast_is_approximate(f);
        select_print(&f->choice, name, sizeof name);
        if (i == 0 || bound != forecast_is_approximate(f - 1))
            puts(bound ? "not executed to the end: lower bounds (>=), first estimates (~), "
                         "algorithm, why"
                       : "executed: estimated time, ratio to the fastest, algorithm, limited by");
        print_time(f, list[0].time);
        printf("%-40s %s%s\n", name,
               !bound        ? f->bound
               : f->executed ? "given up"
                             : "first estimate",
               strcmp(name, taken) == 0 ? ", auto" : "");
        found |= strcmp(name, taken) == 0;
    }
    return found;
}

/* What the MPI would take for blocking calls under libtutti_mpi.so. */
static void print_native(const coll *call, int64_t all, const topo *t, const constants *k)
{
    printf("the MPI at best, if the call blocks:");
    for (int family = 0; family < MPI_FAMILIES; family++) {
        mpi_version newest = {(mpi_family)family, INT_MAX}, any = {(mpi_family)family, 0};
        native_times times;
        bool known = native_estimate(call, all, &nothing, t, k, newest.family, NULL, &times) > 0;
        printf("%s %s ", family ? "," : "", mpi_family_name(newest.family));
        if (known)
            printf("%.3f us ", 1e-6 * (double)times.native);
        printf("(%s)", native_errs(call, all, &newest) ? "wrong, not left to it"
                       : known && native_gains(&times) ? "not left to it"
                       : native_errs(call, all, &any)  ? "left to it, but not to old versions"
                                                       : "left to it");
    }
    putchar('\n');
}

/* What it takes for sums where tutti_reproducible=topology is asked for. */
static void print_reproducible(const coll *call, int64_t all)
{
    choice c;
    char name[NAME];

    if (!coll_has(call->kind, COLL_REDUCES))
        return;
    c = reproducible_choice(call, all);
    select_print(&c, name, sizeof name);
    printf("auto with tutti_reproducible=topology: %s (by the number of ranks and bytes alone)\n",
           name);
}

/* Ranks exchange rounded constants, and then look at how many share cores. */
static constants as_exchanged(const request *r)
{
    uint16_t packed[CONSTANTS_PACKED];
    constants exchanged;

    constants_pack(machine_constants(), packed);
    exchanged = constants_unpack(packed);
    return constants_shared(&exchanged, plan_ranks_of_node(r));
}

/* Bytes as selection counts them: of all blocks, or of the vector. `auto` knows them by their
 * class. */
int plan_print_why(const request *r)
{
    coll call = {.kind = r->kind, .p = r->p, .symmetric = true};
    int64_t all = coll_is_vector(r->kind) ? r->bytes : r->bytes * r->p;
    forecast_call asked = {.kind = r->kind, .p = r->p, .bytes = all, .t = r->topo};
    forecast list[PLANNER_MOST], best[2];
    char taken[NAME];
    const char *why = "";
    choice chosen;
    constants k, exchanged;
    int n, estimated;

    if (!plan_find_machine(r, &k))
        return 2;
    exchanged = as_exchanged(r);
    estimated = planner_choose(&call, all, &nothing, r->topo, &exchanged, &chosen, best, &why);
    select_print(&chosen, taken, sizeof taken);
    printf("%s, %d rank%s%s%s, %lld bytes, machine %s\n", coll_kind_name(r->kind), r->p,
           r->p == 1 ? "" : "s", r->regions ? " on " : "", r->regions ? r->regions : "",
           (long long)r->bytes, plan_machine());
    asked.k = &k;
    n = coll_has_common_size(r->kind) ? planner_list(&asked, list) : 0;
    sort(list, n);
    if (!print_list(list, n, estimated > 0 ? taken : ""))
        printf("auto: %s (%s)\n", taken, why);
    print_reproducible(&call, all);
    print_native(&call, all, r->topo, &exchanged);
    return estimated > 0 || n > 0 || !coll_has_common_size(r->kind)
               ? 0
               : plan_fail("out of memory", "schedules");
}
