/* plan_why.c - see plan.h. */
#include "plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 64 };

typedef struct row {
    choice choice;
    estimate estimate;
} row;

static int compare(const void *left, const void *right)
{
    const row *a = left, *b = right;

    return (a->estimate.time > b->estimate.time) - (a->estimate.time < b->estimate.time);
}

/* What most of the time is the work of, or nothing has that much to do. */
static const char *bound_of(const estimate *e)
{
    int64_t half = e->time / 2;

    if (e->out > half || e->in > half)
        return "links between nodes";
    if (e->memory > half)
        return "memory of a node";
    if (e->processor > half)
        return "a rank's processor";
    return "latency";
}

/* What would take too long is left out, and that is said. */
static bool add(const request *r, choice c, const constants *k, row rows[MOST_ROWS], int *n)
{
    request one = *r;

    one.choice = c;
    if (*n == MOST_ROWS || plan_too_many_nodes(&one) || plan_too_much(&one, "--why"))
        return true;
    rows[*n].choice = c;
    return plan_estimate(&one, k, &rows[(*n)++].estimate);
}

static bool same(const choice *a, const choice *b)
{
    char x[128], y[128];

    select_print(a, x, sizeof x);
    select_print(b, y, sizeof y);
    return strcmp(x, y) == 0;
}

/* Every algorithm with its usual words, in both forms; and what auto takes, if it is another. */
static bool add_all(const request *r, choice taken, const constants *k, row rows[MOST_ROWS], int *n)
{
    coll call = {.kind = r->kind, .p = r->p};
    bool good = true, found = false;

    for (int i = 0; good && i < algo_count; i++) {
        choice c;
        if (!algo_serves(algo_table[i], r->kind) || algo_refuses(algo_table[i], &call) ||
            !select_named(i, 0, r->p, r->bytes, &c))
            continue;
        for (int form = 0; good && form < (algo_table[i]->has_forms ? 2 : 1); form++) {
            c.form = form ? FORM_BLOCK : FORM_STEP;
            found |= same(&c, &taken);
            good = add(r, c, k, rows, n);
        }
    }
    return good && (found || add(r, taken, k, rows, n));
}

static void print_rows(row rows[], int n, const choice *taken)
{
    char name[128];
    int64_t least;

    qsort(rows, (size_t)n, sizeof *rows, compare);
    least = n ? rows[0].estimate.time : 0; /* 0 where nothing has to be sent */
    for (int i = 0; i < n; i++) {
        select_print(&rows[i].choice, name, sizeof name);
        printf("  %12.3f us  %5.2f  %-40s %s%s\n", 1e-6 * (double)rows[i].estimate.time,
               least ? (double)rows[i].estimate.time / (double)least : 1, name,
               bound_of(&rows[i].estimate), same(&rows[i].choice, taken) ? ", auto" : "");
    }
}

/* Bytes as selection counts them: of all blocks, or of the vector. */
int plan_print_why(const request *r)
{
    static row rows[MOST_ROWS];
    const char *why;
    coll call = {.kind = r->kind, .p = r->p};
    int64_t all = coll_is_vector(r->kind) ? r->bytes : r->bytes * r->p;
    choice taken = select_auto(&call, all, r->topo, &why);
    constants k;
    int n = 0;

    if (!plan_find_machine(r, &k))
        return 2;
    if (!add_all(r, taken, &k, rows, &n))
        return plan_fail("out of memory", "schedules");
    printf("%s, %d ranks%s%s, %lld bytes, machine %s: estimated time, of the fastest, bound by\n",
           coll_kind_name(r->kind), r->p, r->regions ? " on " : "", r->regions ? r->regions : "",
           (long long)r->bytes, plan_machine(r));
    print_rows(rows, n, &taken);
    printf("auto: %s\n", why);
    return 0;
}
