/* SPDX-License-Identifier: BSD-3-Clause */
/* machine.c - see machine.h. */
#include "sim/machine.h"

#include "topo/shape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static const char *check_level(const topo_level *l, const topo_level *before, int p)
{
    int seen = 0;

    if (l->first[0] != 0 || l->first[l->n] != p)
        return "a level does not hold all ranks";
    for (int i = 0; i < l->n; i++) {
        int size = l->first[i + 1] - l->first[i];
        if (size < l->least || size > l->most || size < 1)
            return "a region has a wrong size";
        for (int k = l->first[i]; k < l->first[i + 1]; k++) {
            int rank = topo_member(l, k);
            if (l->region[rank] != i)
                return "a member is of another region";
            if (k > l->first[i] && rank <= topo_member(l, k - 1))
                return "members do not ascend";
            if (before && before->region[rank] != before->region[topo_member(l, l->first[i])])
                return "a level does not refine the one before";
        }
    }
    for (int r = 0; r < p; r++) {
        if (l->region[r] > seen)
            return "regions are not in the order of their lowest ranks";
        seen += l->region[r] == seen;
    }
    return l->n > (before ? before->n : 1) ? NULL : "a level is as the one before";
}

const char *topo_check(const topo *t)
{
    int distance = t->far;
    const char *wrong = NULL;

    for (int i = 0; i < t->nlevels && !wrong; i++) {
        wrong = check_level(&t->level[i], i ? &t->level[i - 1] : NULL, t->p);
        if (!wrong && t->level[i].distance >= distance)
            wrong = "distances do not fall from level to level";
        distance = t->level[i].distance;
    }
    return wrong;
}

/* ---- what crosses nodes ---- */

void count_message(void *context, int from, int to, int64_t size)
{
    traffic *f = context;
    int level = topo_regions(f->t);
    const int *region = level < f->t->nlevels ? f->t->level[level].region : NULL;
    int64_t blocks = size / f->count;

    f->weighted += blocks * topo_distance(f->t, from, to);
    if (!region || region[from] == region[to])
        return;
    f->far_messages[from]++;
    f->far_blocks[from] += blocks;
    f->out[region[from]] += blocks;
    f->in[region[to]] += blocks;
}

int most_messages(const traffic *f)
{
    int most = 0;

    for (int r = 0; r < f->t->p; r++)
        most = f->far_messages[r] > most ? f->far_messages[r] : most;
    return most;
}

int64_t most_blocks(const traffic *f)
{
    int64_t most = 0;

    for (int r = 0; r < f->t->p; r++)
        most = f->far_blocks[r] > most ? f->far_blocks[r] : most;
    return most;
}

/* ---- machines ---- */

topo *machine(const char *shape, int p)
{
    location *at = malloc((size_t)p * sizeof *at);
    char why[200];
    topo *t;

    if (!shape_locations(shape, p, at, why, sizeof why))
        fail_msg("%s: %s", shape, why);
    t = topo_make(at, p);
    assert_non_null(t);
    assert_null(topo_check(t));
    free(at);
    return t;
}

int draw(uint64_t *random, int n)
{
    return (int)(sim_random(random) % (uint64_t)n);
}

/* Ranks thrown on nodes, packages and caches; nodes on switches. */
topo *random_machine(int p, uint64_t *random)
{
    location *at = calloc((size_t)p, sizeof *at);
    int nodes = 1 + draw(random, p), packages = 1 + draw(random, 3), caches = 1 + draw(random, 2);
    topo *t;

    for (int r = 0; r < p; r++) {
        int node = draw(random, 4) ? r % nodes : draw(random, nodes);
        at[r].node = (uint64_t)node + 1;
        at[r].switches[0] = (uint64_t)node / 3 + 1;
        snprintf(at[r].host, sizeof at[r].host, "n%d", node);
        at[r].inside[TOPO_PACKAGE] = draw(random, packages);
        at[r].inside[TOPO_NUMA] = -1;
        at[r].inside[TOPO_L3] = draw(random, caches);
        at[r].inside[TOPO_CORE] = draw(random, 8);
    }
    t = topo_make(at, p);
    assert_null(topo_check(t));
    free(at);
    return t;
}

/* ---- runs ---- */

const algo *find(coll_kind kind, const char *name)
{
    int i = algo_find(kind, name);

    assert_int_not_equal(i, ALGO_NONE);
    return algo_table[i];
}

sim_result gather(const char *name, coll_form form, int variant, const topo *t, const char *shape,
                  traffic *f)
{
    *f = (traffic){.t = t, .count = 3};
    return coll_run_do((coll_run){.a = find(COLL_allgather, name),
                                  .form = form,
                                  .kind = COLL_allgather,
                                  .p = t->p,
                                  .count = f->count,
                                  .variant = variant,
                                  .topo = t,
                                  .shape = shape,
                                  .sends = SIM_MIXED,
                                  .seed = (uint64_t)t->p,
                                  .traffic = count_message,
                                  .context = f});
}
