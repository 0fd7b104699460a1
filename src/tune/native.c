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
    {ALGO_scan_chain, false}, /* Open MPI: in one piece */
    {ALGO_scan_hierarchical, true},
    {ALGO_exscan_recursive_doubling, false},
    {ALGO_exscan_chain, false},
};

/* When a call goes wrong: what all ranks know. A rank may give MPI_IN_PLACE alone in
 * reduce_scatter, reduce_scatter_block, scan and exscan. */
typedef enum fault_when {
    ALWAYS,
    IN_PLACE,
    OTHER_ROOT /* than rank 0 */
} fault_when;

/* Seen by tests/native_faults and by random programs on MPICH 4.0.2, 4.2.1, 5.0.2 and Open MPI
 * 4.1.4, 5.0.7, 6.0.0rc2. right: the first of these versions in which it is right; none: 0. */
static const struct fault {
    mpi_family family;
    coll_kind kind;
    fault_when when;
    int right;
} faults[] = {
    /* cut what is passed on by the receiver's own type, or choose by the size of that, and hang */
    {MPI_FAMILY_MPICH, COLL_allgatherv, ALWAYS, 0},
    {MPI_FAMILY_OPENMPI, COLL_allgatherv, ALWAYS, 0},
    /* several blocks in a message: structs with gaps above 8 KiB, and all of them in place */
    {MPI_FAMILY_MPICH, COLL_gather, ALWAYS, MPI_VERSION_NUMBER(4, 2, 1)},
    {MPI_FAMILY_MPICH, COLL_scatter, ALWAYS, MPI_VERSION_NUMBER(4, 2, 1)},
    {MPI_FAMILY_MPICH, COLL_alltoall, IN_PLACE, MPI_VERSION_NUMBER(4, 2, 1)},
    /* so up to 4.2; equal addresses without data are refused */
    {MPI_FAMILY_MPICH, COLL_alltoallv, ALWAYS, 0},
    {MPI_FAMILY_MPICH, COLL_alltoallw, ALWAYS, 0},
    /* the address of rank 0's result is looked at, which has no meaning */
    {MPI_FAMILY_MPICH, COLL_exscan, ALWAYS, 0},
    /* crashes in place from 2 KiB on, and the others do not know whether it is in place */
    {MPI_FAMILY_MPICH, COLL_reduce, OTHER_ROOT, MPI_VERSION_NUMBER(4, 2, 1)},
    /* write after what is theirs in place, or after a buffer of their own (valgrind) */
    {MPI_FAMILY_MPICH, COLL_reduce_scatter, ALWAYS, 0},
    {MPI_FAMILY_MPICH, COLL_reduce_scatter_block, ALWAYS, 0},
    /* blocks of other ranks in a type of their own, whose elements may lie between each other */
    {MPI_FAMILY_OPENMPI, COLL_gather, ALWAYS, 0},
    {MPI_FAMILY_OPENMPI, COLL_alltoall, ALWAYS, 0},
    /* corrupt memory, or write over what follows */
    {MPI_FAMILY_OPENMPI, COLL_alltoallv, IN_PLACE, 0},
    {MPI_FAMILY_OPENMPI, COLL_alltoallw, IN_PLACE, 0},
    {MPI_FAMILY_OPENMPI, COLL_reduce_scatter_block, ALWAYS, 0},
    /* adds counts up as int */
    {MPI_FAMILY_OPENMPI, COLL_reduce_scatter, ALWAYS, 0},
    /* repeated neighbors not in the order of MPI-4.1, or messages lost where degrees differ */
    {MPI_FAMILY_MPICH, COLL_neighbor_alltoall, ALWAYS, MPI_VERSION_NUMBER(5, 0, 2)},
    {MPI_FAMILY_MPICH, COLL_neighbor_alltoallv, ALWAYS, MPI_VERSION_NUMBER(5, 0, 2)},
    {MPI_FAMILY_MPICH, COLL_neighbor_alltoallw, ALWAYS, MPI_VERSION_NUMBER(5, 0, 2)},
    {MPI_FAMILY_OPENMPI, COLL_neighbor_alltoall, ALWAYS, MPI_VERSION_NUMBER(6, 0, 0)},
    {MPI_FAMILY_OPENMPI, COLL_neighbor_alltoallv, ALWAYS, MPI_VERSION_NUMBER(6, 0, 0)},
    {MPI_FAMILY_OPENMPI, COLL_neighbor_alltoallw, ALWAYS, MPI_VERSION_NUMBER(6, 0, 0)},
};

