/* SPDX-License-Identifier: BSD-3-Clause */
/* test_native.c - is the MPI's own call as fast: against machines on which the answer is known. */
#include "topo/shape.h"
#include "tune/native.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static topo *machine(const char *shape, int p)
{
    location *at = calloc((size_t)p, sizeof *at);
    char why[200];
    topo *t;

    assert_non_null(at);
    assert_true(shape_locations(shape, p, at, why, sizeof why));
    assert_non_null(t = topo_make(at, p));
    free(at);
    return t;
}

static const algo_set none = {{0}};

static native_times ask(coll_kind kind, int p, int64_t bytes, const topo *t, const constants *k,
                        mpi_family mpi)
{
    coll c = {.kind = kind, .p = p};
    native_times times = {-1, -1};

    assert_int_equal(native_estimate(&c, bytes, &none, t, k, mpi, NULL, &times), 1);
    assert_true(times.ours >= 0 && times.native >= 0);
    return times;
}

/* The MPI's messages inside the node decide, of all collectives. */
static void slower_messages_are_a_gain(void **state)
{
    constants slow = *constants_builtin("fast"), quick = slow;

    (void)state;
    slow.mpi.overhead = 1e-6;
    slow.mpi.bandwidth = 1e9;
    quick.mpi.overhead = quick.mpi.latency = 0;
    quick.mpi.bandwidth = 1e14;
    for (int kind = 0; kind < COLL_KINDS; kind++)
        for (int p = 2; p <= 9; p += p == 2 ? 3 : 4) {
            native_times of_slow = ask((coll_kind)kind, p, 8000, NULL, &slow, MPI_FAMILY_MPICH);
            native_times of_quick = ask((coll_kind)kind, p, 8000, NULL, &quick, MPI_FAMILY_MPICH);
            assert_true(native_gains(&of_slow));
            assert_false(native_gains(&of_quick));
            assert_int_equal(of_slow.ours, of_quick.ours);
        }
}

/* Between nodes messages are the same: what is gained is the algorithm's, or that of pieces where
 * long messages get into each other's way. */
static void an_order_that_fits_is_a_gain(void **state)
{
    constants whole = *constants_builtin("ethernet"), *k = &whole;
    topo *cyclic = machine("node:7@cyclic", 56), *apart = machine("node:1", 64);
    native_times t;

    (void)state;
    t = ask(COLL_allgather, 56, 56 << 16, cyclic, k, MPI_FAMILY_OPENMPI);
    assert_true(native_gains(&t));
    t = ask(COLL_allgather, 64, 64 << 20, apart, k, MPI_FAMILY_OPENMPI);
    assert_true(native_gains(&t));
    whole.way[WAY_NETWORK].both = whole.way[WAY_NETWORK].shared;
    t = ask(COLL_allgather, 64, 64 << 20, apart, k, MPI_FAMILY_OPENMPI);
    assert_false(native_gains(&t));
    topo_free(cyclic);
    topo_free(apart);
}

/* An MPI with more algorithms is never the slower one. */
static void leaders_of_nodes_only_help(void **state)
{
    static const coll_kind kinds[] = {COLL_barrier, COLL_bcast, COLL_allreduce, COLL_reduce,
                                      COLL_scan};
    const constants *k = constants_builtin("ethernet");
    topo *t = machine("node:7@cyclic", 56);
    int better = 0;

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        native_times flat = ask(kinds[i], 56, 8, t, k, MPI_FAMILY_OPENMPI);
        native_times led = ask(kinds[i], 56, 8, t, k, MPI_FAMILY_MPICH);
        assert_true(led.native <= flat.native);
        better += led.native < flat.native;
    }
    assert_true(better > 0);
    topo_free(t);
}

static void what_is_chosen_need_not_be_found_again(void **state)
{
    const constants *k = constants_builtin("fast");
    coll c = {.kind = COLL_allreduce, .p = 12};
    topo *t = machine("node:4", 12);
    native_times found, given;
    choice chosen;
    const char *why;
    forecast best[2];

    (void)state;
    assert_int_equal(planner_choose(&c, 4096, &none, t, k, &chosen, best, &why), 2);
    assert_int_equal(native_estimate(&c, 4096, &none, t, k, MPI_FAMILY_OPENMPI, NULL, &found), 1);
    assert_int_equal(native_estimate(&c, 4096, &none, t, k, MPI_FAMILY_OPENMPI, best, &given), 1);
    assert_int_equal(found.ours, given.ours);
    assert_int_equal(found.ours, best[0].time);
    assert_int_equal(found.native, given.native);
    topo_free(t);
}

