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

static bool may_be_linear(const algo_set *without)
{
    return !algo_set_has(without, ALGO_neighbor_alltoall_linear);
}

/* Those that it may be, after `linear`; 0: it is not open. */
static int open_forms(const call *c, const algo_set *without, const choice *chosen,
                      halo_form list[HALO_FORMS])
{
    bool open = c->algo == ALGO_NONE && chosen->by_rule && c->comm->same_environment &&
                (chosen->algo == ALGO_neighbor_alltoall_linear || !may_be_linear(without));
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
    chosen->undecided = true;
}

int halo_choice_candidates(const call *c, MPI_Info info, choice *list, int most, int *n)
{
    halo_form forms[HALO_FORMS];
    selection s = {0};
    int error = choose(c, info, &s);
    int end = error ? 0 : open_forms(c, &s.without, &s.choice, forms);

    *n = 0;
    for (int i = may_be_linear(&s.without) ? 0 : 1; i < end && *n < most; i++) {
        list[*n] = s.choice;
        list[*n].algo = forms[i].algo;
        list[(*n)++].parameter = forms[i].parameter;
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

typedef struct halo_found {
    coll_kind kind;
    choice chosen;
    bool is_linear;
    int64_t time, linear_time;
    halo_leaving leaving, by_linear;
} halo_found;

static void describe(const comm *c, const halo_found *f, char text[HALO_CHOICE_TEXT])
{
    char name[64], other[64] = "";

    select_print(&f->chosen, name, sizeof name);
    if (!f->is_linear)
        snprintf(other, sizeof other, "; linear: %.3g us", 1e-6 * (double)f->linear_time);
    snprintf(
        text, HALO_CHOICE_TEXT,
        "persistent %s on %d ranks: %s (estimate of the slowest node: %.3g us%s); a node "
        "sends others at most %lld message%s and %lld bytes, by linear %lld message%s and %lld "
        "bytes",
        coll_kind_name(f->kind), c->p, name, 1e-6 * (double)f->time, other,
        (long long)f->leaving.messages, f->leaving.messages == 1 ? "" : "s",
        (long long)f->leaving.bytes, (long long)f->by_linear.messages,
        f->by_linear.messages == 1 ? "" : "s", (long long)f->by_linear.bytes);
}

bool halo_choice_describe(comm *c, char text[HALO_CHOICE_TEXT])
{
    bool any;

    mutex_lock(&c->state_lock);
    any = c->halo_found != NULL;
    if (any)
        describe(c, c->halo_found, text);
    mutex_unlock(&c->state_lock);
    return any;
}

/* For TUTTI_VERBOSE now, and for tutti_comm_explain; without memory for nobody. */
static void note(const call *c, const votes *v, int taken, const choice *chosen)
{
    const halo_found found = {.kind = c->coll.kind,
                              .chosen = *chosen,
                              .is_linear = taken == 0,
                              .time = v->time[taken],
                              .linear_time = v->time[0],
                              .leaving = v->leaving[taken],
                              .by_linear = v->leaving[0]};
    comm *on = c->comm;
    char text[HALO_CHOICE_TEXT];

    mutex_lock(&on->state_lock);
    if (!on->halo_found)
        on->halo_found = malloc(sizeof found);
    if (on->halo_found)
        *on->halo_found = found;
    mutex_unlock(&on->state_lock);
    if (env_verbose() && on->rank == 0 && halo_choice_describe(on, text))
        env_say_here("%s", text);
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
    taken = halo_fastest(all.time, n, may_be_linear(without));
    chosen->algo = forms[taken].algo;
    chosen->parameter = forms[taken].parameter;
    chosen->undecided = false;
    if (!error)
        note(c, &all, taken, chosen);
    return error;
}
