/* SPDX-License-Identifier: BSD-3-Clause */
/* test_shapes.c - every collective with every algorithm that serves it, proven in the simulator, in
 * all ranks and in parts of them.
 *
 * usage: test_shapes [--all] [collective... | algorithm]
 *
 * An algorithm is called as its file is: allgather_ring.
 *
 * Each run draws its order of events from a seed that is printed when something is wrong. For up to
 * 9 ranks (17 with --all) every combination of what a call can ask for is run; up to 17 with a root
 * many; for more, each of them with some number of ranks. What is special to one algorithm has a
 * test of its own. TEST_CASES=few: a sixth of the combinations, all of them up to 4 ranks, for
 * sanitizers, which look for what no data show.
 */
#include "sim/coll_run.h"
#include "sim/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { LEAST = 4, FEW = 9, SOME = 17, MANY = 64 }; /* ranks */
enum { MOST = 60 }; /* combinations of more than a few ranks, unless --all */

enum {
    ROWS = 0
#define ALGO(family, name, serves) +1
#include "algos/algos.def"
#undef ALGO
};

static bool all, brief, wanted[COLL_KINDS];
static const algo *only;                 /* the algorithm that is asked for; NULL: all */
static bool ran[COLL_KINDS][ROWS];       /* each algorithm */
static bool ran_split[COLL_KINDS][ROWS]; /* in parts */

static const char *const shapes[] = {
    "node:4",
    "node:4@cyclic",
    "node:5 package:2",
    "none",
    "node:4,1,3@cyclic package:2",
    "node:8 package:2@cyclic numa:2 l3:2",
    "node:1",
    "node:1,7 package:3",
    "switch:2 node:3,2@cyclic package:2 core:2",
    "node:1000",
};

enum { SHAPES = sizeof shapes / sizeof *shapes };

/* ---- what a call can ask for: each choice is one of `of` ---- */

typedef struct choice {
    int *to, of;
} choice;

typedef struct asked {
    int form, variant, order, in_place, operation, packs, root;
} asked;

static int variants_of(const algo *a)
{
    int n = 0;

    while (a->variants && a->variants[n])
        n++;
    return n ? n : 1;
}

/* The n-th combination. False: there are not so many. */
static bool ask(coll_run *t, long n, int roots)
{
    asked x;
    const choice choices[] = {
        {&x.form, t->a->has_forms || t->a->regional ? 2 : 1},
        {&x.in_place, coll_shapes[t->kind].send != COLL_NONE ? 2 : 1},
        {&x.operation, coll_has(t->kind, COLL_REDUCES) ? 5 : 1},
        {&x.packs, t->a->parts && !coll_has(t->kind, COLL_REDUCES) ? 2 : 1},
        {&x.variant, variants_of(t->a)},
        {&x.order, t->a->orders ? ORDERS : 1},
        {&x.root, coll_has(t->kind, COLL_ROOTED) ? roots : 1},
    };

    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        *choices[i].to = (int)(n % choices[i].of);
        n /= choices[i].of;
    }
    t->form = (coll_form)x.form;
    t->variant = x.variant;
    t->order = (coll_order)x.order;
    t->in_place = x.in_place;
    t->noncommutative = x.operation == 1 || x.operation == 3;
    t->bits = x.operation == 2;
    t->user_op = x.operation >= 3;
    t->packs = x.packs;
    t->root =
        roots < t->p ? (int)((long)x.root * (t->p - 1) / (roots > 1 ? roots - 1 : 1)) : x.root;
    return n == 0;
}

static long combinations(coll_run t, int roots)
{
    long n = 1;

    while (ask(&t, n, roots))
        n++;
    return n;
}

/* ---- counts ---- */

/* Items of blocks; of a vector also some less and some more than ranks, which divide it badly. Data
 * of gigabytes proves no more than of kilobytes. */
static int counts_for(const coll_run *t, int *counts)
{
    const coll_shape *shape = &coll_shapes[t->kind];
    int large = all ? 32 : 8, n = 0;

    counts[n++] = 0;
    if (shape->recv == COLL_NONE)
        return n;
    counts[n++] = 1;
    if (t->p < 100 || coll_is_vector(t->kind))
        counts[n++] = 7;
    if (coll_is_vector(t->kind)) {
        counts[n++] = t->p > 2 ? t->p - 1 : 2;
        counts[n++] = 3 * t->p + t->p / 2;
    }
    if (t->p <= large || coll_is_vector(t->kind))
        counts[n++] = 1000;
    return n;
}