static bool is_mended(const struct fault *f, const mpi_version *mpi)
{
    return f->right && mpi->number >= f->right;
}

static bool is_when(fault_when when, const coll *c)
{
    switch (when) {
    case IN_PLACE:
        return c->in_place;
    case OTHER_ROOT:
        return c->root != 0;
    default:
        return true;
    }
}

/* Without bytes they go by counts, which need not be 0 on all ranks then. Of a relative nobody
 * knows which version it was made of: it has all faults of the family. */
bool native_errs(const coll *c, int64_t bytes, const mpi_version *mpi)
{
    if (bytes == 0 && c->kind != COLL_barrier && coll_has_common_size(c->kind))
        return true;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        const struct fault *f = &faults[i];
        if (f->family == mpi->family && f->kind == c->kind && !is_mended(f, mpi) &&
            is_when(f->when, c))
            return true;
    }
    return c->p == 1 && native_errs_alone(c->kind, mpi);
}

bool native_errs_alone(coll_kind kind, const mpi_version *mpi)
{
    static const struct fault alone[] = {
        {MPI_FAMILY_MPICH, COLL_allgatherv, ALWAYS,
         MPI_VERSION_NUMBER(4, 2, 1)},                 /* displacements */
        {MPI_FAMILY_MPICH, COLL_alltoallv, ALWAYS, 0}, /* equal addresses without data */
        {MPI_FAMILY_MPICH, COLL_alltoallw, ALWAYS, 0},
        {MPI_FAMILY_MPICH, COLL_exscan, ALWAYS, 0},      /* the result, which has no meaning */
        {MPI_FAMILY_OPENMPI, COLL_alltoallw, ALWAYS, 0}, /* displacements */
    };

    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
        if (alone[i].family == mpi->family && alone[i].kind == kind && !is_mended(&alone[i], mpi))
            return true;
    return coll_has(kind, COLL_NEIGHBORS);
}

/* What takes longer than any algorithm does: a scan of MPICH takes fresh memory in each call. */
enum { SLOW_SCAN = 65536, SLOW_TIMES = 4 };

static bool is_slow(coll_kind kind, int64_t bytes, mpi_family mpi)
{
    return mpi == MPI_FAMILY_MPICH && kind == COLL_scan && bytes >= SLOW_SCAN;
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

/* Direct messages are all that either can do: the one whose messages take less time is faster. */
static int compare_messages(const coll *c, const topo *t, const constants *k, native_times *result)
{
    coll regular = {.kind = COLL_alltoall, .p = c->p, .rank = c->rank};
    int linear = ALGO_alltoall_linear;

    if (c->kind == COLL_gatherv) {
        regular.kind = COLL_gather;
        linear = ALGO_gather_linear;
    } else if (c->kind == COLL_scatterv) {
        regular.kind = COLL_scatter;
        linear = ALGO_scatter_linear;
    }
    algo_set without = all_but(linear);
    constants own = native_constants(k);
    int64_t bytes = (int64_t)NATIVE_BLOCK * c->p;
    forecast ours, theirs;

    int found = planner_best(&regular, bytes, &without, t, k, &ours);

    if (found > 0)
        found = planner_best(&regular, bytes, &without, t, &own, &theirs);
    if (found > 0)
        *result = (native_times){ours.time, theirs.time};
    return found;
}

int native_estimate(const coll *c, int64_t bytes, const algo_set *without, const topo *t,
                    const constants *k, mpi_family mpi, const forecast *chosen,
                    native_times *result)
{
    algo_set others = all_but_native(mpi);
    constants own = native_constants(k);
    forecast ours, theirs;
    int found = 1;

    if (!coll_has_common_size(c->kind))
        return compare_messages(c, t, k, result);
    if (chosen)
        ours = *chosen;
    else
        found = planner_best(c, bytes, without, t, k, &ours);
    if (found > 0)
        found = planner_best(c, bytes, &others, t, &own, &theirs);
    if (found <= 0)
        return found;
    if (!ours.executed && theirs.executed)
        ours.time = planner_score(&ours);
    if (is_slow(c->kind, bytes, mpi))
        theirs.time *= SLOW_TIMES;
    *result = (native_times){ours.time, theirs.time};
    return 1;
}
