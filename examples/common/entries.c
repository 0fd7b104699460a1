/* SPDX-License-Identifier: BSD-3-Clause */
/* entries.c - lists of entries, and made ones; see entries.h. */
#include "common/entries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int entries_push(entries *e, entry item)
{
    if (e->count == e->capacity) {
        size_t capacity = e->capacity ? 2 * e->capacity : 1024;
        entry *moved = realloc(e->at, capacity * sizeof *moved);
        if (!moved)
            return -1;
        e->at = moved;
        e->capacity = capacity;
    }
    e->at[e->count++] = item;
    return 0;
}

/* The row of a point: itself, and those beside it, 26 or only along the axes. */
static int push_row(entries *e, int k, int points, const int at[3])
{
    const int row = at[0] + k * (at[1] + k * at[2]);

    for (int i = 0; i < 27; i++) {
        const int d[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
        int away = abs(d[0]) + abs(d[1]) + abs(d[2]), inside = 1;
        for (int axis = 0; axis < 3; axis++)
            inside &= at[axis] + d[axis] >= 0 && at[axis] + d[axis] < k;
        if (!inside || (points == 7 && away > 1))
            continue;
        entry item = {row, row + d[0] + k * (d[1] + k * d[2]), away ? -1 : points - 1};
        if (entries_push(e, item) != 0)
            return -1;
    }
    return 0;
}

int entries_stencil(int k, int points, entries *e)
{
    *e = (entries){.n = k * k * k};
    for (int row = 0; row < e->n; row++)
        if (push_row(e, k, points, (int[3]){row % k, row / k % k, row / k / k}) != 0) {
            free(e->at);
            return -1;
        }
    return 0;
}

static int least(const entry *e)
{
    return e->row < e->column ? e->row : e->column;
}

static int most(const entry *e)
{
    return e->row < e->column ? e->column : e->row;
}

/* Mirror images are equal in this order. */
static int compare_pairs(const void *left, const void *right)
{
    const int a[2] = {least(left), most(left)}, b[2] = {least(right), most(right)};
    int i = a[0] == b[0];

    return (a[i] > b[i]) - (a[i] < b[i]);
}

int entries_find_unsymmetric(const entries *e, int *row, int *column)
{
    entry *sorted = malloc(e->count * sizeof *sorted + 1);
    int found = 0;

    if (!sorted)
        return -1;
    memcpy(sorted, e->at, e->count * sizeof *sorted);
    qsort(sorted, e->count, sizeof *sorted, compare_pairs);
    for (size_t i = 0, next; i < e->count && !found; i = next) {
        double sums[2] = {0, 0}; /* below and above the diagonal */
        for (next = i; next < e->count && compare_pairs(&sorted[i], &sorted[next]) == 0; next++)
            sums[sorted[next].row < sorted[next].column] += sorted[next].value;
        found = sorted[i].row != sorted[i].column &&
                fabs(sums[0] - sums[1]) > 1e-12 * (fabs(sums[0]) + fabs(sums[1]));
        *row = most(&sorted[i]);
        *column = least(&sorted[i]);
    }
    free(sorted);
    return found;
}
