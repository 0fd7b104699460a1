/* SPDX-License-Identifier: BSD-3-Clause */
/* test_select.c - the rules of auto, and names of algorithms. */
#include "tune/select.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

/* NULL: it is to be estimated. */
static const char *ruled(coll c, int64_t bytes)
{
    const char *why = NULL;
    choice result;
    bool decided = select_rule(&c, bytes, &(algo_set){{0}}, &result, &why);

    assert_non_null(why);
    assert_true(algo_serves(algo_table[result.algo], c.kind));
    assert_null(algo_refuses(algo_table[result.algo], &c));
    return decided ? algo_table[result.algo]->name : NULL;
}

static const char *of_two(coll_kind kind, int64_t bytes)
{
    return ruled((coll){.kind = kind, .p = 2}, bytes);
}

static void two_ranks_need_no_estimate(void **state)
{
    (void)state;
    assert_string_equal(ruled((coll){.kind = COLL_allgather, .p = 1}, 8), "linear");
    assert_string_equal(of_two(COLL_allgather, 1 << 24), "linear");
    assert_string_equal(of_two(COLL_allreduce, 256 << 10), "recursive_doubling");
    assert_string_equal(of_two(COLL_allreduce, (256 << 10) + 1), "circulant");
    assert_string_equal(ruled((coll){.kind = COLL_allreduce, .p = 2, .user_op = true}, 1 << 20),
                        "recursive_doubling");
    assert_string_equal(of_two(COLL_bcast, 1 << 20), "binomial");
    assert_string_equal(of_two(COLL_reduce_scatter_block, 1 << 20), "circulant");
    assert_string_equal(
        ruled((coll){.kind = COLL_reduce_scatter, .p = 2, .noncommutative = true}, 1 << 20),
        "pairwise");
}

static void sizes_that_nobody_knows_need_none(void **state)
{
    static const coll_kind kinds[] = {COLL_alltoallv, COLL_alltoallw, COLL_gatherv, COLL_scatterv,
                                      COLL_neighbor_alltoall};

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        assert_string_equal(ruled((coll){.kind = kinds[i], .p = 100}, 0), "linear");
}

static void all_others_do(void **state)
{
    (void)state;
    for (int kind = 0; kind < COLL_KINDS; kind++)
        for (int op = 0; op < 4; op++) {
            coll c = {.kind = (coll_kind)kind, .p = 3, .noncommutative = op & 1, .user_op = op / 2};
            assert_true((ruled(c, 1000) == NULL) == coll_has_common_size((coll_kind)kind));
        }
}

static void large_blocks_travel_alone(void **state)
{
    const algo *bruck = algo_table[algo_find(COLL_allgather, "bruck")];
    const algo *ring = algo_table[algo_find(COLL_allgather, "ring")];

    (void)state;
    assert_int_equal(select_form(bruck, 8, 8 * 32 * 1024 - 8), FORM_STEP);
    assert_int_equal(select_form(bruck, 8, 8 * 32 * 1024), FORM_BLOCK);
    assert_int_equal(select_form(ring, 8, 1 << 30), FORM_STEP);
}

static void names_are_parsed_with_their_form(void **state)
{
    choice c = {0};

    (void)state;
    assert_true(select_parse(COLL_allgather, "sparbit", 8, 8, &c));
    assert_string_equal(algo_table[c.algo]->name, "sparbit");
    assert_int_equal(c.form, FORM_STEP);
    assert_true(select_parse(COLL_allgatherv, "sparbit:block", 8, 8, &c));
    assert_int_equal(c.form, FORM_BLOCK);
    assert_true(select_parse(COLL_allgather, "bruck:step", 8, 1 << 30, &c));
    assert_int_equal(c.form, FORM_STEP);
    assert_false(select_parse(COLL_allgather, "ring:block", 8, 8, &c));
    assert_false(select_parse(COLL_allgather, "bruck:", 8, 8, &c));
    assert_false(select_parse(COLL_allgather, "bruck:blocks", 8, 8, &c));
    assert_false(select_parse(COLL_allgather, "", 8, 8, &c));
    assert_false(select_parse(COLL_allgather, "brucks", 8, 8, &c));
}

