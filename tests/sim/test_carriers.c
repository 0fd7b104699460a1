/* SPDX-License-Identifier: BSD-3-Clause */
/* test_carriers.c - alltoalls whose blocks are carried between nodes by lanes or leaders: messages
 * and blocks that cross, counted from what was executed, scratch, and what is asked before where
 * blocks are unequal. That they are right: test_shapes.c.
 *
 * usage: test_carriers
 */
#include "sim/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Nodes of q: N - 1 messages of q blocks on each lane; through one leader, of q * q. */
static void an_alltoall_crosses_nodes_in_few_messages(void **state)
{
    static traffic f;

    (void)state;
    for (int nodes = 2; nodes <= 6; nodes++)
        for (int q = 2; q <= 6; q++)
            for (int lanes = 0; lanes < 2; lanes++) {
                topo *t = machine(q % 2 ? "node:3@cyclic" : "node:4", nodes * (q % 2 ? 3 : 4));
                int size = t->level[0].most;
                f = (traffic){.t = t, .count = 2};
                coll_run_do((coll_run){.a = find(COLL_alltoall, lanes ? "lane" : "hierarchical"),
                                       .kind = COLL_alltoall,
                                       .p = t->p,
                                       .count = f.count,
                                       .topo = t,
                                       .variant = lanes ? 0 : q % 2,
                                       .sends = SIM_MIXED,
                                       .traffic = count_message,
                                       .context = &f});
                assert_int_equal(most_messages(&f), nodes - 1);
                assert_int_equal(most_blocks(&f), (nodes - 1) * size * (lanes ? 1 : size));
                for (int i = 0; i < nodes; i++)
                    assert_int_equal(f.out[i], size * (t->p - size));
                topo_free(t);
            }
}

/* Two more nodes of 4: what 4 ranks have for a lane; through a leader all, and what 3 others get.
 */
static void a_carrier_has_room_for_what_it_carries(void **state)
{
    topo *t = machine("node:4@cyclic", 12);

    (void)state;
    for (int lanes = 0; lanes < 2; lanes++)
        for (int variant = 0; variant < 2; variant++) {
            coll c = {.kind = COLL_alltoall, .p = 12, .variant = variant};
            sched *s = NULL;
            c.send.count = c.recv.count = 1;
            assert_int_equal(algo_compile(find(COLL_alltoall, lanes ? "lane" : "hierarchical"),
                                          FORM_STEP, &c, t, &s),
                             SCHED_OK);
            assert_int_equal(s->extent[SPACE_SCRATCH], lanes ? 4 * 2 : 4 * 8 + 3 * 8);
            sched_free(s);
        }
    topo_free(t);
}

/* ---- alltoalls of unequal blocks ---- */

enum { PAIRS = 64 }; /* ranks */

typedef struct pairs {
    int64_t items[PAIRS][PAIRS]; /* from rank to rank */
    int messages[PAIRS][PAIRS];
} pairs;

static void count_pair(void *context, int from, int to, int64_t size)
{
    pairs *f = context;

    f->items[from][to] += size;
    f->messages[from][to]++;
}

/* Who carries what, restated here: the members of a node, its lanes, the ranks of one of them. */
typedef struct machine_lanes {
    const topo_level *l;
    int p, lanes;
} machine_lanes;

static machine_lanes lanes_of(const topo *t, const char *name)
{
    const topo_level *l = &t->level[topo_regions(t)];

    return (machine_lanes){l, t->p, strcmp(name, "lane") == 0 ? l->least : 1};
}

static int size_of(const machine_lanes *m, int node)
{
    return m->l->first[node + 1] - m->l->first[node];
}

static int member(const machine_lanes *m, int node, int i)
{
    return topo_member(m->l, m->l->first[node] + i);
}

/* The lane that the rank carries, or -1. */
static int lane_of(const machine_lanes *m, int rank)
{
    for (int i = 0; i < m->lanes; i++)
        if (member(m, m->l->region[rank], i) == rank)
            return i;
    return -1;
}

/* Items of all blocks from one node to a lane of another one. */
static int64_t items_between(const machine_lanes *m, const pairs *direct, int from, int to,
                             int lane)
{
    int64_t sum = 0;

    for (int a = 0; a < size_of(m, from); a++)
        for (int i = lane; i < size_of(m, to); i += m->lanes)
            sum += direct->items[member(m, from, a)][member(m, to, i)];
    return sum;
}

static void exchange(coll_run t, const char *name, pairs *f)
{
    memset(f, 0, sizeof *f);
    t.a = find(t.kind, name);
    t.traffic = count_pair;
    t.context = f;
    coll_run_do(t);
}

/* A carrier sends each other node one message, of the blocks that have to get there, and nobody
 * else sends any. */