/* Of an unknown version all that were ever seen; tests/native_faults shows them. */
static void what_they_get_wrong_is_known(void **state)
{
    static const struct fault {
        coll call;
        int64_t bytes;
        bool openmpi, mpich;
    } faults[] = {
        {{.kind = COLL_allgatherv, .p = 3}, 8, true, true},
        {{.kind = COLL_allgather, .p = 3}, 8, false, false},
        {{.kind = COLL_allgather, .p = 3}, 0, true, true},
        {{.kind = COLL_bcast, .p = 3}, 0, true, true},
        {{.kind = COLL_barrier, .p = 3}, 0, false, false},
        {{.kind = COLL_gatherv, .p = 3}, 0, false, false}, /* nobody knows them */
        {{.kind = COLL_alltoallw, .p = 3}, 0, false, true},
        {{.kind = COLL_alltoallw, .p = 3, .in_place = true}, 0, true, true},
        {{.kind = COLL_alltoall, .p = 3}, 8, true, false},
        {{.kind = COLL_alltoall, .p = 3, .in_place = true}, 8, true, true},
        {{.kind = COLL_gather, .p = 3}, 8, true, true},
        {{.kind = COLL_scatter, .p = 3}, 8, false, true},
        {{.kind = COLL_exscan, .p = 3}, 8, false, true},
        {{.kind = COLL_reduce, .p = 3}, 8, false, false},
        {{.kind = COLL_reduce, .p = 3, .root = 1}, 8, false, true},
        /* whoever gives MPI_IN_PLACE may be the only one */
        {{.kind = COLL_reduce_scatter_block, .p = 3}, 8, true, true},
        {{.kind = COLL_reduce_scatter_block, .p = 3, .in_place = true}, 8, true, true},
        {{.kind = COLL_reduce_scatter, .p = 3}, 8, true, true},
        {{.kind = COLL_reduce_scatter, .p = 3, .in_place = true}, 8, true, true},
        {{.kind = COLL_neighbor_alltoall, .p = 3}, 8, true, true},
        {{.kind = COLL_neighbor_allgather, .p = 3}, 8, false, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        const struct fault *f = &faults[i];
        assert_int_equal(native_errs(&f->call, f->bytes, &(mpi_version){MPI_FAMILY_OPENMPI, 0}),
                         f->openmpi);
        assert_int_equal(native_errs(&f->call, f->bytes, &(mpi_version){MPI_FAMILY_MPICH, 0}),
                         f->mpich);
    }
}

static bool errs(mpi_version mpi, coll call)
{
    call.p = 3;
    return native_errs(&call, 8, &mpi);
}

static void what_a_version_has_mended_is_left_to_it(void **state)
{
    mpi_version v402 = {MPI_FAMILY_MPICH, 40002}, v421 = {MPI_FAMILY_MPICH, 40201};
    mpi_version v502 = {MPI_FAMILY_MPICH, 50002}, future = {MPI_FAMILY_MPICH, 70000};
    mpi_version open = {MPI_FAMILY_OPENMPI, 60000}, open5 = {MPI_FAMILY_OPENMPI, 50007};
    coll gather = {.kind = COLL_gather}, exscan = {.kind = COLL_exscan};
    coll listed = {.kind = COLL_allgatherv}, halo = {.kind = COLL_neighbor_alltoallw};

    (void)state;
    assert_true(errs(v402, gather) && errs(open, gather));
    assert_false(errs(v421, gather) || errs(future, gather));
    assert_true(errs(v402, exscan) && errs(v502, exscan) && !errs(open, exscan));
    assert_true(errs(open5, halo) && errs(v421, halo) && !errs(open, halo) && !errs(v502, halo));
    assert_true(errs(v502, listed) && errs(future, listed) && errs(open, listed));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slower_messages_are_a_gain),
        cmocka_unit_test(an_order_that_fits_is_a_gain),
        cmocka_unit_test(leaders_of_nodes_only_help),
        cmocka_unit_test(what_is_chosen_need_not_be_found_again),
        cmocka_unit_test(what_they_get_wrong_is_known),
        cmocka_unit_test(what_a_version_has_mended_is_left_to_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
