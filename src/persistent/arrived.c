/* SPDX-License-Identifier: BSD-3-Clause */
/* arrived.c - which blocks of an active request are there already.
 *
 * A block has arrived when all steps that write into it have retired. Which steps these are is
 * found out once for a request, at the first question.
 */
#include "nbc/comm/comm.h"
#include "nbc/plan/plan.h"
#include "nbc/process/process.h"
#include "nbc/process/reason.h"
#include "nbc/run/engine.h"
#include "nbc/run/steps.h"
#include "persistent/request.h"

#include <stdlib.h>

struct tutti_writers {
    int *first; /* [blocks + 1]: block r is written by step[first[r] .. first[r + 1] - 1] */
    int step[];
};

static coll_extent extent_of(const exec *e)
{
    const plan_key *key = &e->plan->key;

    return coll_sides_of((coll_kind)key->kind, e->comm->rank, key->root, key->in_place).recv;
}

/* Whom it may be asked for. */
static int sources_of(const exec *e)
{
    const coll_neighbors *n = comm_neighbors(e->comm, (coll_kind)e->plan->key.kind);

    return n ? n->nsources : e->comm->p;
}

/* A single block is one, whoever it is asked for. */
static int blocks_of_exec(const exec *e)
{
    return extent_of(e) == COLL_ONE ? 1 : sources_of(e);
}

/* The block of a rank in RECV, as the plan's key has it; of a single one, all of it. */
static interval block_of_rank(const exec *e, int r)
{
    const plan_key *key = &e->plan->key;
    int p = blocks_of_exec(e), pieces = e->bound.sched->parts;

    switch (extent_of(e)) {
    case COLL_TYPED:
    case COLL_LISTED:
        return interval_make(SPACE_RECV, key->v[p + r], key->v[r]);
    case COLL_EACH:
        return interval_make(SPACE_RECV, (int64_t)pieces * r, key->recv_empty ? 0 : pieces);
    case COLL_ONE:
        return interval_make(SPACE_RECV, 0, e->bound.sched->extent[SPACE_RECV]);
    default:
        return interval_make(SPACE_RECV, 0, 0);
    }
}

/* The step writes into v: note it for every block there. step NULL: only count. */
static void note_blocks(const exec *e, interval v, int index, int *next, int *step)
{
    bool each = extent_of(e) == COLL_EACH;
    int pieces = e->bound.sched->parts;
    int first = each ? (int)(v.offset / pieces) : 0;
    int end = each ? (int)((interval_end(v) - 1) / pieces) + 1 : blocks_of_exec(e);

    for (int r = first; r < end; r++) {
        if (!interval_overlap(block_of_rank(e, r), v))
            continue;
        if (step)
            step[next[r]] = index;
        next[r]++;
    }
}

static void note_all(const exec *e, int *next, int *step)
{
    const sched *s = e->bound.sched;

    for (int i = 0; i < s->nsteps; i++)
        for (int k = 0; k < s->steps[i].n; k++) {
            interval v = s->list[s->steps[i].first + k];
            if (v.space == SPACE_RECV && step_writes(&s->steps[i], k))
                note_blocks(e, v, i, next, step);
        }
}

static struct tutti_writers *find_writers(const exec *e)
{
    size_t p = (size_t)blocks_of_exec(e), n = 0;
    int *next = calloc(p, sizeof *next);
    struct tutti_writers *w = NULL;

    if (!next)
        return NULL;
    note_all(e, next, NULL);
    for (size_t r = 0; r < p; r++)
        n += (size_t)next[r];
    w = malloc(sizeof *w + (n + p + 1) * sizeof(int));
    if (w) {
        w->first = w->step + n;
        w->first[0] = 0;
        for (size_t r = 0; r < p; r++) {
            w->first[r + 1] = w->first[r] + next[r];
            next[r] = w->first[r];
        }
        note_all(e, next, w->step);
    }
    free(next);
    return w;
}

static bool all_retired(exec *e, const struct tutti_writers *w, int rank)
{
    int block = blocks_of_exec(e) == 1 ? 0 : rank;

    for (int i = w->first[block]; i < w->first[block + 1]; i++)
        if (!steps_retired(e, w->step[i]))
            return false;
    return true;
}

int tutti_block_arrived(MPIX_Request request, int rank, int *flag)
{
    exec *e = request ? request->exec : NULL;

    if (!request)
        return comm_raise("tutti_block_arrived", NULL, request_refuse(request));
    if (!flag)
        return comm_raise("tutti_block_arrived", e->comm, reason_set(MPI_ERR_ARG, "flag is NULL"));
    if (rank < 0 || rank >= sources_of(e))
        return comm_raise(
            "tutti_block_arrived", e->comm,
            reason_set(MPI_ERR_RANK, "rank is %d; blocks come from %d ranks", rank, sources_of(e)));
    *flag = 1;
    if (!request->active)
        return MPI_SUCCESS;
    if (!request->writers && !(request->writers = find_writers(e)))
        return comm_raise("tutti_block_arrived", e->comm, MPI_ERR_NO_MEM);
    engine_progress(e);
    if (exec_get_state(e) == EXEC_DONE)
        return MPI_SUCCESS;
    engine_enter();
    *flag = exec_get_state(e) == EXEC_DONE ||
            (exec_get_state(e) == EXEC_RUNNING && all_retired(e, request->writers, rank) &&
             extent_of(e) != COLL_NONE);
    engine_leave();
    return MPI_SUCCESS;
}