static void names_are_parsed_with_their_parameter(void **state)
{
    static const char *const wrong[] = {"bruck_radix:1",
                                        "bruck_radix:0",
                                        "bruck_radix:-2",
                                        "bruck_radix:",
                                        "bruck_radix:x",
                                        "bruck_radix:4x",
                                        "bruck_radix:99999999999",
                                        "bruck:2",
                                        "pairwise:1",
                                        "linear:0",
                                        "linear:step"};
    choice c = {0};

    (void)state;
    assert_true(select_parse(COLL_alltoall, "bruck_radix:3", 8, 8, &c));
    assert_int_equal(c.parameter, 3);
    assert_true(select_parse(COLL_alltoall, "bruck_radix", 8, 8, &c));
    assert_int_equal(c.parameter, 4);
    assert_true(select_parse(COLL_alltoall, "bruck_radix:1000", 8, 8, &c));
    assert_int_equal(c.parameter, 8);
    assert_true(select_parse(COLL_alltoallv, "linear:3", 8, 8, &c));
    assert_int_equal(c.parameter, 3);
    assert_true(select_parse(COLL_alltoall, "pairwise", 8, 8, &c));
    assert_int_equal(c.parameter, 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(select_parse(COLL_alltoall, wrong[i], 8, 8, &c));
    assert_false(select_parse(COLL_alltoallv, "bruck_zerocopy", 8, 8, &c));
    assert_false(select_named(algo_find(COLL_alltoall, "pairwise"), 3, 8, 8, &c));
}

static void words_come_in_any_order_and_once(void **state)
{
    static const char *const wrong[] = {"lane:ring,bruck", "lane:block,step",
                                        "lane:ring,",      "lane:,ring",
                                        "lane:place",      "lane:binomial",
                                        "ring:place",      "reorder_ring:step",
                                        "lane:ring ",      "reorder_bruck:place,place",
                                        "ring:4",          "hierarchical:ring"};
    choice c = {0};

    (void)state;
    assert_true(select_parse(COLL_allgather, "lane:block,ring", 8, 8, &c));
    assert_int_equal(c.form, FORM_BLOCK);
    assert_int_equal(c.variant, algo_variant(algo_table[c.algo], "ring"));
    assert_true(select_parse(COLL_allgather, "lane:4,block,ring", 8, 8, &c));
    assert_int_equal(c.parameter, 4);
    assert_true(select_parse(COLL_allgatherv, "lane:ring,step", 8, 1 << 30, &c));
    assert_int_equal(c.form, FORM_STEP);
    assert_true(select_parse(COLL_allgather, "lane", 8, 1 << 30, &c));
    assert_int_equal(c.form, FORM_BLOCK);
    assert_int_equal(c.variant, 0);
    assert_true(
        select_parse(COLL_allgather, "reorder_hierarchical:endshuffle,linear,block", 8, 8, &c));
    assert_int_equal(c.order, ORDER_ENDSHUFFLE);
    assert_int_equal(c.form, FORM_BLOCK);
    assert_int_equal(c.variant, 1);
    assert_true(select_parse(COLL_allgather, "reorder_ring:place", 8, 8, &c) && c.order_named);
    assert_true(select_parse(COLL_allgather, "reorder_ring", 8, 8, &c) && !c.order_named);
    assert_true(select_parse(COLL_alltoall, "hierarchical:linear", 8, 8, &c));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (select_parse(COLL_allgather, wrong[i], 8, 8, &c))
            fail_msg("accepted: %s", wrong[i]);
}

static void names_of_collectives_are_found(void **state)
{
    (void)state;
    assert_int_equal(coll_kind_find("allgatherv"), COLL_allgatherv);
    assert_int_equal(coll_kind_find("allgath"), COLL_KINDS);
    assert_int_equal(algo_find(COLL_allgather, "nothing"), ALGO_NONE);
}

/* ---- what is forbidden ---- */

static void a_list_forbids_what_it_names(void **state)
{
    algo_set without = {{0}};

    (void)state;
    assert_int_equal(select_forbid(COLL_allreduce, "^ring,circulant", &without), 0);
    for (int i = 0; i < algo_count; i++)
        assert_int_equal(algo_set_has(&without, i),
                         i == ALGO_allreduce_ring || i == ALGO_allreduce_circulant);
    assert_int_equal(select_forbid(COLL_allgather, "^binomial,ring,", &without), 2);
    assert_true(algo_set_has(&without, ALGO_allgather_ring));
    assert_int_equal(select_forbid(COLL_allgather, "^", &without), 1);
    assert_int_equal(select_forbid(COLL_allgather, "ring", &without), -1);
    assert_int_equal(select_forbid(COLL_allgather, "", &without), -1);
}

static void rules_heed_it(void **state)
{
    coll two = {.kind = COLL_allreduce, .p = 2}, vector = {.kind = COLL_alltoallv, .p = 9};
    algo_set without = {{0}};
    choice result;
    const char *why;

    (void)state;
    for (int left = 0; left < algo_count; left++) {
        coll *c = algo_table[left]->kind == COLL_allreduce ? &two : &vector;
        if (!algo_serves(algo_table[left], c->kind) || algo_refuses(algo_table[left], c))
            continue;
        memset(&without, 0xff, sizeof without);
        without.word[left / 64] &= ~((uint64_t)1 << left % 64);
        assert_true(select_rule(c, 1 << 20, &without, &result, &why));
        assert_int_equal(result.algo, left);
        assert_true(select_any(c, 1 << 20, &without, &result));
        assert_int_equal(result.algo, left);
    }
    memset(&without, 0xff, sizeof without);
    assert_false(select_any(&two, 1 << 20, &without, &result));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_ranks_need_no_estimate),
        cmocka_unit_test(sizes_that_nobody_knows_need_none),
        cmocka_unit_test(all_others_do),
        cmocka_unit_test(large_blocks_travel_alone),
        cmocka_unit_test(names_are_parsed_with_their_form),
        cmocka_unit_test(names_are_parsed_with_their_parameter),
        cmocka_unit_test(words_come_in_any_order_and_once),
        cmocka_unit_test(names_of_collectives_are_found),
        cmocka_unit_test(a_list_forbids_what_it_names),
        cmocka_unit_test(rules_heed_it),
    };

    return cmocka_run_group_tests_name("select", tests, NULL, NULL);
}
