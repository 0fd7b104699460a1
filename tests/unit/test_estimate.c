/* SPDX-License-Identifier: BSD-3-Clause */
/* test_estimate.c - the time of small schedules, which can be added up by hand, on a machine of
 * round numbers; and of algorithms whose time is known.
 */
#include "algos/algo.h"
#include "topo/shape.h"
#include "tune/estimate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { RANKS = 64, MIB = 1 << 20 };

/* Microseconds: a message of n MiB inside a node takes 10 and 100 n, between nodes 20 and 1000 n;
 * each of its ends 1 of the processor; a copy of n MiB 50 n, a sum 25 n. Two messages of a node at
 * a time are as fast as one, four take twice as long; links carry one. */
#define RATE(us_for_a_mib) (MIB / (us_for_a_mib * 1e-6))
static const constants machine = {
    .copy = RATE(50.),
    .reduce = RATE(25.),
    .switches = 7e-6,
    .way = {{.latency = 5e-6, .overhead = 2e-6, .bandwidth = RATE(200.), .eager = MIB},
            {.latency = 10e-6,
             .overhead = 1e-6,
             .bandwidth = RATE(100.),
             .shared = RATE(50.),
             .eager = MIB},
            {.latency = 20e-6,
             .overhead = 1e-6,
             .bandwidth = RATE(1000.),
             .shared = RATE(1000.),
             .both = RATE(1000.),
             .eager = MIB}}};

static sched_builder *builders[RANKS];
static sched *scheds[RANKS];
static int p;

static void begin(int ranks)
{
    p = ranks;
    for (int r = 0; r < p; r++)
        assert_non_null(builders[r] = sched_begin(p, FORM_STEP));
}

/* One element from the start of SEND to the start of RECV. */
static void message(int from, int to)
{
    sched_send(builders[from], interval_make(SPACE_SEND, 0, 1), to);
    sched_recv(builders[to], interval_make(SPACE_RECV, from, 1), from);
}

static topo *ranks_on(const char *shape)
{
    location at[RANKS] = {{0}};
    char why[200];
    topo *t;

    if (!shape)
        return NULL;
    assert_true(shape_locations(shape, p, at, why, sizeof why));
    assert_non_null(t = topo_make(at, p));
    return t;
}

static const constants *here = &machine;

static estimate estimated_to(int64_t bytes, const char *shape, int64_t most)
{
    stepgraph g;
    estimate e;
    topo *t = ranks_on(shape);

    assert_true(stepgraph_make(&g, scheds, p, NULL));
    assert_true(estimate_find(&g, bytes, 1, t, here, most, &e));
    stepgraph_free(&g);
    topo_free(t);
    return e;
}

static estimate estimated(int64_t bytes, const char *shape)
{
    return estimated_to(bytes, shape, ESTIMATE_ALL);
}

static estimate end(int64_t bytes, const char *shape)
{
    estimate e;

    for (int r = 0; r < p; r++)
        assert_int_equal(sched_commit(builders[r], &scheds[r]), SCHED_OK);
    e = estimated(bytes, shape);
    for (int r = 0; r < p; r++)
        sched_free(scheds[r]);
    return e;
}

static void expect_us(int64_t picoseconds, double us)
{
    double found = 1e-6 * (double)picoseconds;

    if (found < us - 0.001 || found > us + 0.001)
        fail_msg("%.3f us, not %.3f", found, us);
}

static void one_message(void **state)
{
    (void)state;
    begin(2);
    message(0, 1);
    expect_us(end(MIB, NULL).time, 1 + 100 + 10 + 1);
    begin(2);
    message(0, 1);
    expect_us(end(MIB, "node:1").time, 1 + 1000 + 20 + 1);
    begin(2);
    message(0, 1);
    expect_us(end(1, NULL).time, 1 + 10 + 1);
    begin(2);
    message(0, 1); /* empty parts of a vector are not sent */
    expect_us(end(0, NULL).time, 0);
}

/* Of this many ranks each even one sends to the next; a node has so many cores and ranks, which
 * take turns of 4. */
static double messages_on(const char *shape, int ranks, double cores, int of_a_node)
{
    constants k = machine, shared;
    double us;

    k.cores = cores;
    k.turn = 4e-6;
    shared = constants_shared(&k, of_a_node);
    here = &shared;
    begin(ranks);
    for (int r = 0; r < ranks; r += 2)
        message(r, r + 1);
    us = 1e-6 * (double)end(MIB, shape).time;
    here = &machine;
    return us;
}

