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
        decision decision;
    } kept[];
} decisions;

static uint32_t key_of(const coll *c, int64_t bytes)
{
    uint32_t class = (uint32_t)planner_class(c->kind, c->p, bytes);

    return (uint32_t)c->kind << 16 | (uint32_t)c->ordered << 15 | (uint32_t)c->whole << 14 | class;
}

static bool find(const comm *c, uint32_t key, decision *result)
{
    const decisions *all = c->decisions;

    for (int i = 0; all && i < all->n; i++)
        if (all->kept[i].key == key) {
            *result = all->kept[i].decision;
            return true;
        }
    return false;
}

/* Without memory it is found out again. Two threads may both have found it. */
static void keep(comm *c, uint32_t key, const decision *v)
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
    all->kept[all->n++] = (struct kept){.key = key, .decision = *v};
}

decision decision_of(comm *c, const coll *call, int64_t bytes)
{
    uint32_t key = key_of(call, bytes);
    decision v = {0};

    process_lock();
    bool found = find(c, key, &v);
    process_unlock();
    if (found)
        return v;
    v.n = planner_choose(call, bytes, c->topo, &c->machine, &v.choice, v.best, &v.why);
    if (v.n == 0)
        return v;
    process_lock();
    keep(c, key, &v);
    process_unlock();
    return v;
}

void decisions_forget(comm *c)
{
    process_lock();
    free(c->decisions);
    c->decisions = NULL;
    process_unlock();
}
