/* SPDX-License-Identifier: BSD-3-Clause */
/* halo_choice.c - see halo_choice.h. */
#include "api/halo_choice.h"

#include "api/execs.h"
#include "api/together.h"
#include "nbc/process/env.h"
#include "nbc/process/mutex.h"
#include "tune/halo_estimate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What all nodes together find: of each form the most that it is on any node. */
typedef struct votes {
    int64_t time[HALO_FORMS];
    halo_leaving leaving[HALO_FORMS];
} votes;

enum { VOTES = sizeof(votes) / sizeof(int64_t) };

/* Those that it may be; 0: it is not open. */
static int open_forms(const call *c, const algo_set *without, const choice *chosen,
                      halo_form list[HALO_FORMS])
{
    bool open = c->algo == ALGO_NONE && chosen->by_rule && c->comm->same_environment &&
                chosen->algo == ALGO_neighbor_alltoall_linear;
    int n = open ? halo_forms(c->comm->topo, without, list) : 0;

    return n > 1 ? n : 0;
}

void halo_choice_open(const call *c, const algo_set *without, choice *chosen)
{
    halo_form forms[HALO_FORMS];

    if (open_forms(c, without, chosen, forms) == 0)
        return;
    chosen->algo = forms[1].algo;
    chosen->parameter = forms[1].parameter;
    chosen->by_estimates = true;
}

int halo_choice_candidates(const call *c, MPI_Info info, choice *list, int most, int *n)
{
    halo_form forms[HALO_FORMS];
    selection s;
    int error = choose(c, info, &s);

    *n = error ? 0 : open_forms(c, &s.without, &s.choice, forms);
    *n = *n < most ? *n : most;
    for (int i = 0; i < *n; i++) {
        list[i] = s.choice;
        list[i].algo = forms[i].algo;
        list[i].parameter = forms[i].parameter;
    }
    return error;
}

/* Each rank of a node some of them. Without memory it looks as if every form but `linear` took for
 * ever. */
static int estimate(const call *c, const int64_t *lists, const halo_form *forms, int n, votes *mine)
{
    const topo_level *nodes = topo_nodes(c->comm->topo);
    int node = nodes->region[c->comm->rank], first = topo_position(nodes, c->comm->rank);
    coll asked = c->coll;

    memset(mine, 0, sizeof *mine);
    if (first >= n)
        return MPI_SUCCESS;
    asked.neighbors = comm_neighbors(c->comm, c->coll.kind);
    asked.exchanged_sizes = lists;
    if (halo_estimate(&asked, c->comm->topo, &c->comm->machine, forms, n, first,
                      nodes->first[node + 1] - nodes->first[node], mine->time, mine->leaving))
        return MPI_SUCCESS;
    for (int i = 1; i < n; i++)
        mine->time[i] = INT64_MAX;
    return MPI_ERR_NO_MEM;
}

/* For people. */
static void describe(const call *c, const votes *v, int taken, const choice *chosen, char *text,
                     size_t size)
{
    const halo_leaving *now = &v->leaving[taken], *linear = &v->leaving[0];
    char name[64], other[64] = "";

    select_print(chosen, name, sizeof name);
    if (taken > 0)
        snprintf(other, sizeof other, "; linear: %.3g us", 1e-6 * (double)v->time[0]);
    snprintf(text, size,
             "persistent %s on %d ranks: %s (estimates of all nodes: %.3g us%s); a node sends "
             "others at most %lld message%s of %lld bytes in all, by linear %lld message%s of %lld "
             "bytes",
             coll_kind_name(c->coll.kind), c->comm->p, name, 1e-6 * (double)v->time[taken], other,
             (long long)now->messages, now->messages == 1 ? "" : "s", (long long)now->bytes,
             (long long)linear->messages, linear->messages == 1 ? "" : "s",
             (long long)linear->bytes);
}

/* TUTTI_VERBOSE says it now, tutti_comm_explain later. */
static void report(const call *c, const votes *v, int taken, const choice *chosen)
{
    enum { REPORT = 400 };
    comm *on = c->comm;
    char *text = malloc(REPORT);

    if (!text)
        return;
    describe(c, v, taken, chosen, text, REPORT);
    if (env_verbose() && on->rank == 0)
        env_say_here("%s", text);
    mutex_lock(&on->state_lock);
    free(on->halo_report);
    on->halo_report = text;
    mutex_unlock(&on->state_lock);
}

int halo_choice_close(const call *c, const algo_set *without, const int64_t *lists, choice *chosen)
{
    halo_form forms[HALO_FORMS];
    int n = halo_forms(c->comm->topo, without, forms), taken;
    votes mine, all;
    int error = estimate(c, lists, forms, n, &mine);
    int failure = together_find_largest(c->comm, (int64_t *)&mine, (int64_t *)&all, VOTES);

    if (failure)
        return error ? error : failure;
    taken = halo_fastest(all.time, n);
    chosen->algo = forms[taken].algo;
    chosen->parameter = forms[taken].parameter;
    chosen->by_estimates = false;
    if (!error)
        report(c, &all, taken, chosen);
    return error;
}