/* Each of the four waits 4 for a core once it has something to do. A message waits three
 * quarters of a turn of all that share a core until it is seen, and a core copies it. */
static void ranks_that_share_cores_wait_for_them(void **state)
{
    (void)state;
    assert_float_equal(messages_on(NULL, 4, 4, 4), 1 + 100 + 10 + 1, 1e-3);
    assert_float_equal(messages_on(NULL, 4, 2, 4), 4 + 1 + (10 + 6) + 4 + 1 + 100, 1e-3);
    assert_float_equal(messages_on(NULL, 4, 1, 4), 4 + 1 + (10 + 12) + 2 * (4 + 1 + 100), 1e-3);
}

/* Two nodes take as long as one of them, not as one with all the ranks. */
static void each_node_has_its_own_cores(void **state)
{
    (void)state;
    assert_float_equal(messages_on("node:2", 4, 1, 2), messages_on(NULL, 2, 1, 2), 1e-3);
    assert_float_equal(messages_on("node:4", 8, 2, 4), messages_on(NULL, 4, 2, 4), 1e-3);
    assert_true(messages_on(NULL, 4, 1, 4) > messages_on("node:2", 4, 1, 2) + 100);
}

/* Then every rank is as slow as if all were at work: 64 on 32 cores have them in turn, on 33 each
 * does its work 64/33 times as slowly, and a message waits for a turn of 64/33 of them. */
static void more_than_32_cores_are_not_given_out(void **state)
{
    constants k = machine;
    double load = 64. / 33;

    (void)state;
    k.cores = 32;
    k = constants_shared(&k, 64);
    assert_true(estimate_gives_cores(&k, 64));
    k = machine;
    k.cores = 33;
    k = constants_shared(&k, 64);
    assert_false(estimate_gives_cores(&k, 64));
    assert_float_equal(messages_on(NULL, 2, 33, 64),
                       load * (1 + 4. / 2) + 100 + (10 + load * 4) + load * (1 + 4. / 2), 1e-3);
}

static void a_message_costs_what_its_way_does(void **state)
{
    (void)state;
    begin(4);
    message(0, 1); /* inside a package */
    expect_us(end(MIB, "node:4 package:2").time, 2 + 200 + 5 + 2);
    begin(4);
    message(1, 2); /* between two packages */
    expect_us(end(MIB, "node:4 package:2").time, 1 + 100 + 10 + 1);
    begin(4);
    message(1, 2); /* over one switch */
    expect_us(end(MIB, "switch:4 node:2").time, 1 + 1000 + 20 + 1);
    begin(4);
    message(1, 2); /* over three switches */
    expect_us(end(MIB, "switch:2 node:1").time, 1 + 1000 + 20 + 7 + 1);
}

/* A long one waits for its receive, which comes after a copy. */
static void long_messages_wait_for_their_receive(void **state)
{
    (void)state;
    for (int n = 1; n <= 2; n++) {
        begin(2);
        sched_copy(builders[1], interval_make(SPACE_SEND, 0, 4), interval_make(SPACE_RECV, 0, 4));
        message(0, 1);
        expect_us(end((int64_t)n * MIB, NULL).time,
                  n == 1 ? 200 + 1 + 50         /* it has come meanwhile, and is copied */
                         : 400 + 200 + 10 + 1); /* it begins then */
    }
}

static void messages_of_a_node_share_its_memory(void **state)
{
    (void)state;
    for (int pairs = 1; pairs <= 8; pairs *= 2) {
        begin(2 * pairs);
        for (int i = 0; i < pairs; i++)
            message(2 * i, 2 * i + 1);
        expect_us(end(MIB, NULL).time, 1 + (pairs < 2 ? 100 : 50 * pairs) + 10 + 1);
    }
}

static void messages_between_nodes_share_links(void **state)
{
    (void)state;
    begin(4); /* two out of one node, into two */
    message(0, 2);
    message(1, 3);
    expect_us(end(MIB, "node:2,1,1").time, 1 + 2000 + 20 + 1);
    begin(4); /* out of two, into one */
    message(0, 2);
    message(1, 3);
    expect_us(end(MIB, "node:1,1,2").time, 1 + 2000 + 20 + 1);
    begin(4); /* both ways */
    message(0, 1);
    message(1, 0);
    message(2, 3);
    message(3, 2);
    expect_us(end(MIB, "node:1").time, 1 + 1000 + 20 + 1);
}

