/* SPDX-License-Identifier: BSD-3-Clause */
/* test_fold.c - which ranks stand for others, and that those alone take as long as all ranks do. */
#include "tune/fold.h"
#include "unit/in_full.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void folds_are_who_stands_for_whom(void **state)
{
    topo *t = ranks_on("node:3,2", 8); /* 0-2, 3 4, 5-7 */
    fold f;

    (void)state;
    assert_true(fold_make(&f, t, 8));
    assert_int_equal(f.n, 3);
    assert_int_equal(f.represents, 1);
    assert_int_equal(f.who[2], 7);
    assert_int_equal(f.of[4], 1);
    assert_int_equal(f.of[7], 2);
    fold_free(&f);
    topo_free(t);
    assert_true(fold_make(&f, NULL, 5));
    assert_int_equal(f.n, 1);
    assert_int_equal(f.represents, 5);
    fold_free(&f);
    assert_false(fold_make(&f, NULL, 1));
    t = ranks_on("node:8 package:2", 8); /* one node, whose ranks differ */
    assert_false(fold_make(&f, t, 8));
    topo_free(t);
}

static void expect_folded(coll_kind kind, const char *name, const char *shape, int p, double most)
{
    topo *t = ranks_on(shape, p);
    fold f;
    choice c;

    assert_true(fold_make(&f, t, p));
    for (int64_t bytes = 512; bytes <= 1 << 21; bytes *= 64) {
        assert_true(select_parse(kind, name, p, bytes, &c));
        int64_t folded = executed(&c, kind, p, t, &f, bytes);
        int64_t full = in_full(&c, kind, p, t, bytes);
        double ratio = (double)folded / (double)full;
        if (ratio > most || ratio < 1 / most)
            fail_msg("%s %s on %s, %lld bytes: %.3f", coll_kind_name(kind), name,
                     shape ? shape : "one", (long long)bytes, ratio);
    }
    fold_free(&f);
    topo_free(t);
}

static void ranks_of_a_node_stand_for_all(void **state)
{
    static const char *const shapes[] = {"node:8", "node:1", NULL};
    static const char *const gathers[] = {"ring", "bruck:block", "sparbit:step",
                                          "recursive_doubling:step"};
    static const char *const swaps[] = {"linear", "pairwise", "bruck_zerocopy"};

    (void)state;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 4; k++)
            expect_folded(COLL_allgather, gathers[k], shapes[i], 64, 1.1);
        for (int k = 0; k < 3; k++)
            expect_folded(COLL_alltoall, swaps[k], shapes[i], 64, 1.1);
        expect_folded(COLL_allreduce, "recursive_doubling", shapes[i], 64, 1.1);
        expect_folded(COLL_allreduce, "ring", shapes[i], 64, 1.1);
        expect_folded(COLL_barrier, "dissemination", shapes[i], 64, 1.1);
    }
    /* its messages wrap around on some nodes, and are packed there */
    expect_folded(COLL_allgather, "bruck:step", shapes[0], 64, 1.4);
    expect_folded(COLL_allgather, "locality_bruck:step", shapes[0], 64, 1.1);
    expect_folded(COLL_allgather, "lane:ring,step", shapes[0], 64, 1.1);
    expect_folded(COLL_allreduce, "lane:ring,step", shapes[0], 64, 1.1);
    expect_folded(COLL_allreduce, "hierarchical:recursive_doubling,step", shapes[0], 64, 1.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_are_who_stands_for_whom),
        cmocka_unit_test(ranks_of_a_node_stand_for_all),
    };

    return cmocka_run_group_tests_name("fold", tests, NULL, NULL);
}
