/* SPDX-License-Identifier: BSD-3-Clause */
/* test_alltoall_rules.c - alltoall: parameters and names, repeated calls, and what is
 * really sent.
 */
#include "mpi/calls.h"
#include "mpi/hints.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int *out, *in, *counts, *displs;

static void open_buffers(void)
{
    out = calloc((size_t)world_size * 2, sizeof *out);
    in = calloc((size_t)world_size * 2, sizeof *in);
    counts = calloc((size_t)world_size * 2, sizeof *counts);
    displs = counts + world_size;
    for (int i = 0; i < world_size; i++) {
        counts[i] = 1;
        displs[i] = i;
    }
}

static void set_blocks(int round)
{
    for (int i = 0; i < world_size; i++) {
        out[i] = world_rank * 1000 + i + round;
        in[i] = -1;
    }
}

static void compare(int round)
{
    for (int i = 0; i < world_size; i++)
        CHECK(in[i] == i * 1000 + world_rank + round);
}

/* The communicator is still in order: a right call works after a wrong one. */
static void still_works(void)
{
    set_blocks(7);
    CHECK(MPIX_Alltoall_pairwise(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD) == MPI_SUCCESS);
    compare(7);
}

static int exchange(const void *s, int n, void *r, MPI_Datatype type)
{
    return MPIX_Alltoall_pairwise(s, n, type, r, n, type, MPI_COMM_WORLD);
}

/* A call like the one before takes a short way: what is different about it must be seen. */
static void a_call_after_one_like_it_is_still_checked(void)
{
    still_works();
    CHECK_CLASS(exchange(in, 1, in, MPI_INT), MPI_ERR_BUFFER);
    still_works();
    CHECK_CLASS(exchange(NULL, 1, in, MPI_INT), MPI_ERR_BUFFER);
    still_works();
    for (int i = 0; i < 2 * world_size; i++) { /* twice as many, then as many of half the size */
        out[i] = world_rank * 1000 + i;
        in[i] = -1;
    }
    CHECK(exchange(out, 2, in, MPI_INT) == MPI_SUCCESS);
    for (int i = 0; i < 2 * world_size; i++)
        CHECK(in[i] == i / 2 * 1000 + world_rank * 2 + i % 2);
    CHECK(exchange(out, 2, in, MPI_SHORT) == MPI_SUCCESS);
    for (int i = 0; i < world_size; i++)
        CHECK(in[i] == i * 1000 + world_rank);
    memcpy(in, out, (size_t)world_size * sizeof *in);
    CHECK(exchange(MPI_IN_PLACE, 1, in, MPI_INT) == MPI_SUCCESS);
    compare(0);
    CHECK(exchange(MPI_IN_PLACE, 1, in, MPI_INT) == MPI_SUCCESS); /* and back */
    for (int i = 0; i < world_size; i++)
        CHECK(in[i] == out[i]);
    for (int i = 0; i < world_size; i++)
        ((short *)in)[i] = (short)(world_rank * 100 + i);
    CHECK(exchange(MPI_IN_PLACE, 1, in, MPI_SHORT) == MPI_SUCCESS);
    for (int i = 0; i < world_size; i++)
        CHECK(((short *)in)[i] == i * 100 + world_rank);
    still_works();
}

/* MPI may give the handle of a freed type to a new one. */
static void a_new_type_with_an_old_handle_is_checked(void)
{
    MPI_Datatype pair, triple;

    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    CHECK(exchange(MPI_IN_PLACE, 1, in, pair) == MPI_SUCCESS);
    MPI_Type_free(&pair);
    MPI_Type_contiguous(3, MPI_INT, &triple); /* not committed */
    CHECK_CLASS(exchange(MPI_IN_PLACE, 1, in, triple), MPI_ERR_TYPE);
    CHECK_CLASS(exchange(out, 1, in, triple), MPI_ERR_TYPE);
    MPI_Type_free(&triple);
    still_works();
}

/* More shapes than a communicator keeps plans, between two calls that are alike. CI runs this under
 * valgrind. */
static void a_plan_that_has_left_the_cache_is_made_anew(void)
{
    int *at = calloc((size_t)world_size, sizeof *at), *room;

    still_works();
    room = calloc((size_t)world_size * 200, sizeof *room);
    for (int shape = 1; shape <= 100; shape++) {
        set_blocks(shape);
        for (int i = 0; i < world_size; i++)
            at[i] = i * (1 + shape);
        CHECK(MPIX_Alltoallv_pairwise(out, counts, displs, MPI_INT, room, counts, at, MPI_INT,
                                      MPI_COMM_WORLD) == MPI_SUCCESS);
        for (int i = 0; i < world_size; i++)
            CHECK(room[at[i]] == i * 1000 + world_rank + shape);
    }
    still_works();
    free(room);
    free(at);
}

/* In place the send arguments are not looked at. */
static void in_place_ignores_the_send_arguments(void)
{
    for (int i = 0; i < world_size; i++)
        in[i] = world_rank * 1000 + i;
    CHECK(MPIX_Alltoall_bruck_zerocopy(MPI_IN_PLACE, -5, MPI_DATATYPE_NULL, in, 1, MPI_INT,
                                       MPI_COMM_WORLD) == MPI_SUCCESS);
    compare(0);
    for (int i = 0; i < world_size; i++)
        in[i] = world_rank * 1000 + i;
    CHECK(MPIX_Alltoallv_pairwise(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, counts, displs,
                                  MPI_INT, MPI_COMM_WORLD) == MPI_SUCCESS);
    compare(0);
}

