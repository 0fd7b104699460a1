/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c - see report.h. */
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SERIAL_MOST = 1 << 20 }; /* keys up to which rank 0 sorts all of them */

static int compare_keys(const void *a, const void *b)
{
    key x = *(const key *)a, y = *(const key *)b;

    return (x > y) - (x < y);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* All keys to rank 0: n of mine, at place `at` of all; to[total]. False on all ranks: they do not
 * fit together. */
static bool collect(report *r, const key *from, int n, uint64_t at, key *to)
{
    int rank, p, mine[2] = {n, (int)at};
    uint64_t next = 0;
    bool fits = at + (uint64_t)n <= r->in->total;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Gather(&mine[0], 1, MPI_INT, r->counts, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Gather(&mine[1], 1, MPI_INT, r->displs, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < p && rank == 0; i++) {
        fits &= (uint64_t)r->displs[i] == next;
        next += (uint64_t)r->counts[i];
    }
    fits &= rank != 0 || next == r->in->total;
    MPI_Allreduce(MPI_IN_PLACE, &fits, 1, MPI_C_BOOL, MPI_LAND, MPI_COMM_WORLD);
    if (fits)
        MPI_Gatherv(from, n, MPI_UINT64_T, to, r->counts, r->displs, MPI_UINT64_T, 0,
                    MPI_COMM_WORLD);
    return fits;
}

void report_open(report *r, const input *in)
{
    size_t n = (size_t)in->total;
    int rank, p;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    *r = (report){.in = in,
                  .counts = allocated((size_t)p, sizeof(int)),
                  .displs = allocated((size_t)p, sizeof(int))};
    if (n > SERIAL_MOST)
        return;
    if (rank == 0) {
        r->expected = allocated(n, sizeof(key));
        r->result = allocated(n, sizeof(key));
    }
    collect(r, in->keys, in->n, in->first, r->expected);
    if (rank == 0)
        qsort(r->expected, n, sizeof(key), compare_keys);
}

void report_close(report *r)
{
    free(r->expected);
    free(r->result);
    free(r->counts);
    free(r->displs);
}

/* ---- right or wrong ---- */

/* Are mine sorted, and none of those of lower ranks greater? */
static bool in_order(const key *k, int n)
{
    int64_t mine = key_to_signed(n > 0 ? k[n - 1] : 0), lower = 0;
    bool right = true;
    int rank;

    for (int i = 1; i < n; i++)
        right &= k[i - 1] <= k[i];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Exscan(&mine, &lower, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    return right && (rank == 0 || n == 0 || key_from_signed(lower) <= k[0]);
}

static void sum(exchange *e, const key *k, int n, uint64_t result[3])
{
    memset(e->sums, 0, sizeof e->sums);
    for (int i = 0; i < n; i++) {
        e->sums[1] += k[i];
        e->sums[2] += pattern_find("uniform")(0, k[i], 0);
    }
    e->sums[0] = (uint64_t)n;
    exchange_do(e, SUMS);
    memcpy(result, e->all_sums, sizeof e->all_sums);
}

/* Their number, sum and sum of hashes, before and after: known to rank 0. */
static bool same_sums(sorter *s)
{
    uint64_t before[3], after[3];

    sum(&s->e, s->in->keys, s->in->n, before);
    sum(&s->e, s->result, (int)s->e.received, after);
    return s->e.rank != 0 ||
           (memcmp(before, after, sizeof before) == 0 && before[0] == s->in->total);
}

static bool right_offset(const sorter *s)
{
    uint64_t offset = 0;

    MPI_Exscan(&s->e.received, &offset, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return s->e.offset == (s->e.rank == 0 ? 0 : offset);
}

static bool same_as_serial(report *r, const sorter *s)
{
    size_t n = (size_t)r->in->total;

    if (n > SERIAL_MOST)
        return true;
    return collect(r, s->result, (int)s->e.received, s->e.offset, r->result) &&
           (s->e.rank != 0 || memcmp(r->expected, r->result, n * sizeof(key)) == 0);
}

bool report_check(report *r, sorter *s)
{
    bool right = in_order(s->result, (int)s->e.received);

    right &= same_sums(s);
    right &= right_offset(s);
    right &= same_as_serial(r, s);
    MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_C_BOOL, MPI_LAND, MPI_COMM_WORLD);
    return right;
}

/* ---- the table ---- */

/* Median of the slowest rank's times, seconds. */
static double typical(const sorter *s, phase phase)
{
    double *times = s->times[phase];
    int n = s->repetitions;

    MPI_Allreduce(MPI_IN_PLACE, times, n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    qsort(times, (size_t)n, sizeof *times, compare_doubles);
    return times[n / 2];
}

/* What the rank with most keys has, as a share of what each should have. */
static double largest_share(const sorter *s)
{
    int64_t most = (int64_t)s->e.received;

    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    return s->in->total > 0 ? (double)most * s->e.p / (double)s->in->total : 1;
}

void report_title(void)
{
    printf("%-20s %10s %10s %10s %10s %8s %6s\n", "ms, median", "sort", "splitters", "exchange",
           "whole", "/ first", "share");
}

void report_line(report *r, sorter *s, bool right)
{
    double t[PHASES], share = largest_share(s);

    for (int i = 0; i < PHASES; i++)
        t[i] = 1e3 * typical(s, (phase)i);
    if (r->first_time == 0)
        r->first_time = t[WHOLE];
    if (s->e.rank == 0)
        printf("%-20s %10.3f %10.3f %10.3f %10.3f %8.2f %6.2f  %s\n", s->way->name, t[LOCAL_SORT],
               t[FIND_SPLITTERS], t[EXCHANGE], t[WHOLE], t[WHOLE] / r->first_time, share,
               right ? "right" : "WRONG");
}
