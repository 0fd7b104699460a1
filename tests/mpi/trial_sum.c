/* SPDX-License-Identifier: BSD-3-Clause */
/* trial_sum.c - an allreduce that tries its candidates: make it, start it, look at its result and
 * at what it tries. Looks inside the library. See trial_sum.h.
 */
#include "mpi/trial_sum.h"

#include "persistent/request.h"

#include <string.h>

MPI_Info trial_info(void)
{
    return info_of("tutti_plan", "measure");
}

void trial_sum_init(trial_sum *s, MPI_Comm comm, MPI_Info info)
{
    CHECK(MPIX_Allreduce_auto_init(s->in, s->out, TRIAL_COUNT, MPI_INT, MPI_SUM, comm, info,
                                   &s->request) == MPI_SUCCESS);
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
}

void trial_sum_fill(trial_sum *s, int turn)
{
    for (int i = 0; i < TRIAL_COUNT; i++) {
        s->in[i] = world_rank + i + turn;
        s->out[i] = -1;
    }
}

bool trial_sum_is_right(const trial_sum *s, int turn)
{
    int p = world_size;

    for (int i = 0; i < TRIAL_COUNT; i++)
        if (s->out[i] != p * (p - 1) / 2 + p * (i + turn))
            return false;
    return true;
}

void trial_sum_run(trial_sum *s, int turn)
{
    trial_sum_fill(s, turn);
    CHECK(MPIX_Start(&s->request) == MPI_SUCCESS);
    CHECK(MPIX_Wait(&s->request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(trial_sum_is_right(s, turn));
}

bool same_on_all_ranks(int n)
{
    int least, most;

    MPI_Allreduce(&n, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&n, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return least == most;
}

int trial_sum_algorithm(const trial_sum *s)
{
    tutti_stats stats;

    CHECK(tutti_get_stats(s->request, &stats) == MPI_SUCCESS);
    return algo_find(COLL_allreduce, strtok(stats.algorithm, ":"));
}

void trial_sum_candidates(const trial_sum *s, int list[TRIAL_MOST])
{
    const trial *t = s->request->trial;

    for (int i = 0; i < TRIAL_MOST; i++)
        list[i] = t && i < t->n ? t->choice[i].algo : -1;
}
