/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.c - see parts.h. */
#include "parts.h"

#include <mpi.h>
#include <string.h>

/* Cut where the running sum of non-zeros passes k/p of all: uneven blocks of rows. */
static const char *make_rows(const whole *w, int p, int *part)
{
    double all = w->a.start[w->n];
    int rank = 0;

    for (int row = 0; row < w->n; row++) {
        while (rank < p - 1 && w->a.start[row] >= all * (rank + 1) / p)
            rank++;
        part[row] = rank;
    }
    return NULL;
}

static const char *make_boxes(const whole *w, int p, int *part)
{
    int boxes[3] = {0, 0, 0}, k = w->grid;

    if (k == 0)
        return "--parts boxes: only of a made problem, not of a file";
    MPI_Dims_create(p, 3, boxes);
    for (int row = 0; row < w->n; row++) {
        int x = row % k, y = row / k % k, z = row / k / k;
        part[row] = (z * boxes[0] / k * boxes[1] + y * boxes[1] / k) * boxes[2] + x * boxes[2] / k;
    }
    return NULL;
}

static const struct {
    const char *name;
    const char *(*make)(const whole *w, int p, int *part);
} kinds[] = {{"rows", make_rows}, {"boxes", make_boxes}, {"scotch", parts_scotch}};
enum { KINDS = sizeof kinds / sizeof *kinds };

bool parts_known(const char *name)
{
    bool known = false;

    for (int i = 0; i < KINDS; i++)
        known |= strcmp(kinds[i].name, name) == 0;
    return known;
}

const char *parts_make(const char *name, const whole *w, int p, int *part)
{
    for (int i = 0; i < KINDS; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return kinds[i].make(w, p, part);
    return "unknown parts";
}
