/* SPDX-License-Identifier: BSD-3-Clause */
/* test_crowd.c - do processes share processors: made-up ones, and those of this job. Looks inside
 * the library.
 */
#define _GNU_SOURCE /* sched_getaffinity */
#include "mpi/mpi_test.h"

#include "nbc/node/crowd.h"
#include "nbc/process/rest.h"

#include <sched.h>
#include <tutti.h>

enum { MOST = 8 };

/* p processes that may run on all of so many processors of one node. */
static void fill(crowd_process all[MOST], int p, int processors)
{
    for (int r = 0; r < p; r++) {
        all[r] = (crowd_process){.node = 7, .quota = INT64_MAX};
        for (int i = 0; i < processors; i++)
            all[r].may[i / 64] |= UINT64_C(1) << i % 64;
    }
}

static void only(crowd_process *x, int processor)
{
    for (int i = 0; i < CROWD_WORDS; i++)
        x->may[i] = 0;
    x->may[processor / 64] = UINT64_C(1) << processor % 64;
}

static bool is_crowd(const crowd_process *all, int p, const crowd_process *mine)
{
    crowd c = crowd_of(all, p, mine);

    return c.processes > c.processors;
}

static void more_processes_than_processors_are_a_crowd(void)
{
    crowd_process all[MOST];

    for (int p = 1; p <= MOST; p++)
        for (int processors = 1; processors <= 200; processors++) {
            fill(all, p, processors);
            CHECK(is_crowd(all, p, &all[p - 1]) == (p > processors));
        }
}

static void others_nodes_and_others_processors_do_not_count(void)
{
    crowd_process all[MOST];

    fill(all, 4, 2); /* two of each node */
    all[1].node = all[3].node = 8;
    CHECK(!is_crowd(all, 4, &all[0]));
    fill(all, 4, 2); /* bound, each to its own */
    for (int r = 0; r < 4; r++)
        only(&all[r], 60 + r * 2);
    for (int r = 0; r < 4; r++)
        CHECK(!is_crowd(all, 4, &all[r]));
    CHECK(crowd_of(all, 4, &all[2]).cores == 4);
    only(&all[3], 60); /* two to one */
    CHECK(crowd_of(all, 4, &all[2]).cores == 3);
    CHECK(is_crowd(all, 4, &all[0]) && is_crowd(all, 4, &all[3]));
    CHECK(!is_crowd(all, 4, &all[1]));
}

static void a_quota_counts_as_processors(void)
{
    crowd_process all[MOST];

    CHECK(crowd_quota("max 100000\n") == INT64_MAX);
    CHECK(crowd_quota("") == INT64_MAX);
    CHECK(crowd_quota("150000 100000\n") == 2);
    CHECK(crowd_quota("400000 100000") == 4);
    CHECK(crowd_quota("-1 100000") == INT64_MAX);
    fill(all, 4, 64);
    CHECK(!is_crowd(all, 4, &all[0]));
    for (int r = 0; r < 4; r++)
        all[r].quota = 2;
    CHECK(is_crowd(all, 4, &all[0]));
}

/* All of this job run on one machine, bound to nothing. */
static void this_job_knows_whether_it_is_one(void)
{
    crowd_process mine;
    cpu_set_t set;

    CHECK(tutti_init() == MPI_SUCCESS);
    mine = crowd_mine();
    CHECK(sched_getaffinity(0, sizeof set, &set) == 0);
    if (mine.quota == INT64_MAX)
        CHECK(rest_shares() == (world_size > CPU_COUNT(&set)));
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(more_processes_than_processors_are_a_crowd),
        MPI_TEST(others_nodes_and_others_processors_do_not_count),
        MPI_TEST(a_quota_counts_as_processors),
        MPI_TEST(this_job_knows_whether_it_is_one),
    };

    return mpi_test_main(argc, argv, "crowd", tests, sizeof tests / sizeof *tests);
}
