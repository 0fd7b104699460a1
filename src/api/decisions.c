/* SPDX-License-Identifier: BSD-3-Clause */
/* decisions.c - see decisions.h. */
#include "api/decisions.h"

#include "nbc/process/env.h"
#include "nbc/process/mpi_library.h"

#define OF_SERVER ((uint64_t)1 << 32)
#define OF_TRIED  ((uint64_t)1 << 33)

static uint64_t key_of_call(const coll *c, int64_t bytes, bool in_place)
{
    uint64_t class = (uint64_t)planner_class(c->kind, c->p, bytes);

    return (uint64_t)c->kind << 17 | (uint64_t)in_place << 16 | (uint64_t)c->noncommutative << 15 |
           (uint64_t)c->user_op << 14 | class;
}

/* A file may claim any time. */
static int64_t picoseconds(int64_t ns)
{
    const int64_t most = INT64_MAX / 2048;

    return 1000 * (ns < most ? ns : most);
}

/* The choice of wisdom for the call, if there is one and it is not forbidden. */
static bool recall(const comm *c, const wisdom_key *key, const algo_set *without, decision *v)
{
    const verdict *known = wisdom_find(c->wisdom, key);

    if (!known || algo_set_has(without, known->choice.algo))
        return false;
    *v = (decision){.choice = known->choice, .why = "wisdom", .n = known->ns > 0, .wise = true};
    v->choice.order_named = false; /* as for what the estimate takes: hints may ask for another */
    v->choice.by_rule = true;
    v->best[0] = (forecast){.choice = v->choice, .time = picoseconds(known->ns), .executed = true};
    return true;
}

/* May wisdom have a choice for the call? */
static bool may_be_known(const comm *c, const coll *call)
{
    return c->same_wisdom && coll_has_common_size(call->kind) && wisdom_count(c->wisdom);
}

static wisdom_key full_key(const comm *c, const coll *call, int64_t bytes)
{
    char shape[WISDOM_SHAPE];

    wisdom_shape(c->topo, shape, sizeof shape);
    return wisdom_key_of(call, bytes, shape);
}

/* The key in the tables of decisions. *wise: may_be_known. */
static decision_call decision_call_of(const comm *c, const coll *call, int64_t bytes,
                                      const algo_set *without, bool *wise)
{
    *wise = may_be_known(c, call);
    bool in_place = *wise && wisdom_key_of(call, bytes, "").in_place;

    return (decision_call){.key = key_of_call(call, bytes, in_place), .without = *without};
}

int decision_of(comm *c, const coll *call, int64_t bytes, const algo_set *without, decision *result)
{
    bool wise;
    decision_call asked = decision_call_of(c, call, bytes, without, &wise);
    decided d = {0};
    decision *v = &d.decision;

    if (!decision_tables_find(c, &asked, &d)) {
        if (wise) {
            wisdom_key key = full_key(c, call, bytes);
            wise = recall(c, &key, without, v);
        }
        if (!wise)
            v->n = planner_choose(call, bytes, without, c->topo, &c->machine, &v->choice, v->best,
                                  &v->why);
        if (v->n < 0)
            return MPI_ERR_NO_MEM;
        decision_tables_keep(c, &asked, &d);
    }
    *result = *v;
    return MPI_SUCCESS;
}

static bool recall_server(const comm *c, const coll *call, int64_t bytes, decision_server *s)
{
    wisdom_key key = full_key(c, call, bytes);

    key = wisdom_server_key(&key);
    const verdict *known = wisdom_find(c->wisdom, &key);
    if (known)
        *s = (decision_server){.native = known->native, .wise = true};
    return known;
}