static void run_one(coll_run t)
{
    int counts[8], n = counts_for(&t, counts), i = 0;

    if (!coll_run_fits(&t))
        return;
    while (algo_table[i] != t.a)
        i++;
    (t.part ? ran_split : ran)[t.kind][i] = true;
    t.sends = (sim_sends)(t.seed % SIM_SENDS);
    coll_run_many(t, counts, n, all || t.p <= FEW ? SIM_SENDS : 1);
}

/* On a machine, if it matters. */
static void run_on(coll_run t, const char *shape)
{
    topo *machines = t.a->regional ? machine(shape, t.p) : NULL;

    t.topo = machines;
    t.shape = machines ? shape : NULL;
    run_one(t);
    topo_free(machines);
}

/* ---- loops ---- */

typedef void body(const algo *a, coll_kind kind);

static void for_all_rows(body *each)
{
    for (int i = 0; i < algo_count; i++)
        for (int kind = 0; kind < COLL_KINDS; kind++)
            if (wanted[kind] && (!only || algo_table[i] == only) &&
                !coll_has((coll_kind)kind, COLL_NEIGHBORS) &&
                algo_serves(algo_table[i], (coll_kind)kind))
                each(algo_table[i], (coll_kind)kind);
}

/* All combinations for so few ranks; for more, the next few of them. */
static int all_up_to(coll_kind kind)
{
    return all || coll_has(kind, COLL_ROOTED) ? SOME : FEW;
}

static void run_ranks(const algo *a, coll_kind kind, int p, long few)
{
    coll_run t = {.a = a, .kind = kind, .p = p, .seed = (uint64_t)p * 1000};
    int roots = p <= SOME ? p : 4;
    long n = combinations(t, roots), first = 0;

    if (p <= all_up_to(kind))
        few = all || p <= (brief ? LEAST : FEW) ? n : brief ? MOST / 6 : MOST;
    if (n > few) {
        first = p * few;
        n = few;
    }
    for (long i = first; i < first + n; i++) {
        ask(&t, i % combinations(t, roots), roots);
        for (int k = 0; k < (all && a->regional ? 3 : 1); k++)
            run_on(t, shapes[(p + i + 3 * k) % SHAPES]);
    }
}

static void up_to_64(const algo *a, coll_kind kind)
{
    for (int p = 1; p <= MANY; p++)
        run_ranks(a, kind, p, brief ? 1 : all || p <= SOME ? 8 : 2);
}

static void hundreds(const algo *a, coll_kind kind)
{
    static const int sizes[] = {100, 128, 255};

    for (size_t i = 0; i < (brief ? 1 : sizeof sizes / sizeof *sizes); i++)
        run_ranks(a, kind, sizes[i], all ? 3 : 1);
}

/* Every value of a parameter; beyond the number of ranks, where it means something, some. */
static void parameters(const algo *a, coll_kind kind)
{
    for (int p = 1; p <= (all ? 32 : 12) && a->parameter.name; p++)
        for (int value = a->parameter.least; value <= (a->parameter.most ? 2 * p + 3 : p);
             value++) {
            coll_run t = {.a = a, .kind = kind, .p = p, .parameter = value, .seed = (uint64_t)p};
            ask(&t, (p + value) % combinations(t, p), p);
            run_on(t, shapes[p % SHAPES]);
        }
}

/* On machines that nobody would build. */
static void on_random_machines(const algo *a, coll_kind kind)
{
    for (uint64_t seed = 1; seed <= (all ? 200 : 12) && a->regional; seed++) {
        uint64_t random = seed;
        topo *machines = random_machine(2 + draw(&random, all ? 63 : 30), &random);
        coll_run t = {.a = a, .kind = kind, .p = machines->p, .topo = machines, .seed = seed};

        t.shape = "random machine of this seed";
        if (a->parameter.name && draw(&random, 2))
            t.parameter = a->parameter.least + draw(&random, 2 * t.p);
        ask(&t, (long)draw(&random, (int)combinations(t, t.p)), t.p);
        run_one(t);
        topo_free(machines);
    }
}

