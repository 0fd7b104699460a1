/* SPDX-License-Identifier: BSD-3-Clause */
/* pipelined.c - conjugate gradients with one sum in an iteration, under the product.
 *
 *   plain       A p | sum (p, A p) | x, r | sum (r, r) | p           nobody does anything in a sum
 *   pipelined   start the sum of (r, r) and (w, r), w = A r
 *               q = A w                                              with its own exchange of w
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
#include "common/pipelined.h"

#include <string.h>

/* y = A v, of vectors of which each rank has its rows. */
static void multiply(solver *s, const double *v, double *y)
{
    memcpy(product_vector(s->product), v, (size_t)s->problem->rows * sizeof *v);
    product_multiply(s->product, &s->sums, y);
}

/* What x and p say. w stays in the vector to be multiplied, so it is the last one. */
static void replace(solver *s)
{
    size_t rows = (size_t)s->problem->rows;

    multiply(s, s->x, s->r);
    for (size_t i = 0; i < rows; i++)
        s->r[i] = s->problem->b[i] - s->r[i];
    multiply(s, s->p, s->ap);
    multiply(s, s->ap, s->z);
    multiply(s, s->r, s->q);
    memcpy(product_vector(s->product), s->q, rows * sizeof *s->q);
    s->age = 0;
}

void pipelined_open(solver *s)
{
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
        memset(s->p, 0, (size_t)s->problem->rows * sizeof *s->p);
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
    double *w = product_vector(s->product), alpha = s->alpha;

    for (int i = 0; i < s->problem->rows; i++) {
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
    const double *w = product_vector(s->product);
    double before = s->rr, beta;

    s->sums.values[0] = dot(s->problem->rows, s->r, s->r);
    s->sums.values[1] = dot(s->problem->rows, w, s->r);
    sums_start(&s->sums);
    product_multiply(s->product, &s->sums, s->q);
    sums_finish(&s->sums);
    s->rr = s->sums.values[0];
    if (s->rr != 0) /* which is the solution itself */
        solver_check(s, s->rr);
    if (s->broken || solver_converged(s) || !coefficients(s, before, s->sums.values[1], &beta))
        return;
    update(s, beta);
    s->first = false;
    if (++s->age == s->o->replace)
        replace(s);
}
