/* SPDX-License-Identifier: BSD-3-Clause */
/* phase.c - see phase.h. */
#include "algos/phase.h"

static bool takes_pieces(const algo *phase)
{
    return phase->parts == algo_parts_of_pieces;
}

static bool fits(const algo *phase, const algo_options *o)
{
    return !(o->ordered && phase->commutes) && !(o->whole && phase->parts);
}

const algo *phase_of(const algo *const *phases, const algo_options *o)
{
    int i = 0;

    if (fits(phases[o->variant], o))
        return phases[o->variant];
    while (!fits(phases[i], o))
        i++;
    return phases[i];
}

algo_options phase_options(const algo *phase, const algo_options *o, int n, int root)
{
    algo_options inner = *o;

    inner.root = root;
    inner.parameter = takes_pieces(phase) ? o->parameter : algo_parameter_for(phase, 0, n);
    inner.variant = 0;
    return inner;
}

int phase_parts(const algo *phase, const algo_options *o, int n, sched_builder *s)
{
    algo_options inner = phase_options(phase, o, n, 0);
    group between = {.size = n};
    bool pieces = sched_form(s) == FORM_BLOCK && !takes_pieces(phase) && o->parameter > 1;

    if (o->whole)
        return 1;
    return parts_times(pieces ? o->parameter : 1, algo_parts(phase, &inner, &between, s));
}
