/* test_select.c - the rule of auto, and names of algorithms. */
#include "topo/shape.h"
#include "topo/topo.h"
#include "tune/select.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static const char *chosen_for(coll_kind kind, int p, int64_t bytes)
{
    const char *why = NULL;
    coll call = {.kind = kind, .p = p};
    choice c = select_auto(&call, bytes, NULL, &why);

    assert_non_null(why);
    return algo_table[c.algo]->name;
}

static const char *chosen(int p, int64_t bytes)
{
    return chosen_for(COLL_allgather, p, bytes);
}

static void the_rule_is_the_documented_table(void **state)
{
    (void)state;
    assert_string_equal(chosen(1, 8), "linear");
    assert_string_equal(chosen(2, 1 << 24), "linear");
    assert_string_equal(chosen(8, 512 * 1024), "recursive_doubling");
    assert_string_equal(chosen(7, 80 * 1024), "bruck");
    assert_string_equal(chosen(7, 80 * 1024 + 1), "sparbit");
    assert_string_equal(chosen(7, 512 * 1024), "sparbit");
    assert_string_equal(chosen(7, 512 * 1024 + 1), "ring");
    assert_string_equal(chosen(8, 512 * 1024 + 1), "neighbor_exchange");
    assert_string_equal(chosen(6, 1 << 30), "neighbor_exchange");
}

static void the_rule_of_alltoall_is_the_documented_table(void **state)
{
    (void)state;
    assert_string_equal(chosen_for(COLL_alltoall, 1, 8), "linear");
    assert_string_equal(chosen_for(COLL_alltoall, 2, 1 << 24), "linear");
    assert_string_equal(chosen_for(COLL_alltoall, 7, 7 * 8), "linear");
    assert_string_equal(chosen_for(COLL_alltoall, 8, 8 * 256), "bruck_zerocopy");
    assert_string_equal(chosen_for(COLL_alltoall, 8, 8 * 257), "linear");
    assert_string_equal(chosen_for(COLL_alltoall, 100, 100 * 32768), "linear");
    assert_string_equal(chosen_for(COLL_alltoall, 100, 100 * 32769), "pairwise");
    assert_string_equal(chosen_for(COLL_alltoallv, 100, 0), "linear");
}

/* With all its words. */
static const char *chosen_on(const char *shape, coll_kind kind, int p, int64_t bytes)
{
    static char text[100];
    static location at[1000];
    coll call = {.kind = kind, .p = p};
    const char *why;
    choice c;
    topo *t;

    assert_true(shape_places(shape, p, at, (char[200]){0}, 200));
    t = topo_make(at, p);
    assert_non_null(t);
    c = select_auto(&call, bytes, t, &why);
    select_print(&c, text, sizeof text);
    topo_free(t);
    return text;
}

static const char *chosen_on_nodes(coll_kind kind, int p, int64_t bytes)
{
    return chosen_on("node:8", kind, p, bytes);
}

static void the_rule_of_allreduce_is_the_documented_table(void **state)
{
    (void)state;
    assert_string_equal(chosen_for(COLL_allreduce, 2, 256 << 10), "recursive_doubling");
    assert_string_equal(chosen_for(COLL_allreduce, 2, (256 << 10) + 1), "circulant");
    assert_string_equal(chosen_for(COLL_allreduce, 8, 2048), "recursive_doubling");
    assert_string_equal(chosen_for(COLL_allreduce, 8, 2049), "circulant");
    assert_string_equal(chosen_for(COLL_allreduce, 100, 1 << 30), "circulant");
    assert_string_equal(chosen_on_nodes(COLL_allreduce, 64, 2048), "recursive_doubling");
    assert_string_equal(chosen_on_nodes(COLL_allreduce, 64, 2049),
                        "lane:recursive_doubling,step,1");
    assert_string_equal(chosen_on_nodes(COLL_allreduce, 64, 8192 + 1), "lane:circulant,step,1");
    assert_string_equal(chosen_on_nodes(COLL_allreduce, 64, (128 << 10) + 1), "lane:ring,block,1");
    assert_string_equal(chosen_on_nodes(COLL_allreduce, 24, (128 << 10) + 1), "lane:ring,block,1");
    assert_string_equal(chosen_on_nodes(COLL_allreduce, 512, 768 << 10), "lane:circulant,step,1");
    assert_string_equal(chosen_on_nodes(COLL_allreduce, 512, (768 << 10) + 512),
                        "lane:ring,block,1");
}

