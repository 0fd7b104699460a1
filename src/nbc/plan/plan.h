/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.h - a schedule with what it was compiled from, kept on the communicator.
 *
 * A plan is found by its key: everything the schedule depends on. It holds no type and no address.
 * References: the cache's, and one per exec in use. Idle execs stay with the call that they are
 * bound for (known.h), or else with their plan, so that a call that comes again compiles nothing,
 * allocates nothing and only changes addresses.
 */
#ifndef TUTTI_PLAN_H
#define TUTTI_PLAN_H

#include "nbc/comm/comm.h"
#include "nbc/plan/known.h"
#include "nbc/run/exec.h"
#include "nbc/sched/coll.h"

#define HASH_NONFATAL_OOM 1 /* without memory for the table a plan is just not cached */
#include <uthash.h>

/* Tuning: plans kept per communicator, idle execs kept per plan; but one only if it has so many
 * bytes of scratch. */
enum { PLAN_CACHE = 64, PLAN_IDLE = 8, PLAN_LARGE = 65536 };

typedef struct plan_key { /* no padding: compared as bytes, hashed as words of 8 */
    uint16_t kind, form;
    int32_t algo, parameter, variant, order, root;
    uint8_t in_place, noncommutative, symmetric, user_op, packs; /* as in coll */
    uint8_t send_empty, recv_empty; /* a block of SEND, of RECV has nothing in it */
    uint8_t exchanged_rounds; /* of a size exchange: what they have found is at the end of v */
    int64_t v[]; /* counts[n], displs[n] of RECV if it is listed or typed; then those of SEND, or of
                    the blocks that are reduced (SIZED); then what a size exchange has found */
} plan_key;

typedef struct plan {
    UT_hash_handle hh;
    int refs;
    bool cached;
    sched *sched;
    exec *idle; /* list by `next` */
    int nidle;
    uint64_t used;              /* comm.plan_uses */
    struct plan *next_deferred; /* plan_free_deferred's list */
    size_t key_size;
    plan_key key; /* last: of variable size */
} plan;

/* Make a schedule from a key; given by who knows the algorithms. */
typedef int plan_compile(const plan_key *key, const comm *c, sched **result);

/* The plan of this key with a reference for the caller, from the cache or compiled. */
int plan_get(comm *c, const plan_key *key, size_t key_size, plan_compile *compile, plan **result);
void plan_unref(plan *p);

/* Library lock: it has been used without plan_get. */
static inline void plan_use(comm *c, plan *p)
{
    p->used = ++c->plan_uses;
}

/* Library lock: what is left of calls that are not known any more (known_left) idles with plans, or
 * waits for plan_free_deferred. */
void plan_take_left(void);

/* Calls with a type that is over are not known any more. Looked for only if one has ended, or if
 * this one is about to be freed. Library lock. */
void plan_forget_type(const lifetime *l);
extern unsigned plan_type_ends;
static inline void plan_forget_types(void)
{
    if (atomic_load_explicit(&lifetime_ends, memory_order_relaxed) != plan_type_ends)
        plan_forget_type(NULL);
}

/* Library lock: the first of the call's idle execs, with references to plan and communicator. */
static inline exec *plan_take_known(known *k, comm *c)
{
    exec *e = k->idle;

    k->idle = e->next;
    k->nidle--;
    k->refs++;
    k->plan->refs++;
    c->refs++;
    known_count(c, e, -1);
    e->plan = k->plan;
    e->comm = c;
    return e;
}

/* Drop the cache's references: the communicator goes. */
void plan_cache_clear(comm *c);

/* Its algorithm; and for TUTTI_STATS. */
choice plan_choice(const plan *p);
void plan_fill_stats(const plan *p, stats_call *call);

/* An exec of the plan, not bound; takes over the caller's reference to the plan and adds one to
 * the communicator. */
int plan_take_exec(plan *p, comm *c, exec **result);

/* An exec of no plan yet, with a reference to the communicator; and the plan that it gets, with the
 * caller's reference. */
int plan_take_empty(comm *c, exec **result);
int plan_attach(plan *p, exec *e);

/* Give an exec back: it stays with the plan if it can be used again. Drops its references. */
void plan_return_exec(exec *e);

/* Free what could not be freed inside a callback of MPI (process_in_callback). Not inside one. */
void plan_free_deferred(void);

#endif