/* If wisdom names an algorithm for the call, Tutti serves it. */
static int find_server(comm *c, const coll *call, int64_t bytes, const algo_set *without, bool wise,
                       decision_server *s)
{
    decision ours;
    int error, estimated;

    if (wise && recall_server(c, call, bytes, s))
        return MPI_SUCCESS;
    error = decision_of(c, call, bytes, without, &ours);
    if (error)
        return error;
    s->wise = ours.wise;
    if (s->wise)
        return MPI_SUCCESS;
    estimated = native_estimate(call, bytes, without, c->topo, &c->machine,
                                mpi_library_here()->version.family, ours.n > 0 ? ours.best : NULL,
                                &s->times);
    if (estimated < 0)
        return MPI_ERR_NO_MEM;
    s->estimated = estimated > 0;
    s->native = !s->estimated || !native_gains(&s->times);
    return MPI_SUCCESS;
}

int decision_of_server(comm *c, const coll *call, int64_t bytes, const algo_set *without,
                       decision_server *result)
{
    bool wise;
    decided d = {0};
    int error = MPI_SUCCESS;

    if (!may_be_known(c, call)) /* to estimate more sizes takes longer than it would gain */
        bytes = planner_octave(call->kind, call->p, bytes);
    decision_call asked = decision_call_of(c, call, bytes, without, &wise);
    asked.key |= OF_SERVER;
    if (!native_errs(call, bytes, &mpi_library_here()->version) &&
        !decision_tables_find(c, &asked, &d)) {
        error = find_server(c, call, bytes, without, wise, &d.server);
        if (!error)
            decision_tables_keep(c, &asked, &d);
    }
    if (!error)
        *result = d.server;
    return error;
}

uint64_t decisions_class(const coll *call, int64_t bytes)
{
    return key_of_call(call, planner_octave(call->kind, call->p, bytes), false) | OF_SERVER;
}

bool decisions_find_faster(comm *c, uint64_t class, const algo_set *without, bool *native)
{
    decision_call asked = {.key = class | OF_TRIED, .without = *without};
    decided d;
    bool known = decision_tables_find(c, &asked, &d);

    if (known)
        *native = d.server.native;
    return known;
}

/* Calls in place are of the same class. */
static void learn_server(const comm *c, const coll *call, int64_t bytes, verdict v)
{
    wisdom_key key = full_key(c, call, bytes);

    v.key = wisdom_server_key(&key);
    for (int in_place = 0; in_place < 2; in_place++) {
        v.key.in_place = in_place;
        process_wisdom_learn(&v); /* refused where a rank may be in place alone */
    }
}

void decisions_keep_faster(comm *c, const coll *call, int64_t bytes, const algo_set *without,
                           bool native, int64_t ns, int calls)
{
    decision_call asked = {.key = decisions_class(call, bytes) | OF_TRIED, .without = *without};
    verdict v = {.native = native, .ns = ns > 0 ? ns : 1, .starts = calls};

    decision_tables_keep(c, &asked, &(decided){.server = {.native = native, .tried = true}});
    if (c->rank == 0 && env_measures() && algo_set_is_empty(without))
        learn_server(c, call, bytes, v);
}

/* One that is not in the list. Returns as planner_best. */
static int find_other(const comm *c, const coll *call, int64_t bytes, const algo_set *without,
                      const constants *k, const choice *list, int n, choice *other)
{
    algo_set others = *without;
    forecast best;
    int found;

    for (int i = 0; i < n; i++)
        algo_set_add(&others, list[i].algo);
    found = planner_best(call, bytes, &others, c->topo, k, &best);
    if (found > 0)
        *other = best.choice;
    return found;
}

/* The last one is that of a common machine, should the constants be wrong. */
int decisions_candidates(comm *c, const coll *call, int64_t bytes, const algo_set *without,
                         const choice *first, choice *list, int most)
{
    const constants *common = constants_builtin("ethernet");
    int n = 1, found = 1;

    list[0] = *first;
    while (n < most && found > 0) {
        found = find_other(c, call, bytes, without, n + 1 < most ? &c->machine : common, list, n,
                           &list[n]);
        n += found > 0;
    }
    return found < 0 ? found : n;
}
