/* SPDX-License-Identifier: BSD-3-Clause */
/* together.c - see together.h. */
#include "api/together.h"

#include "algos/algo.h"
#include "api/execs.h"
#include "api/repeat.h"
#include "nbc/comm/first.h"
#include "nbc/comm/meet.h"
#include "nbc/comm/windows.h"
#include "nbc/library.h"
#include "nbc/plan/plan.h"
#include "nbc/process/reason.h"
#include "nbc/process/simulated.h"
#include "nbc/run/engine.h"

int together_ready(MPI_Comm user, const char *caller, comm **c)
{
    int error = library_enter();

    *c = NULL;
    if (!error)
        error = comm_get(user, c);
    if (error)
        return error;
    comm_free_deferred();
    return comm_make_ready(*c, caller);
}

/* Few steps, or few messages of all ranks where several of them share a node. */
static int quick_allreduce(const topo *t)
{
    return t && t->nodes > 1 && topo_most_on_node(t) > 1 ? ALGO_allreduce_hierarchical
                                                         : ALGO_allreduce_recursive_doubling;
}

/* A bound exec of an allreduce of n numbers of 8 bytes. */
static int reduction(comm *c, MPI_Op op, MPI_Datatype type, void *mine, void *all, int n,
                     exec **result)
{
    const args a = {.kind = COLL_allreduce,
                    .algo = quick_allreduce(c->topo),
                    .comm = c->user,
                    .op = op,
                    .send = {.buffer = mine, .type = type, .count = n},
                    .recv = {.buffer = all, .type = type, .count = n}};
    choice chosen;
    call of;
    int error = repeat_exec(&a, c, result);

    if (error || *result)
        return error;
    select_named(a.algo, 0, c->p, 8 * (int64_t)n, &chosen);
    error = call_check(&a, c, &of);
    of.coll.symmetric = true; /* of whole numbers: sums and maxima have one plan */
    if (!error)
        error = execs_bind(&of, chosen, false, result);
    if (!error)
        repeat_remember(&a, &of, *result, false);
    return error;
}

static int reduce_now(comm *c, MPI_Op op, MPI_Datatype type, void *mine, void *all, int n)
{
    exec *e;
    int error = reduction(c, op, type, mine, all, n, &e);

    if (error) {
        plan_cache_clear(c);
        error = reduction(c, op, type, mine, all, n, &e);
    }
    if (error)
        return error;
    error = execs_run(e);
    plan_return_exec(e);
    return error;
}

int together_largest(comm *c, int64_t *mine, int64_t *all, int n, exec **result)
{
    return reduction(c, MPI_MAX, MPI_INT64_T, mine, all, n, result);
}

int together_find_largest(comm *c, int64_t *mine, int64_t *all, int n)
{
    return reduce_now(c, MPI_MAX, MPI_INT64_T, mine, all, n);
}

/* ---- agreement ---- */

/* What one rank says; the sum over all ranks. */
typedef struct words {
    uint64_t failed;  /* 1: it has an error */
    uint64_t class;   /* of that error */
    uint64_t square;  /* of the class: tells whether all have the same */
    uint64_t what;    /* a hash of what it has in mind */
    uint64_t shares;  /* 1: lists_seen.share */
    uint64_t balance; /* lists_seen.balance */
    uint64_t shown;   /* lists_seen.shown */
} words;

/* What a rank says of the lists of its blocks, and then knows of those of all ranks. */
typedef struct lists_seen {
    bool share;       /* some blocks have data in common */
    uint64_t balance; /* as halo_list_balance */
    uint64_t shown;   /* 1: my list is (size_exchange.h); then, by how many ranks theirs are */
} lists_seen;

static int error_of_others(const words *all)
{
    char text[MPI_MAX_ERROR_STRING];
    bool same = all->square * all->failed == all->class * all->class;
    int class = same ? (int)(all->class / all->failed) : MPI_ERR_OTHER;

    reason_of_class(class, text);
    return reason_elsewhere(class, "error on another rank: %s", text);
}

/* The same on all ranks, as none of them has an error of its own. */
static int judge(const comm *c, const words *mine, const words *all, lists_seen *lists)
{
    if (all->failed)
        return error_of_others(all);
    if (all->what != (uint64_t)c->p * mine->what)
        return reason_set(MPI_ERR_INFO_VALUE, "the ranks ask for different algorithms or plans");
    if (all->balance != 0)
        return size_exchange_error(SCHED_MISMATCH);
    lists->share = all->shares > 0;
    lists->shown = all->shown;
    return MPI_SUCCESS;
}

