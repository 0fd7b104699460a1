/* SPDX-License-Identifier: BSD-3-Clause */
/* pipelined.c - conjugate gradients with one sum in an iteration, under the product.
 *
 *   plain       A p | sum (p, A p) | x, r | sum (r, r) | p           nobody does anything in a sum
 *   pipelined   start the sum of (r, r) and (w, r), w = A r
 *               q = A w                                              brings its own allgatherv
 *               wait for the sum
 *               p = r + beta p, s = w + beta s, z = q + beta z       s = A p, z = A s
 *               x += alpha p, r -= alpha s, w -= alpha z             r = b - A x, w = A r
 *
 * The same steps as of the plain method, were there no rounding: (p, A p) follows from the two sums
 * and from what they were before. It takes three more updates of vectors, and an iteration more:
 * that r was good enough is known after the product only.
 *
 * r, w, s and z are no longer multiplied out but carried on, and with them their rounding errors: r
 * drifts away from b - A x, more than in the plain method. So they are computed anew every now and
 * then (--replace), from x and p; that costs as much as four iterations.
 *
 * P. Ghysels, W. Vanroose, Parallel Computing 40(7), 2014.
 */
#include "pipelined.h"

#include <string.h>

/* y = A v, of vectors of which each rank has its rows. */
static void product(solver *s, const double *v, double *y)
{
    memcpy(s->e.vector + s->m->first, v, (size_t)s->m->rows * sizeof *v);
    multiply(&s->e, y);
}

/* What x and p say. w stays in the vector to be multiplied, so it is the last one. */
static void replace(solver *s)
{
    size_t rows = (size_t)s->m->rows;

    product(s, s->x, s->r);
    for (size_t i = 0; i < rows; i++)
        s->r[i] = s->b[i] - s->r[i];
    product(s, s->p, s->ap);
    product(s, s->ap, s->z);
    product(s, s->r, s->q);
    memcpy(s->e.vector + s->m->first, s->q, rows * sizeof *s->q);
    s->age = 0;
}

void pipelined_open(solver *s)
{
    memcpy(s->b, s->r, (size_t)s->m->rows * sizeof *s->r);
    replace(s);
    s->first = true;
}

/* beta and alpha of this iteration; before: (r, r) of the last one. False: there is no way on.
 * Rounding may have ruined the directions: then they are forgotten, and the next iteration begins
 * from x. */
static bool coefficients(solver *s, double before, double wr, double *beta)
{
    double curvature; /* (p, A p) of the new p */

    *beta = s->first ? 0 : s->rr / before;
    curvature = s->first ? wr : wr - *beta * s->rr / s->alpha;
    if (!(curvature > 0) && !s->first) {
        memset(s->p, 0, (size_t)s->m->rows * sizeof *s->p);
        replace(s);
        s->first = true;
        return false;
    }
    solver_check(s, curvature);
    s->alpha = s->rr / curvature;
    return !s->broken;
}

static void update(solver *s, double beta)
{
    double *w = s->e.vector + s->m->first, alpha = s->alpha;

    for (int i = 0; i < s->m->rows; i++) {
        s->p[i] = s->r[i] + beta * s->p[i];
        s->ap[i] = w[i] + beta * s->ap[i];
        s->z[i] = s->q[i] + beta * s->z[i];
        s->x[i] += alpha * s->p[i];
        s->r[i] -= alpha * s->ap[i];
        w[i] -= alpha * s->z[i];
    }
}

void pipelined_iterate(solver *s)
{
    const double *w = s->e.vector + s->m->first;
    double before = s->rr, beta;

    s->e.sums[0] = dot(s->m->rows, s->r, s->r);
    s->e.sums[1] = dot(s->m->rows, w, s->r);
    sums_start(&s->e);
    multiply(&s->e, s->q);
    sums_finish(&s->e);
    s->rr = s->e.sums[0];
    if (s->rr != 0) /* which is the solution itself */
        solver_check(s, s->rr);
    if (s->broken || solver_converged(s) || !coefficients(s, before, s->e.sums[1], &beta))
        return;
    update(s, beta);
    s->first = false;
    if (++s->age == s->o->replace)
        replace(s);
}