static void the_rule_of_bcast_is_the_documented_table(void **state)
{
    (void)state;
    assert_string_equal(chosen_for(COLL_bcast, 7, 1 << 30), "binomial");
    assert_string_equal(chosen_for(COLL_bcast, 8, 12288), "binomial");
    assert_string_equal(chosen_for(COLL_bcast, 8, 12289), "circulant");
    assert_string_equal(chosen_for(COLL_bcast, 8, 1 << 30), "circulant");
    assert_string_equal(chosen_on_nodes(COLL_bcast, 16, 12288), "hierarchical:binomial,step,8");
    assert_string_equal(chosen_on_nodes(COLL_bcast, 16, 128 << 10),
                        "hierarchical:circulant,block,8");
    assert_string_equal(chosen_on_nodes(COLL_bcast, 16, 1 << 20), "lane:circulant,block,8");
}

static void what_rules_on_nodes_say_is_understood(void **state)
{
    (void)state;
    assert_string_equal(chosen_on_nodes(COLL_gather, 64, 64), "hierarchical:linear,step");
    assert_string_equal(chosen_on_nodes(COLL_scatter, 64, 64), "hierarchical:linear,step");
    assert_string_equal(chosen_on_nodes(COLL_reduce, 64, 8), "hierarchical:binomial,step,8");
    assert_string_equal(chosen_on_nodes(COLL_reduce, 64, 8192), "lane:binomial,step,1");
    assert_string_equal(chosen_on_nodes(COLL_reduce, 64, 64 * 1536), "lane:circulant,step,1");
    assert_string_equal(chosen_on_nodes(COLL_reduce, 64, 64 * 1537), "lane:chain,block,8");
    assert_string_equal(chosen_on_nodes(COLL_reduce, 256, 256 << 10), "lane:circulant,step,1");
    assert_string_equal(chosen_on_nodes(COLL_reduce_scatter, 64, 8), "lane:circulant,step,1");
    assert_string_equal(chosen_on_nodes(COLL_scan, 64, 8), "recursive_doubling");
    assert_string_equal(chosen_on_nodes(COLL_scan, 64, 8192), "lane:recursive_doubling,step,1");
    assert_string_equal(chosen_on_nodes(COLL_scan, 64, 256 << 10),
                        "lane:recursive_doubling,block,4");
    assert_string_equal(chosen_on_nodes(COLL_exscan, 64, 8192), "lane:recursive_doubling,step,1");
}

/* One lane would carry all. */
static void a_rank_left_over_makes_no_lane(void **state)
{
    static const coll_kind kinds[] = {COLL_bcast,          COLL_allreduce, COLL_reduce,
                                      COLL_reduce_scatter, COLL_scan,      COLL_exscan};

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int64_t bytes = 8; bytes < 1 << 24; bytes *= 2)
            assert_null(strstr(chosen_on("node:8", kinds[i], 57, bytes), "lane"));
    assert_non_null(strstr(chosen_on("node:8", COLL_allreduce, 60, 1 << 20), "lane"));
    assert_string_equal(chosen_on("node:8", COLL_reduce, 57, 1 << 20), "circulant");
}

static void check_applicable(coll c, int64_t bytes, const topo *t)
{
    const char *why;
    const algo *a = algo_table[select_auto(&c, bytes, t, &why).algo];

    assert_true(algo_serves(a, c.kind));
    assert_null(algo_refuses(a, &c));
}

static void what_auto_chooses_is_applicable(void **state)
{
    static location at[300];

    (void)state;
    for (int p = 1; p <= 300; p++) {
        topo *t;
        assert_true(shape_places("node:3,2", p, at, (char[200]){0}, 200));
        t = topo_make(at, p);
        for (int64_t bytes = 0; bytes < 1ll << 32; bytes = 3 * bytes + 1)
            for (int kind = 0; kind < COLL_KINDS; kind++)
                for (int op = 0; op < 4; op++) {
                    coll c = {.kind = (coll_kind)kind, .p = p, .ordered = op & 1, .whole = op / 2};
                    check_applicable(c, bytes, NULL);
                    check_applicable(c, bytes, t);
                }
        topo_free(t);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rule_is_the_documented_table),
        cmocka_unit_test(the_rule_of_alltoall_is_the_documented_table),
        cmocka_unit_test(the_rule_of_allreduce_is_the_documented_table),
        cmocka_unit_test(the_rule_of_bcast_is_the_documented_table),
        cmocka_unit_test(what_rules_on_nodes_say_is_understood),
        cmocka_unit_test(a_rank_left_over_makes_no_lane),
        cmocka_unit_test(what_auto_chooses_is_applicable),
        cmocka_unit_test(large_blocks_travel_alone),
        cmocka_unit_test(names_are_parsed_with_their_form),
        cmocka_unit_test(names_are_parsed_with_their_parameter),
        cmocka_unit_test(words_come_in_any_order_and_once),
        cmocka_unit_test(names_of_collectives_are_found),
    };

    return cmocka_run_group_tests_name("select", tests, NULL, NULL);
}
