/* SPDX-License-Identifier: BSD-3-Clause */
/* decisions.c - see decisions.h. */
#include "api/decisions.h"

#include "nbc/process/mpi_library.h"
#include "nbc/process/process.h"

#include <stdlib.h>
#include <string.h>

/* One block of memory, so that whoever gives the communicator back can free it. */
typedef struct decisions {
    int n, room;
    struct kept {
        uint32_t key;
        algo_set without;
        decision decision;      /* or, with a key of OF_SERVER, */
        decision_server server; /* this */
    } kept[];
} decisions;

#define OF_SERVER ((uint32_t)1 << 31)

static uint32_t key_of(const coll *c, int64_t bytes, bool in_place)
{
    uint32_t class = (uint32_t)planner_class(c->kind, c->p, bytes);

    return (uint32_t)c->kind << 17 | (uint32_t)in_place << 16 | (uint32_t)c->ordered << 15 |
           (uint32_t)c->whole << 14 | class;
}

static bool is_the_same(const algo_set *a, const algo_set *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* Into *result, if it is there. */
static bool find(const comm *c, struct kept *result)
{
    bool found = false;

    process_lock();
    const decisions *all = c->decisions;
    for (int i = 0; all && i < all->n && !found; i++)
        if (all->kept[i].key == result->key &&
            is_the_same(&all->kept[i].without, &result->without)) {
            *result = all->kept[i];
            found = true;
        }
    process_unlock();
    return found;
}

/* Without memory it is found out again. Two threads may both have found it. */
static void keep(comm *c, const struct kept *one)
{
    process_lock();
    decisions *all = c->decisions;
    int n = all ? all->n : 0, room = all ? all->room : 0;
    if (n == room) {
        room = 2 * room + 4;
        all = realloc(all, sizeof *all + (size_t)room * sizeof *all->kept);
        if (all) {
            all->n = n;
            all->room = room;
            c->decisions = all;
        }
    }
    if (all)
        all->kept[all->n++] = *one;
    process_unlock();
}

/* A file may claim any time. */
static int64_t picoseconds(int64_t ns)
{
    const int64_t most = INT64_MAX / 2048;

    return 1000 * (ns < most ? ns : most);
}

/* What wisdom says of the call, if it says something that is not forbidden. */
static bool recall(const comm *c, const wisdom_key *key, const algo_set *without, decision *v)
{
    const verdict *known = wisdom_find(c->knows->wisdom, key);

    if (!known || algo_set_has(without, known->choice.algo))
        return false;
    *v = (decision){.choice = known->choice, .why = "wisdom", .n = known->ns > 0, .wise = true};
    v->choice.order_named = false; /* as for what the estimate takes: hints may ask for another */
    v->choice.by_rule = true;
    v->best[0] = (forecast){.choice = v->choice, .time = picoseconds(known->ns), .executed = true};
    return true;
}

/* May wisdom know something of it? */
static bool may_be_known(const comm *c, const coll *call)
{
    return c->knows_alike && coll_has_common_size(call->kind) && wisdom_count(c->knows->wisdom);
}

static wisdom_key full_key(const comm *c, const coll *call, int64_t bytes)
{
    char shape[WISDOM_SHAPE];

    wisdom_shape(c->topo, shape, sizeof shape);
    return wisdom_key_of(call, bytes, shape);
}

/* Where it is kept. *wise: may_be_known. */
static struct kept kept_of(const comm *c, const coll *call, int64_t bytes, const algo_set *without,
                           bool *wise)
{
    *wise = may_be_known(c, call);
    bool in_place = *wise && wisdom_key_of(call, bytes, "").in_place;

    return (struct kept){.key = key_of(call, bytes, in_place), .without = *without};
}

decision decision_of(comm *c, const coll *call, int64_t bytes, const algo_set *without)
{
    bool wise;
    struct kept one = kept_of(c, call, bytes, without, &wise);
    decision *v = &one.decision;

    if (find(c, &one))
        return *v;
    if (wise) {
        wisdom_key key = full_key(c, call, bytes);
        wise = recall(c, &key, without, v);
    }
    if (!wise)
        v->n = planner_choose(call, bytes, without, c->topo, &c->machine, &v->choice, v->best,
                              &v->why);
    keep(c, &one);
    return *v;
}

static bool recall_server(const comm *c, const coll *call, int64_t bytes, decision_server *s)
{
    wisdom_key key = full_key(c, call, bytes);

    key = wisdom_server_key(&key);
    const verdict *known = wisdom_find(c->knows->wisdom, &key);
    if (known)
        *s = (decision_server){.native = known->native, .wise = true};
    return known;
}

/* An algorithm that wisdom names is ours. */
static decision_server find_server(comm *c, const coll *call, int64_t bytes,
                                   const algo_set *without, bool wise)
{
    decision_server s = {0};
    decision ours;

    if (wise && recall_server(c, call, bytes, &s))
        return s;
    ours = decision_of(c, call, bytes, without);
    s.wise = ours.wise;
    if (s.wise)
        return s;
    s.estimated = native_estimate(call, bytes, without, c->topo, &c->machine,
                                  mpi_library_here()->version.family, ours.n > 0 ? ours.best : NULL,
                                  &s.times);
    s.native = !s.estimated || !native_gains(&s.times);
    return s;
}

decision_server decision_of_server(comm *c, const coll *call, int64_t bytes,
                                   const algo_set *without)
{
    bool wise;
    struct kept one = kept_of(c, call, bytes, without, &wise);

    if (native_errs(call, bytes, &mpi_library_here()->version))
        return (decision_server){.native = false};
    one.key |= OF_SERVER;
    if (find(c, &one))
        return one.server;
    one.server = find_server(c, call, bytes, without, wise);
    keep(c, &one);
    return one.server;
}

/* One that is not in the list. */
static bool find_other(const comm *c, const coll *call, int64_t bytes, const algo_set *without,
                       const constants *k, const choice *list, int n, choice *other)
{
    algo_set others = *without;
    forecast best;

    for (int i = 0; i < n; i++)
        algo_set_add(&others, list[i].algo);
    if (!planner_best(call, bytes, &others, c->topo, k, &best))
        return false;
    *other = best.choice;
    return true;
}

/* The last one is that of a common machine, should the constants be wrong. */
int decisions_candidates(comm *c, const coll *call, int64_t bytes, const algo_set *without,
                         const choice *first, choice *list, int most)
{
    const constants *common = constants_builtin("ethernet");
    int n = 1;

    list[0] = *first;
    while (n < most && find_other(c, call, bytes, without, n + 1 < most ? &c->machine : common,
                                  list, n, &list[n]))
        n++;
    return n;
}

void decisions_forget(comm *c)
{
    process_lock();
    free(c->decisions);
    c->decisions = NULL;
    process_unlock();
}
