/* SPDX-License-Identifier: BSD-3-Clause */
/* phase.c - see phase.h. */
#include "algos/phase.h"

const algo *const phase_exscans[] = {&algo_exscan_recursive_doubling, &algo_exscan_doubling_123,
                                     NULL};

static bool takes_pieces(const algo *phase)
{
    return phase->parts == algo_parts_of_pieces;
}

static bool phase_fits(const algo *phase, const algo_options *o)
{
    return !(o->noncommutative && phase->commutes) && !(o->user_op && phase->parts);
}

const algo *phase_of(const algo_options *o)
{
    int i = 0;

    if (phase_fits(o->phases[o->variant], o))
        return o->phases[o->variant];
    while (!phase_fits(o->phases[i], o))
        i++;
    return o->phases[i];
}

/* Among n members. */
static algo_options options_of(const algo *phase, const algo_options *o, int n, int root)
{
    algo_options inner = *o;

    inner.root = root;
    inner.parameter = takes_pieces(phase) ? o->parameter : algo_parameter_for(phase, 0, n);
    inner.variant = 0;
    inner.phases = phase->variants;
    return inner;
}

void phase_compile(const algo_options *o, const group *g, int root, const blockmap *b,
                   sched_builder *s)
{
    const algo *phase = phase_of(o);
    algo_options inner = options_of(phase, o, g->size, root);

    phase->compile(&inner, g, b, s);
}

int phase_parts(const algo_options *o, int n, sched_builder *s)
{
    const algo *phase = phase_of(o);
    algo_options inner = options_of(phase, o, n, 0);
    group between = {.size = n};
    bool pieces = sched_form(s) == FORM_BLOCK && !takes_pieces(phase) && o->parameter > 1;

    if (o->user_op)
        return 1;
    return parts_times(pieces ? o->parameter : 1, algo_parts(phase, &inner, &between, s));
}
