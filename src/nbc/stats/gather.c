/* SPDX-License-Identifier: BSD-3-Clause */
/* gather.c - add the tables up along a binomial tree, whose messages are as large as one table. */
#include "nbc/stats/gather.h"

#include "nbc/process/clock.h"
#include "nbc/process/env.h"
#include "nbc/process/native_mpi.h"
#include "nbc/process/simulated.h"
#include "nbc/stats/print.h"

#include <stdlib.h>
#include <string.h>

static stats_outside outside;
static double started;
static bool agreed;
static int other; /* a rank that has another setting, or 0 */

void stats_start(void)
{
    const stats_wish *w = &env_given.stats;

    stats_on = (w->job[STATS_TABLE].wanted || w->job[STATS_JSON].wanted) && !simulated();
    started = clock_now();
}

void stats_agreed(int other_rank)
{
    int rank = 0;

    other = other_rank;
    agreed = other_rank == 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (other_rank && rank == 0)
        env_say_here("TUTTI_STATS differs on rank %d; the summary covers rank 0 only", other);
}

void stats_look_outside(const char *reason, atomic_llong *calls)
{
    if (outside.n == STATS_REASONS)
        return;
    outside.reason[outside.n] = reason;
    outside.calls[outside.n++] = calls;
}

/* ---- along the tree ---- */

/* How much there is of a table, which follows. */
typedef struct lengths {
    int64_t ncomms, nrows, without_row;
} lengths;

/* Out of memory: it is empty. */
static void send_table(int to, MPI_Comm tree)
{
    stats_table t;
    lengths n;

    stats_all(&t);
    n = (lengths){t.ncomms, t.nrows, t.without_row};
    PMPI_Send(&n, sizeof n, MPI_BYTE, to, 0, tree);
    PMPI_Send(t.comm, t.ncomms * (int)sizeof *t.comm, MPI_BYTE, to, 0, tree);
    PMPI_Send(t.row, t.nrows * (int)sizeof *t.row, MPI_BYTE, to, 0, tree);
    stats_free(&t);
}

/* Without memory the messages are left where they are. */
static void receive_table(int from, MPI_Comm tree)
{
    lengths n;
    stats_table t;

    if (PMPI_Recv(&n, sizeof n, MPI_BYTE, from, 0, tree, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return;
    t = (stats_table){.comm = malloc((size_t)n.ncomms * sizeof *t.comm + 1),
                      .ncomms = (int)n.ncomms,
                      .row = malloc((size_t)n.nrows * sizeof *t.row + 1),
                      .nrows = (int)n.nrows,
                      .without_row = n.without_row};
    if (t.comm && t.row &&
        PMPI_Recv(t.comm, t.ncomms * (int)sizeof *t.comm, MPI_BYTE, from, 0, tree,
                  MPI_STATUS_IGNORE) == MPI_SUCCESS &&
        PMPI_Recv(t.row, t.nrows * (int)sizeof *t.row, MPI_BYTE, from, 0, tree,
                  MPI_STATUS_IGNORE) == MPI_SUCCESS)
        stats_merge(&t);
    stats_free(&t);
}

static void add_up(MPI_Comm tree, int rank, int p)
{
    for (int bit = 1; bit < p; bit <<= 1) {
        if (rank & bit) {
            send_table(rank - bit, tree);
            return;
        }
        if (rank + bit < p)
            receive_table(rank + bit, tree);
    }
}

/* The largest number of any rank. */
static void add_outside(MPI_Comm tree, int64_t left[STATS_REASONS][COLL_KINDS])
{
    int64_t mine[STATS_REASONS][COLL_KINDS];

    memcpy(mine, left, sizeof mine);
    native_mpi.Reduce(mine, left, STATS_REASONS * COLL_KINDS, MPI_INT64_T, MPI_MAX, 0, tree);
}

/* Its ranks are those of MPI_COMM_WORLD. Their messages meet no operation's that is under way. */
static bool gather_tables(MPI_Comm channel, int rank, int64_t left[STATS_REASONS][COLL_KINDS])
{
    MPI_Comm tree;
    int p;

    if (PMPI_Comm_split(channel, 0, rank, &tree) != MPI_SUCCESS)
        return false;
    PMPI_Comm_set_errhandler(tree, MPI_ERRORS_RETURN);
    PMPI_Comm_size(tree, &p);
    add_up(tree, rank, p);
    add_outside(tree, left);
    PMPI_Comm_free(&tree);
    return true;
}

/* ---- the end ---- */

static void look_outside(int64_t left[STATS_REASONS][COLL_KINDS])
{
    for (int i = 0; i < outside.n; i++)
        for (int k = 0; k < COLL_KINDS; k++)
            left[i][k] = atomic_load(&outside.calls[i][k]);
}

void stats_finish(MPI_Comm channel)
{
    int64_t left[STATS_REASONS][COLL_KINDS] = {{0}};
    stats_job job = {.seconds = clock_now() - started, .left = left, .outside = &outside};
    int rank = 0;

    if (!stats_on)
        return;
    stats_on = false;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &job.processes);
    look_outside(left);
    job.whole = job.processes == 1 ||
                (channel != MPI_COMM_NULL && agreed && gather_tables(channel, rank, left));
    job.why = channel == MPI_COMM_NULL ? "there is no channel: tutti_init makes one"
                                       : "not all ranks have the same TUTTI_STATS";
    if (rank == 0)
        stats_say(&job);
    stats_clear();
}
