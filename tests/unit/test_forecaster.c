/* SPDX-License-Identifier: BSD-3-Clause */
/* test_forecaster.c - the time on a large machine, estimated from executions on smaller ones, is
 * compared with that of the large one executed in full. */
#include "tune/forecaster.h"
#include "unit/in_full.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* What samples say of a large machine, and what it says itself. */
static void expect_sampled(coll_kind kind, const char *name, int64_t bytes)
{
    enum { P = 512 };
    topo *t = ranks_on("node:16", P);
    forecast_call call = call_on(kind, P, t, bytes);
    forecaster q;
    first_estimate seen;
    forecast f;
    choice c;
    double ratio;

    assert_true(select_parse(kind, name, P, bytes, &c));
    forecaster_begin(&q, &call);
    q.sample_work = INT64_MAX;
    assert_true(q.is_large);
    assert_true(forecaster_first_estimate(&q, &c, &seen));
    forecaster_execute(&q, &c, &seen, ESTIMATE_ALL, &f);
    assert_true(f.executed);
    forecaster_end(&q);
    ratio = (double)f.time / (double)in_full(&c, kind, P, t, bytes);
    if (ratio > 1.3 || ratio < 1 / 1.3)
        fail_msg("%s %s of %lld bytes: %.2f", coll_kind_name(kind), name, (long long)bytes, ratio);
    topo_free(t);
}

static void samples_tell_of_a_large_machine(void **state)
{
    (void)state;
    for (int64_t bytes = 8; bytes <= 1 << 18; bytes *= 1 << 5) {
        expect_sampled(COLL_allgather, "locality_bruck:step", bytes);
        expect_sampled(COLL_allgather, "sparbit:step", bytes);
        expect_sampled(COLL_gather, "hierarchical:linear,step", bytes);
        expect_sampled(COLL_scatter, "linear", bytes);
        if (bytes > 8) /* pieces of 8 bytes are empty on many ranks, and not on few */
            expect_sampled(COLL_bcast, "lane:circulant,block,8", bytes);
        expect_sampled(COLL_exscan, "lane:recursive_doubling,step,1", bytes);
        expect_sampled(COLL_exscan, "hierarchical:recursive_doubling,step,8", bytes);
        expect_sampled(COLL_allreduce, "lane:recursive_doubling,step,1", bytes);
        expect_sampled(COLL_reduce_scatter_block, "bine", bytes);
    }
}

/* 1024 ranks are a power of two, the smaller machines of nodes of 30 are not. */
static void what_a_sample_cannot_do_is_not_looked_at(void **state)
{
    enum { P = 1024 };
    topo *t = ranks_on("node:30", P);
    forecast_call call = {
        .kind = COLL_allgather, .p = P, .bytes = 1024 * P, .t = t, .k = constants_builtin("fast")};
    forecaster q;
    first_estimate seen;
    choice c;

    (void)state;
    assert_true(select_parse(COLL_allgather, "bine:step", P, call.bytes, &c));
    forecaster_begin(&q, &call);
    assert_true(q.is_large);
    assert_false(forecaster_first_estimate(&q, &c, &seen));
    forecaster_end(&q);
    topo_free(t);
}

static bool affords(coll_kind kind, const char *name, int p, int times)
{
    topo *t = ranks_on("node:25", p);
    forecast_call call = call_on(kind, p, t, 1 << 20);
    forecaster q;
    choice c;
    bool found;

    assert_true(select_parse(kind, name, p, 1 << 20, &c));
    forecaster_begin(&q, &call);
    found = forecaster_affords(&q, &c, times);
    forecaster_end(&q);
    topo_free(t);
    return found;
}

/* By the steps of a rank, not by how many ranks there are. */
static void pieces_are_tried_where_ranks_have_few_steps(void **state)
{
    (void)state;
    assert_true(affords(COLL_bcast, "lane:circulant,block,1", 400, 8));
    assert_true(affords(COLL_bcast, "lane:circulant,block,1", 100000, 8));
    assert_false(affords(COLL_allgather, "lane:bruck,block,1", 400, 16));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_tell_of_a_large_machine),
        cmocka_unit_test(what_a_sample_cannot_do_is_not_looked_at),
        cmocka_unit_test(pieces_are_tried_where_ranks_have_few_steps),
    };

    return cmocka_run_group_tests_name("forecaster", tests, NULL, NULL);
}
