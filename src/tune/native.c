/* SPDX-License-Identifier: BSD-3-Clause */
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

/* MPICH 4.0.2. Allgatherv cuts what it passes on by the receiver's own type, and one rank ignores
 * the displacement; alltoallv and alltoallw refuse equal addresses without data; gather and scatter
 * pass on several blocks in a message, of which structs with gaps above 8 KiB arrive wrong, and so
 * do they in place; exscan looks at the address of rank 0's result, which has no meaning; reduce in
 * place crashes from 2 KiB on if the root is not rank 0, and the others cannot tell whether it is
 * in place; reduce-scatters write behind what is theirs in place, or behind a buffer of their own
 * if the operation does not commute. */
static bool mpich_errs(const coll *c)
{
    switch (c->kind) {
    case COLL_allgatherv:
    case COLL_alltoallv:
    case COLL_alltoallw:
    case COLL_gather:
    case COLL_scatter:
    case COLL_exscan:
        return true;
    case COLL_alltoall:
        return c->in_place;
    case COLL_reduce:
        return c->root != 0;
    case COLL_reduce_scatter:
    case COLL_reduce_scatter_block:
        return c->ordered || c->in_place;
    default:
        return false;
    }
}

/* Open MPI 4.1.4. Allgatherv chooses by the size of each rank's own type, and hangs; gather and
 * alltoall keep blocks of other ranks in a type of their own, whose elements may lie between each
 * other; in place alltoallv and alltoallw corrupt memory; reduce-scatter adds counts up as int, and
 * in place writes over what follows. */
static bool openmpi_errs(const coll *c)
{
    switch (c->kind) {
    case COLL_allgatherv:
    case COLL_gather:
    case COLL_alltoall:
    case COLL_reduce_scatter:
        return true;
    case COLL_alltoallv:
    case COLL_alltoallw:
    case COLL_reduce_scatter_block:
        return c->in_place;
    default:
        return false;
    }
}

/* Without bytes both go by counts, which need not be 0 on all ranks then. */
bool native_errs(const coll *c, int64_t bytes, const mpi_version *mpi)
{
    if (bytes == 0 && c->kind != COLL_barrier && coll_has_common_size(c->kind))
        return true;
    return mpi->family == MPI_FAMILY_MPICH ? mpich_errs(c) : openmpi_errs(c);
}

static bool is_native(int algo, mpi_family mpi)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].algo == algo)
            return mpi == MPI_FAMILY_MPICH || !known[i].leaders;
    return false;
}

static algo_set all_but_native(mpi_family mpi)
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
                     const constants *k, mpi_family mpi, const forecast *chosen,
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