static int agree_on_call(comm *c, int error, uint64_t what, lists_seen *lists)
{
    words mine = {.what = wisdom_hash(WISDOM_HASH, &what, sizeof what),
                  .shares = lists->share,
                  .balance = lists->balance,
                  .shown = lists->shown};
    words all;
    int class = MPI_SUCCESS, failure;

    if (c->p == 1)
        return error;
    if (error) {
        PMPI_Error_class(error, &class);
        mine.failed = 1;
        mine.class = (unsigned)class;
        mine.square = mine.class * mine.class;
    }
    lists->share = true; /* where that stays unknown all rounds run */
    failure = reduce_now(c, MPI_SUM, MPI_UINT64_T, &mine, &all, sizeof mine / 8);
    if (error || failure || simulated_folded()) /* it takes the same time, without data */
        return error ? error : failure;
    return judge(c, &mine, &all, lists);
}

/* After an error nobody writes to rings that have been published. */
static int agree(comm *c, const char *caller, int error, uint64_t what, lists_seen *lists)
{
    int failure = comm_make_ready(c, caller);

    if (failure)
        return error ? error : failure;
    if (c->shm_peers)
        c->shm_peers->inits++;
    error = agree_on_call(c, error, what, lists);
    if (error)
        shm_peers_skip(c->shm_peers);
    return error;
}

int together_agree(comm *c, const char *caller, int error, uint64_t what)
{
    return agree(c, caller, error, what, &(lists_seen){0});
}

/* To agree takes no memory from the second time on; a handshake takes some each time. */
int together_meet(comm *c, const char *caller, const hello *mine, handshake *h)
{
    int error = handshake_open(h, c->p, c->rank, mine, false);

    error = agree_on_call(c, error, 0, &(lists_seen){0});
    return error ? error : comm_meet_opened(c, caller, true, h);
}

static int agree_on_round(const call *of, const choice *chosen, int error)
{
    uint64_t what = (uint64_t)chosen->algo << 32 | (uint32_t)chosen->parameter;

    return together_agree(of->comm, coll_kind_name(of->coll.kind), error, what);
}

/* All ranks look at the lists of their nodes, or all send them. The same error on all ranks, or one
 * after which this rank takes part in nothing. */
static int take_lists(const call *of, choice chosen, uint64_t shown, execs_asking *q)
{
    int error = MPI_SUCCESS;

    if (shown == 0) /* all are about to send them */
        return MPI_SUCCESS;
    if (shown == (uint64_t)of->comm->p) {
        error = size_exchange_look(q->size_exchange, of->comm);
        if (error)
            of->comm->failure = error;
        return error;
    }
    if (size_exchange_shows(q->size_exchange))
        error = execs_ask_by_sending(of, q);
    return agree_on_round(of, &chosen, error);
}

/* To ask is an operation: all ranks begin it, or none does. */
int together_bind(const call *of, choice chosen, execs_decide *decide, const algo_set *without,
                  uint64_t what, exec **e, bool *refused)
{
    execs_asking q;
    lists_seen lists = {0};
    bool began;
    int error;

    *refused = false;
    if (!size_exchange_needed(of->coll.kind, chosen))
        return execs_bind(of, chosen, true, e);
    error = execs_ask(of, chosen, true, &q);
    began = !error;
    if (began && q.size_exchange) {
        lists.share = size_exchange_shares(q.size_exchange);
        lists.shown = size_exchange_shows(q.size_exchange);
        error = size_exchange_balance(q.size_exchange, &lists.balance);
    }
    error = agree(of->comm, coll_kind_name(of->coll.kind), error, what, &lists);
    if (!error && q.size_exchange)
        error = take_lists(of, chosen, lists.shown, &q);
    *refused = error != MPI_SUCCESS;
    if (error && began)
        execs_ask_no_more(&q);
    if (error)
        return error;
    if (q.size_exchange && !lists.share)
        size_exchange_share_nothing(q.size_exchange);
    q.decide = decide;
    q.without = without;
    q.agree = agree_on_round;
    return execs_answer(of, chosen, &q, e);
}

/* The rings are published before, so that the agreement is all that an init waits for. */
int together_persist(comm *c, const char *caller, int error, uint64_t what, exec **e)
{
    int failure = comm_make_ready(c, caller);

    if (!error)
        error = failure ? failure : exec_publish_rings(*e);
    if (!error)
        error = comm_persistent_reserve(c);
    error = together_agree(c, caller, error, what);
    if (!error)
        error = execs_persist(*e);
    if (error && *e) {
        plan_return_exec(*e);
        *e = NULL;
    }
    return error;
}

void together_pass_gate(const comm *c)
{
    bool closed = true;

    for (int idle = 0; closed;) {
        bool prepares = engine_prepares(c);
        engine_enter();
        closed = prepares || c->gate.waiting != NULL;
        engine_leave();
        if (closed)
            engine_idle_turn(&idle);
    }
}
