/* decisions.c - see decisions.h. */
#include "api/decisions.h"

#include "nbc/process/process.h"

#include <stdlib.h>
#include <string.h>

/* One block of memory, so that whoever gives the communicator back can free it. */
typedef struct decisions {
    int n, room;
    struct kept {
        uint32_t key;
        algo_set without;
        decision decision;
    } kept[];
} decisions;

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

static bool find(const comm *c, uint32_t key, const algo_set *without, decision *result)
{
    const decisions *all = c->decisions;

    for (int i = 0; all && i < all->n; i++)
        if (all->kept[i].key == key && is_the_same(&all->kept[i].without, without)) {
            *result = all->kept[i].decision;
            return true;
        }
    return false;
}

/* Without memory it is found out again. Two threads may both have found it. */
static void keep(comm *c, uint32_t key, const algo_set *without, const decision *v)
{
    decisions *all = c->decisions;
    int n = all ? all->n : 0, room = all ? all->room : 0;

    if (n == room) {
        room = 2 * room + 4;
        all = realloc(all, sizeof *all + (size_t)room * sizeof *all->kept);
        if (!all)
            return;
        all->n = n;
        all->room = room;
        c->decisions = all;
    }
    all->kept[all->n++] = (struct kept){.key = key, .without = *without, .decision = *v};
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
    v->best[0] = (forecast){.choice = v->choice, .time = known->ns * 1000, .executed = true};
    return true;
}

decision decision_of(comm *c, const coll *call, int64_t bytes, const algo_set *without)
{
    bool wise =
        c->knows_alike && coll_has_common_size(call->kind) && wisdom_count(c->knows->wisdom);
    char shape[WISDOM_SHAPE] = "";
    wisdom_key of_wisdom = wisdom_key_of(call, bytes, shape);
    uint32_t key = key_of(call, bytes, wise && of_wisdom.in_place);
    decision v = {0};

    process_lock();
    bool found = find(c, key, without, &v);
    process_unlock();
    if (found)
        return v;
    if (wise) {
        wisdom_shape(c->topo, shape, sizeof shape);
        of_wisdom = wisdom_key_of(call, bytes, shape);
    }
    if (!wise || !recall(c, &of_wisdom, without, &v))
        v.n = planner_choose(call, bytes, without, c->topo, &c->machine, &v.choice, v.best, &v.why);
    process_lock();
    keep(c, key, without, &v);
    process_unlock();
    return v;
}

/* One that is not in the list. */
static bool find_other(const comm *c, const coll *call, int64_t bytes, const algo_set *without,
                       const constants *k, const choice *list, int n, choice *other)
{
    algo_set others = *without;

    for (int i = 0; i < n; i++)
        algo_set_add(&others, list[i].algo);
    return planner_candidate(call, bytes, &others, c->topo, k, other);
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
