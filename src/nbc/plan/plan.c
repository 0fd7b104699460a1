/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.c - the plan cache. */
#include "nbc/plan/plan.h"

#include "nbc/process/process.h"
#include "nbc/process/test_knobs.h"
#include "nbc/run/kept.h"
#include "nbc/sched/hash.h"

#include <stdlib.h>
#include <string.h>

unsigned plan_compilations;
unsigned plan_type_ends;

static void plan_free(plan *p)
{
    while (p->idle) {
        exec *e = p->idle;
        p->idle = e->next;
        exec_free(e);
    }
    sched_free(p->sched);
    free(p);
}

static _Atomic(plan *) dead_plans;
static _Atomic(exec *) dead_execs; /* each holds a reference to its plan */
static _Atomic(typed_blocks *) dead_blocks;

/* Library lock held: no datatype may be freed here. MPI takes a lock of its own for it, which
 * another thread may hold that MPI has called back, and that waits for ours. */
static void unref_locked(plan *p)
{
    if (--p->refs > 0)
        return;
    p->next_deferred = atomic_load(&dead_plans);
    while (!atomic_compare_exchange_weak(&dead_plans, &p->next_deferred, p))
        ;
    if (process_in_callback) /* else the caller frees it */
        atomic_store(&process_has_deferred, true);
}

static void defer_free(exec *e, plan *p)
{
    e->plan = p;
    e->next = atomic_load(&dead_execs);
    while (!atomic_compare_exchange_weak(&dead_execs, &e->next, e))
        ;
    atomic_store(&process_has_deferred, true);
}

static void defer_free_blocks(typed_blocks *t)
{
    t->next = atomic_load(&dead_blocks);
    while (!atomic_compare_exchange_weak(&dead_blocks, &t->next, t))
        ;
    atomic_store(&process_has_deferred, true);
}

/* What unref_locked has left. No lock held. */
static void free_dead_plans(void)
{
    plan *p = NULL;

    if (process_in_callback)
        return;
    if (atomic_load_explicit(&dead_plans, memory_order_relaxed))
        p = atomic_exchange(&dead_plans, NULL);
    while (p) {
        plan *next = p->next_deferred;
        plan_free(p);
        p = next;
    }
}

void plan_free_deferred(void)
{
    typed_blocks *t = NULL;
    exec *e = NULL;

    kept_free_deferred();
    if (atomic_load_explicit(&dead_execs, memory_order_relaxed))
        e = atomic_exchange(&dead_execs, NULL);
    while (e) {
        exec *next = e->next;
        plan *of = e->plan;
        exec_free(e);
        if (of)
            plan_unref(of);
        e = next;
    }
    free_dead_plans();
    if (atomic_load_explicit(&dead_blocks, memory_order_relaxed))
        t = atomic_exchange(&dead_blocks, NULL);
    while (t) {
        typed_blocks *next = t->next;
        typed_free(t);
        t = next;
    }
}

void plan_unref(plan *p)
{
    process_lock();
    unref_locked(p);
    process_unlock();
    free_dead_plans();
}

static bool give_idle(plan *p, exec *e)
{
    if (p->nidle >= (e->bound.memory < PLAN_LARGE ? PLAN_IDLE : 1))
        return false;
    e->next = p->idle;
    p->idle = e;
    p->nidle++;
    return true;
}

void plan_take_left(void)
{
    while (known_left) {
        exec *e = known_left;
        plan *p = e->plan;
        known_left = e->next;
        e->plan = NULL;
        if (e->bound.reusable && give_idle(p, e))
            continue;
        p->refs++;
        defer_free(e, p);
    }
    while (known_left_blocks) {
        typed_blocks *t = known_left_blocks;
        known_left_blocks = t->next;
        defer_free_blocks(t);
    }
}

void plan_forget_type(const lifetime *l)
{
    if (!l)
        plan_type_ends = atomic_load(&lifetime_ends);
    known_forget_type(l);
    plan_take_left();
}

static void drop_plan(comm *c, plan *p)
{
    HASH_DEL(c->plans, p);
    p->cached = false;
    if (c->plan_found == p)
        c->plan_found = NULL;
    known_forget(c, p);
    plan_take_left();
    unref_locked(p);
}

void plan_cache_clear(comm *c)
{
    plan *p, *next;

    process_lock();
    known_forget(c, NULL);
    plan_take_left();
    HASH_ITER (hh, c->plans, p, next)
        drop_plan(c, p);
    known_end(c);
    process_unlock();
    free_dead_plans();
}

static void cache(comm *c, plan *p, unsigned hash)
{
    HASH_ADD_KEYPTR_BYHASHVALUE(hh, c->plans, &p->key, p->key_size, hash, p);
    p->cached = p->hh.tbl != NULL;
}

/* The least recently used plan: the latest calls of a kind come back to theirs without an update.
 * There are fewer of them than plans. */
static plan *oldest(const comm *c)
{
    plan *p, *next, *found = NULL;

    HASH_ITER (hh, c->plans, p, next) {
        const known *k = c->latest[p->key.kind];
        if ((!k || k->plan != p) && (!found || p->used < found->used))
            found = p;
    }
    return found;
}

/* *hash: of the key, where the last one is not it. */
static plan *find_plan(const comm *c, const plan_key *key, size_t size, unsigned *hash)
{
    plan *p = c->plan_found;

    if (p && p->key_size == size && memcmp(&p->key, key, size) == 0)
        return p;
    *hash = (unsigned)hash_words(key, size); /* uthash's own goes byte by byte */
    HASH_FIND_BYHASHVALUE(hh, c->plans, key, size, *hash, p);
    return p;
}