static void check_carriers(coll_run t, const char *name)
{
    static pairs direct, f;
    machine_lanes m = lanes_of(t.topo, name);
    const int *node = m.l->region;

    exchange(t, "linear", &direct);
    exchange(t, name, &f);
    t.a = find(t.kind, name);
    for (int r = 0; r < t.p; r++)
        for (int to = 0; to < t.p; to++) {
            int lane = lane_of(&m, r);
            bool carries = lane >= 0 && lane_of(&m, to) == lane;
            int64_t items = carries ? items_between(&m, &direct, node[r], node[to], lane) : 0;
            if (node[r] == node[to])
                continue;
            if (f.items[r][to] != items || f.messages[r][to] != (items > 0))
                coll_run_fail(&t, "something else crosses nodes");
        }
}

/* The size exchange's messages between nodes: numbers of the blocks that go on from there to
 * others. The rank keeps a number for each block that it keeps, and one for each of its own. */
static void check_size_exchange(const coll_run *t, const char *name, int rank)
{
    machine_lanes m = lanes_of(t->topo, name);
    coll c = {.kind = t->kind, .p = t->p, .rank = rank, .variant = t->variant};
    int lane = lane_of(&m, rank), node = m.l->region[rank], size = size_of(&m, node), served = 0;
    int64_t kept = t->p, total = 0;
    sched *s = NULL;

    assert_int_equal(algo_compile_size_exchange(find(t->kind, name), &c, 0, t->topo, &s), SCHED_OK);
    for (int k = 0; k < m.l->n && lane >= 0; k++)
        for (int i = lane; i < size_of(&m, k); i += m.lanes) {
            total += k != node;
            served += k == node;
        }
    kept += lane < 0 ? 0 : size * total + (served - 1) * (int64_t)(t->p - size);
    if (lane >= 0 || strcmp(name, "lane") == 0 || t->variant == 1) /* else in the tree */
        assert_int_equal(s->extent[SPACE_RECV], kept);
    for (int i = 0; i < s->nsteps; i++) {
        const step *st = &s->steps[i];
        int64_t n = 0, expected = 0;
        if (st->kind != STEP_SEND || m.l->region[st->peer] == node)
            continue;
        assert_true(lane >= 0 && lane_of(&m, st->peer) == lane);
        for (int k = 0; k < st->n; k++)
            n += (int64_t)s->list[st->first + k].length;
        for (int k = lane + m.lanes; k < size_of(&m, m.l->region[st->peer]); k += m.lanes)
            expected += size;
        assert_int_equal(n, expected);
    }
    sched_free(s);
}

static void check_unequal(const topo *t, const char *shape)
{
    static const coll_kind kinds[] = {COLL_alltoallv, COLL_alltoallw};
    static const char *const names[] = {"lane", "hierarchical"};

    if (topo_regions(t) == t->nlevels)
        return;
    for (int i = 0; i < 16; i++) {
        coll_run run = {.kind = kinds[i / 8],
                        .form = i & 1 ? FORM_BLOCK : FORM_STEP,
                        .p = t->p,
                        .count = 5,
                        .in_place = i & 4,
                        .topo = t,
                        .shape = shape,
                        .sends = SIM_MIXED,
                        .seed = (uint64_t)t->p};
        for (run.variant = 0; run.variant < (i & 2 ? 2 : 1); run.variant++) {
            check_carriers(run, names[i / 2 % 2]);
            for (int r = 0; r < t->p; r++)
                check_size_exchange(&run, names[i / 2 % 2], r);
        }
    }
}

static void unequal_blocks_cross_nodes_in_one_message_of_a_carrier(void **state)
{
    static const char *const shapes[] = {"node:4", "node:3@cyclic", "node:4,1,3@cyclic package:2",
                                         "node:1,7 package:3", "node:5,2"};

    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int p = 2; p <= 30; p += p < 10 ? 1 : 4) {
            topo *t = machine(shapes[i], p);
            check_unequal(t, shapes[i]);
            topo_free(t);
        }
    for (uint64_t seed = 1; seed <= 20; seed++) {
        uint64_t random = seed;
        topo *t = random_machine(2 + draw(&random, PAIRS - 2), &random);
        check_unequal(t, "random machine of this seed");
        topo_free(t);
    }
}

/* Without nodes there is nothing to ask, nor on equal nodes between them. */
static void only_nodes_ask_for_lengths(void **state)
{
    static const char *const names[] = {"lane", "hierarchical"};
    static const char *const shapes[] = {"none", "node:1", "node:1000"};

    (void)state;
    for (int i = 0; i < 6; i++) {
        topo *t = machine(shapes[i / 2], 12);
        coll c = {.kind = COLL_alltoallv, .p = 12, .rank = 5};
        sched *s = NULL;
        assert_int_equal(
            algo_compile_size_exchange(find(COLL_alltoallv, names[i % 2]), &c, 0, t, &s), SCHED_OK);
        assert_int_equal(s->nsteps, 0);
        assert_int_equal(s->extent[SPACE_RECV], 0);
        sched_free(s);
        topo_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_alltoall_crosses_nodes_in_few_messages),
        cmocka_unit_test(a_carrier_has_room_for_what_it_carries),
        cmocka_unit_test(unequal_blocks_cross_nodes_in_one_message_of_a_carrier),
        cmocka_unit_test(only_nodes_ask_for_lengths),
    };

    return cmocka_run_group_tests_name("carriers", tests, NULL, NULL);
}