/* A number in the name that info gives. */
static int init_with_radix(const char *radix, MPIX_Request *p)
{
    char name[40];
    MPI_Info info;
    int error;

    snprintf(name, sizeof name, "bruck_radix:%s", radix);
    info = info_of("tutti_algorithm", name);
    error = MPIX_Alltoall_auto_init(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD, info, p);
    MPI_Info_free(&info);
    return error;
}

static void radices_below_two_are_refused_and_large_ones_clamped(void)
{
    static const char *const bad[] = {"1", "0", "-1", "-1000000000"};
    static const char *const good[] = {"2", "3", "1000000000", "2147483647"};
    MPIX_Request p = MPIX_REQUEST_NULL;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        mpi_test_context("radix %s", bad[i]);
        CHECK_CLASS(init_with_radix(bad[i], &p), MPI_ERR_INFO_VALUE);
        CHECK(p == MPIX_REQUEST_NULL);
    }
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        mpi_test_context("radix %s", good[i]);
        set_blocks((int)i);
        CHECK(init_with_radix(good[i], &p) == MPI_SUCCESS);
        CHECK(MPIX_Start(&p) == MPI_SUCCESS && MPIX_Wait(&p, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        compare((int)i);
        CHECK(MPIX_Request_free(&p) == MPI_SUCCESS);
    }
    still_works();
}

/* ---- what is sent, by tutti_get_stats ---- */

static int hops(int j, int radix)
{
    int n = 0;

    for (; j; j /= radix)
        n += j % radix != 0;
    return n;
}

static int all_hops(int radix)
{
    int sum = 0;

    for (int j = 0; j < world_size; j++)
        sum += hops(j, radix);
    return sum;
}

static int rounds(int radix)
{
    int n = 0;

    for (int weight = 1; weight < world_size; weight *= radix)
        for (int digit = 1; digit < radix && digit * weight < world_size; digit++)
            n++;
    return n;
}

/* An info value makes a persistent request that sends so many messages of so many blocks in all. */
static void sends(const char *name, int messages, int blocks)
{
    MPIX_Request r = MPIX_REQUEST_NULL;
    tutti_stats stats = {0};
    MPI_Info info;

    mpi_test_context("%s", name);
    MPI_Info_create(&info);
    MPI_Info_set(info, "tutti_algorithm", name);
    CHECK(MPIX_Alltoall_auto_init(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD, info, &r) ==
          MPI_SUCCESS);
    MPI_Info_free(&info);
    for (int round = 0; round < 4; round++) {
        set_blocks(round);
        CHECK(MPIX_Start(&r) == MPI_SUCCESS && MPIX_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        compare(round);
    }
    CHECK(tutti_get_stats(r, &stats) == MPI_SUCCESS);
    CHECK(stats.starts == 4 && stats.messages == 4 * 2 * messages);
    CHECK(stats.bytes_sent == 4 * blocks * (long long)sizeof(int));
    CHECK(stats.bytes_received == stats.bytes_sent);
    MPIX_Request_free(&r);
}

static void info_names_the_algorithm_and_its_parameter(void)
{
    int p = world_size;

    sends("linear", p - 1, p - 1);
    sends("linear:1", p - 1, p - 1);
    sends("pairwise", p - 1, p - 1);
    sends("bruck", rounds(2), all_hops(2));
    sends("bruck_modified", rounds(2), all_hops(2));
    sends("bruck_zerocopy", rounds(2), all_hops(2));
    sends("bruck_radix:2", rounds(2), all_hops(2));
    sends("bruck_radix:3", rounds(3), all_hops(3));
    sends("bruck_radix", rounds(4), all_hops(4));
    sends("bruck_radix:99", p - 1, p - 1);
}

static void bad_info_values_are_refused(void)
{
    static const char *const bad[] = {"bruck_radix:1", "bruck_radix:0",   "bruck_radix:-3",
                                      "bruck_radix:",  "bruck_radix:two", "pairwise:4",
                                      "ring",          "linear:0",        "bruck:step"};
    MPIX_Request r = MPIX_REQUEST_NULL;
    MPI_Info info;

    MPI_Info_create(&info);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        MPI_Info_set(info, "tutti_algorithm", bad[i]);
        mpi_test_context("%s", bad[i]);
        CHECK_CLASS(
            MPIX_Alltoall_auto_init(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD, info, &r),
            MPI_ERR_INFO_VALUE);
    }
    MPI_Info_set(info, "tutti_algorithm", "bruck"); /* not for alltoallv */
    CHECK_CLASS(MPIX_Alltoallv_auto_init(out, counts, displs, MPI_INT, in, counts, displs, MPI_INT,
                                         MPI_COMM_WORLD, info, &r),
                MPI_ERR_INFO_VALUE);
    CHECK(r == MPIX_REQUEST_NULL);
    MPI_Info_free(&info);
    still_works();
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(open_buffers),
        MPI_TEST(a_call_after_one_like_it_is_still_checked),
        MPI_TEST(a_new_type_with_an_old_handle_is_checked),
        MPI_TEST(a_plan_that_has_left_the_cache_is_made_anew),
        MPI_TEST(in_place_ignores_the_send_arguments),
        MPI_TEST(radices_below_two_are_refused_and_large_ones_clamped),
        MPI_TEST(info_names_the_algorithm_and_its_parameter),
        MPI_TEST(bad_info_values_are_refused),
    };
    int failed = mpi_test_main(argc, argv, "alltoall_rules", tests, sizeof tests / sizeof *tests);

    free(counts);
    free(in);
    free(out);
    return failed;
}