static void packing_copying_and_adding_take_time(void **state)
{
    estimate e;

    (void)state;
    begin(2); /* two runs at both ends */
    for (int r = 0; r < 2; r++) {
        sched_open(builders[r], r ? STEP_RECV : STEP_SEND, 1 - r);
        sched_add(builders[r], interval_make(r ? SPACE_RECV : SPACE_SEND, 0, 1));
        sched_add(builders[r], interval_make(r ? SPACE_RECV : SPACE_SEND, 2, 1));
        sched_close(builders[r]);
    }
    expect_us(end(MIB / 2, NULL).time, 1 + 50 + 100 + 10 + 1 + 50);
    begin(1);
    sched_copy(builders[0], interval_make(SPACE_SEND, 0, 2), interval_make(SPACE_RECV, 0, 2));
    sched_reduce(builders[0], interval_make(SPACE_SEND, 0, 2), interval_make(SPACE_RECV, 0, 2));
    e = end(MIB, NULL);
    expect_us(e.time, 100 + 50);
    expect_us(e.processor, 150);
}

/* ---- algorithms ---- */

static void compile(const char *name, int ranks, int root, const topo *t)
{
    int algo = algo_find(COLL_bcast, name);

    p = ranks;
    assert_true(algo != ALGO_NONE);
    for (int r = 0; r < p; r++) {
        coll c = {.kind = COLL_bcast,
                  .p = p,
                  .rank = r,
                  .root = root,
                  .in_place = true,
                  .parameter = algo_parameter_for(algo_table[algo], 0, p),
                  .recv = {.count = 1}};
        assert_int_equal(algo_compile(algo_table[algo], FORM_STEP, &c, t, &scheds[r]), SCHED_OK);
    }
}

/* The last rank of a binomial tree is as many messages away as the root has children. */
static void a_tree_is_as_long_as_its_longest_branch(void **state)
{
    (void)state;
    compile("binomial", 8, 0, NULL);
    expect_us(estimated(1, NULL).time, 3 * (1 + 10 + 1));
    for (int r = 0; r < p; r++)
        sched_free(scheds[r]);
}

/* The same whatever else is done, and the same twice. */
static void it_does_not_depend_on_the_root(void **state)
{
    int64_t first = 0;

    (void)state;
    for (int root = 0; root < 13; root++) {
        int64_t time;
        compile("binomial", 13, root, NULL);
        time = estimated(12345, NULL).time;
        first = root ? first : time;
        assert_int_equal(time, first);
        assert_int_equal(estimated(12345, NULL).time, time);
        for (int r = 0; r < p; r++)
            sched_free(scheds[r]);
    }
}

static void what_takes_too_long_is_given_up(void **state)
{
    estimate whole, part;

    (void)state;
    compile("binomial", 13, 0, NULL);
    whole = estimated(12345, NULL);
    assert_false(whole.longer);
    part = estimated_to(12345, NULL, whole.time);
    assert_false(part.longer);
    assert_int_equal(part.time, whole.time);
    assert_int_equal(part.steps, whole.steps);
    for (int64_t most = whole.time - 1; most > 0; most /= 2) {
        part = estimated_to(12345, NULL, most);
        assert_true(part.longer);
        assert_true(part.time > most && part.time <= whole.time);
        assert_true(part.steps < whole.steps);
    }
    for (int r = 0; r < p; r++)
        sched_free(scheds[r]);
}

/* Eight ranks that all send to all have the same work. */
static void cores_do_no_more_than_they_can(void **state)
{
    constants k = machine, shared;
    estimate e;

    (void)state;
    k.cores = 2;
    shared = constants_shared(&k, 8);
    here = &shared;
    begin(8);
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            if (i != j)
                message(i, j);
    e = end(MIB, NULL);
    here = &machine;
    assert_true(2 * e.time >= 8 * e.processor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_message),
        cmocka_unit_test(ranks_that_share_cores_wait_for_them),
        cmocka_unit_test(each_node_has_its_own_cores),
        cmocka_unit_test(more_than_32_cores_are_not_given_out),
        cmocka_unit_test(cores_do_no_more_than_they_can),
        cmocka_unit_test(a_message_costs_what_its_way_does),
        cmocka_unit_test(long_messages_wait_for_their_receive),
        cmocka_unit_test(messages_of_a_node_share_its_memory),
        cmocka_unit_test(messages_between_nodes_share_links),
        cmocka_unit_test(packing_copying_and_adding_take_time),
        cmocka_unit_test(a_tree_is_as_long_as_its_longest_branch),
        cmocka_unit_test(it_does_not_depend_on_the_root),
        cmocka_unit_test(what_takes_too_long_is_given_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