/* ---- parts of the ranks ---- */

/* Odd and even ones; a power of two of them and the others, scattered; three of unequal size. */
static void divide(int p, int way, int *part)
{
    int power = 1;

    while (2 * power < p)
        power *= 2;
    for (int r = 0; r < p; r++) {
        int scattered = r * 7 % p; /* all of 0 to p - 1, if 7 does not divide p */
        if (way == 0)
            part[r] = r % 2;
        else if (way == 1)
            part[r] = p % 7 ? scattered >= power : r >= power;
        else
            part[r] = r * r % 11 % 3;
    }
}

static void run_parts(const algo *a, coll_kind kind, int p, int way)
{
    int part[MANY];
    coll_run t = {.a = a, .kind = kind, .p = p, .part = part, .seed = (uint64_t)(p * 1000 + way)};
    long n = combinations(t, p), most = all ? 24 : 6, few = n < most ? n : most;

    divide(p, way, part);
    for (long i = 0; i < few; i++) {
        ask(&t, (i + (p + way) * few) % n, p);
        t.finer = 1 + (int)(p + i) % 3;
        run_on(t, shapes[(p + way + i) % SHAPES]);
    }
}

static void in_parts(const algo *a, coll_kind kind)
{
    for (int p = 2; p <= (all ? 40 : 20); p++)
        for (int way = 0; way < 3; way++)
            run_parts(a, kind, p, way);
}

/* ---- tests ---- */

static void up_to_64_ranks_have_what_the_oracle_says(void **state)
{
    (void)state;
    for_all_rows(up_to_64);
}

static void hundreds_of_ranks_have_what_the_oracle_says(void **state)
{
    (void)state;
    for_all_rows(hundreds);
}

static void every_parameter_works(void **state)
{
    (void)state;
    for_all_rows(parameters);
}

static void random_machines_do_no_harm(void **state)
{
    (void)state;
    for_all_rows(on_random_machines);
}

static void parts_of_the_ranks_work_among_themselves(void **state)
{
    (void)state;
    for_all_rows(in_parts);
}

static void was_run(const algo *a, coll_kind kind)
{
    int i = 0;

    while (algo_table[i] != a)
        i++;
    if (!ran[kind][i] || !ran_split[kind][i])
        fail_msg("%s %s was not run", coll_kind_name(kind), a->name);
}

static void nothing_was_left_out(void **state)
{
    (void)state;
    for_all_rows(was_run);
}

/* <family>_<name>: for all collectives that it serves. */
static bool want_algorithm(const char *word)
{
    char name[64];

    for (int i = 0; i < algo_count && !only; i++) {
        snprintf(name, sizeof name, "%s_%s", coll_kind_name(algo_table[i]->kind),
                 algo_table[i]->name);
        if (strcmp(word, name) == 0)
            only = algo_table[i];
    }
    for (int kind = 0; kind < COLL_KINDS; kind++)
        wanted[kind] |= only != NULL;
    return only;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(up_to_64_ranks_have_what_the_oracle_says),
        cmocka_unit_test(hundreds_of_ranks_have_what_the_oracle_says),
        cmocka_unit_test(every_parameter_works),
        cmocka_unit_test(random_machines_do_no_harm),
        cmocka_unit_test(parts_of_the_ranks_work_among_themselves),
        cmocka_unit_test(nothing_was_left_out),
    };
    const char *cases = getenv("TEST_CASES");
    int named = 0;

    brief = cases && strcmp(cases, "few") == 0;
    for (int i = 1; i < argc; i++) {
        coll_kind kind = coll_kind_find(argv[i]);
        all |= strcmp(argv[i], "--all") == 0;
        if (kind != COLL_KINDS)
            wanted[kind] = ++named;
        else if (strcmp(argv[i], "--all") != 0 && !(named = want_algorithm(argv[i]))) {
            fprintf(stderr, "%s: neither a collective nor an algorithm, such as allgather_ring\n",
                    argv[i]);
            return 2;
        }
    }
    for (int kind = 0; kind < COLL_KINDS && !named; kind++)
        wanted[kind] = true;
    return cmocka_run_group_tests_name("shapes", tests, NULL, NULL);
}
