/* native.c - see native.h. */
#include "tune/native.h"

/* What MPIs are made of: by family of the collective. `leaders`: those of MPICH only. */
static const struct known {
    int algo;
    bool leaders;
} known[] = {
    {ALGO_allgather_linear, false},
    {ALGO_allgather_ring, false},
    {ALGO_allgather_neighbor_exchange, false},
    {ALGO_allgather_recursive_doubling, false},
    {ALGO_allgather_bruck, false},
    {ALGO_alltoall_linear, false},
    {ALGO_alltoall_pairwise, false},
    {ALGO_alltoall_bruck, false},
    {ALGO_alltoall_bruck_modified, false},
    {ALGO_barrier_dissemination, false},
    {ALGO_barrier_hierarchical, true},
    {ALGO_bcast_binomial, false},
    {ALGO_bcast_scatter_allgather, false},
    {ALGO_bcast_chain, false},
    {ALGO_bcast_hierarchical, true},
    {ALGO_allreduce_recursive_doubling, false},
    {ALGO_allreduce_ring, false},
    {ALGO_allreduce_rabenseifner, false},
    {ALGO_allreduce_hierarchical, true},
    {ALGO_gather_linear, false},
    {ALGO_gather_binomial, false},
    {ALGO_scatter_linear, false},
    {ALGO_scatter_binomial, false},
    {ALGO_reduce_binomial, false},
    {ALGO_reduce_rabenseifner, false},
    {ALGO_reduce_chain, false},
    {ALGO_reduce_hierarchical, true},
    {ALGO_reduce_scatter_pairwise, false},
    {ALGO_reduce_scatter_recursive_doubling, false},
    {ALGO_reduce_scatter_circulant, false}, /* as many rounds as recursive halving */
    {ALGO_scan_recursive_doubling, false},
    {ALGO_scan_hierarchical, true},
    {ALGO_exscan_recursive_doubling, false},
};

/* MPICH 4.0.2: an allgatherv of one rank ignores the displacement; an exscan looks at the address
 * of rank 0's result, which has no meaning, and refuses NULL; an alltoall in place truncates
 * messages of types with gaps above 11 KB; a reduce in place whose root is not rank 0 ends
 * the program from 2 KiB on (and the others cannot tell whether it is in place); a reduce-scatter
 * writes behind a buffer of its own, if the type has gaps and the operation does not commute. */
bool native_errs(const coll *c, native_kind mpi)
{
    if (mpi != NATIVE_MPICH)
        return false;
    switch (c->kind) {
    case COLL_allgatherv:
        return c->p == 1;
    case COLL_exscan:
        return true;
    case COLL_alltoall:
    case COLL_alltoallv:
    case COLL_alltoallw:
        return c->in_place;
    case COLL_reduce:
        return c->root != 0;
    case COLL_reduce_scatter:
    case COLL_reduce_scatter_block:
        return c->ordered;
    default:
        return false;
    }
}

static bool is_native(int algo, native_kind mpi)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].algo == algo)
            return mpi == NATIVE_MPICH || !known[i].leaders;
    return false;
}

static algo_set all_but_native(native_kind mpi)
{
    algo_set others = {{0}};

    for (int i = 0; i < algo_count; i++)
        if (!is_native(i, mpi))
            algo_set_add(&others, i);
    return others;
}

static algo_set all_but(int algo)
{
    algo_set others = {{0}};

    for (int i = 0; i < algo_count; i++)
        if (i != algo)
            algo_set_add(&others, i);
    return others;
}

/* With messages of its own inside nodes. */
static constants native_constants(const constants *k)
{
    constants own = *k;

    own.mpi.shared = k->way[WAY_NODE].shared;
    own.way[WAY_INNER] = own.way[WAY_NODE] = own.mpi;
    return own;
}

/* Direct messages are all that either can do: how long they take tells which are faster. */
static bool compare_messages(const coll *c, const topo *t, const constants *k, native_times *result)
{
    coll alike = {.kind = COLL_alltoall, .p = c->p, .rank = c->rank};
    int linear = ALGO_alltoall_linear;

    if (c->kind == COLL_gatherv) {
        alike.kind = COLL_gather;
        linear = ALGO_gather_linear;
    } else if (c->kind == COLL_scatterv) {
        alike.kind = COLL_scatter;
        linear = ALGO_scatter_linear;
    }
    algo_set without = all_but(linear);
    constants own = native_constants(k);
    int64_t bytes = (int64_t)NATIVE_BLOCK * c->p;
    forecast ours, theirs;

    if (!planner_best(&alike, bytes, &without, t, k, &ours) ||
        !planner_best(&alike, bytes, &without, t, &own, &theirs))
        return false;
    *result = (native_times){ours.time, theirs.time};
    return true;
}

bool native_estimate(const coll *c, int64_t bytes, const algo_set *without, const topo *t,
                     const constants *k, native_kind mpi, const forecast *chosen,
                     native_times *result)
{
    algo_set others = all_but_native(mpi);
    constants own = native_constants(k);
    forecast ours, theirs;

    if (!coll_has_common_size(c->kind))
        return compare_messages(c, t, k, result);
    if (chosen)
        ours = *chosen;
    if ((!chosen && !planner_best(c, bytes, without, t, k, &ours)) ||
        !planner_best(c, bytes, &others, t, &own, &theirs))
        return false;
    if (!ours.executed && theirs.executed)
        ours.time = planner_judged(&ours);
    *result = (native_times){ours.time, theirs.time};
    return true;
}
