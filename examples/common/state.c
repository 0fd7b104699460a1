/* SPDX-License-Identifier: BSD-3-Clause */
/* state.c - see state.h. */
#include "common/state.h"

#include <math.h>

double dot(int n, const double *a, const double *b)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

void solver_check(solver *s, double square)
{
    if (!isfinite(square))
        s->broken = "numbers out of range";
    else if (!(square > 0))
        s->broken = "matrix not positive definite";
}

bool solver_converged(const solver *s)
{
    return s->rr <= s->o->tolerance * s->o->tolerance * s->rr0; /* false for NaN */
}