static int compile_new(const comm *c, const plan_key *key, size_t size, plan_compile *compile,
                       plan **result)
{
    plan *p = malloc(offsetof(plan, key) + size); /* of which lists may be most */
    int error;

    if (!p)
        return MPI_ERR_NO_MEM;
    memset(p, 0, offsetof(plan, key));
    memcpy(&p->key, key, size);
    p->key_size = size;
    error = compile(&p->key, c, &p->sched);
    if (error) {
        free(p);
        return error;
    }
    *result = p;
    return MPI_SUCCESS;
}

static void add_plan(comm *c, plan *p, unsigned hash)
{
    plan_compilations++;
    if (HASH_COUNT(c->plans) >= PLAN_CACHE)
        drop_plan(c, oldest(c));
    cache(c, p, hash);
    p->refs = p->cached;
}

int plan_get(comm *c, const plan_key *key, size_t key_size, plan_compile *compile, plan **result)
{
    plan *p, *made = NULL;
    unsigned hash = 0;

    process_lock();
    p = find_plan(c, key, key_size, &hash);
    if (!p) { /* which takes milliseconds on thousands of ranks */
        process_unlock();
        int error = compile_new(c, key, key_size, compile, &made);
        if (error)
            return error;
        process_lock();
        HASH_FIND_BYHASHVALUE(hh, c->plans, key, key_size, hash, p); /* another thread's */
    }
    if (!p) {
        add_plan(c, made, hash);
        p = made;
        made = NULL;
    }
    plan_use(c, p);
    c->plan_found = p->cached ? p : NULL;
    p->refs++;
    *result = p;
    process_unlock();
    if (made)
        plan_free(made);
    free_dead_plans();
    return MPI_SUCCESS;
}

choice plan_choice(const plan *p)
{
    return (choice){.algo = p->key.algo,
                    .form = (coll_form)p->key.form,
                    .parameter = p->key.parameter,
                    .variant = p->key.variant,
                    .order = (coll_order)p->key.order,
                    .in_order = p->key.noncommutative};
}

void plan_fill_stats(const plan *p, stats_call *call)
{
    call->key.algo = p->key.algo;
    call->key.form = p->key.form;
    call->key.parameter = p->key.parameter;
    call->key.variant = p->key.variant;
    call->key.order = p->key.order;
}

int plan_take_exec(plan *p, comm *c, exec **result)
{
    exec *e;

    process_lock();
    e = p->idle;
    if (e) {
        p->idle = e->next;
        p->nidle--;
    }
    process_unlock();
    if (!e)
        e = exec_create(p->sched);
    if (!e)
        return MPI_ERR_NO_MEM;
    e->plan = p;
    e->comm = c;
    comm_ref(c);
    *result = e;
    return MPI_SUCCESS;
}

int plan_take_empty(comm *c, exec **result)
{
    exec *e = exec_create_empty();

    if (!e)
        return MPI_ERR_NO_MEM;
    e->comm = c;
    comm_ref(c);
    *result = e;
    return MPI_SUCCESS;
}

int plan_attach(plan *p, exec *e)
{
    if (!exec_attach(e, p->sched)) {
        plan_unref(p);
        return MPI_ERR_NO_MEM;
    }
    e->plan = p;
    return MPI_SUCCESS;
}

/* What can be used again stays with its call, or its plan. Library lock held. */
static inline bool keep_exec(plan *p, comm *c, exec *e)
{
    if (e->known && known_keep(c, p, e))
        return true;
    return p && p->cached && (e->bound.reusable || !e->bound.resolved) && !e->run.persistent &&
           give_idle(p, e);
}

/* It was the last of its plan or communicator, or cannot be used again. */
static void drop_exec(exec *e, plan *p, comm *c, bool kept)
{
    if (!kept && process_in_callback) {
        defer_free(e, p);
    } else {
        if (!kept)
            exec_free(e);
        if (p)
            plan_unref(p);
    }
    comm_unref(c);
}

/* What is the program's, who may free it before the next run. The call that it is bound for is not
 * known any more when its types end. */
static void release_what_ends(exec *e)
{
    bind_release_op(&e->bound);
    if (!e->known && !e->run.persistent && !process_in_callback)
        bind_release(&e->bound);
}

void plan_return_exec(exec *e)
{
    plan *p = e->plan;
    comm *c = e->comm;
    bool kept, shared;

    if (comm_is_broken(c))
        shm_abandon(&e->shm);
    else if (e->shm && e->shm->own) /* another operation gets other rings */
        shm_free(&e->shm);
    if (!e->bound.reusable)
        release_what_ends(e);
    if (e->staged) {
        staged_free(e->staged);
        e->staged = NULL;
    }
    e->plan = NULL;
    e->comm = NULL;
    e->native.request = MPI_REQUEST_NULL;
    e->native.detached = false;
    atomic_store_explicit(&e->state, EXEC_IDLE, memory_order_release);
    process_lock();
    kept = keep_exec(p, c, e);
    shared = kept && p->refs > 1 && c->refs > 1;
    if (shared) { /* nothing goes with it */
        p->refs--;
        c->refs--;
    }
    process_unlock();
    if (!shared)
        drop_exec(e, p, c, kept);
}
