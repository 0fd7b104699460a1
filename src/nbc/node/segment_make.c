/* SPDX-License-Identifier: BSD-3-Clause */
/* segment_make.c - the processes of a node agree on their segment, and each maps it. Whatever goes
 * wrong, all processes of the channel call the same collectives. See segment.h.
 */
#include "nbc/node/segment_inside.h"
#include "nbc/process/native_mpi.h"
#include "topo/here.h"

#include <stdlib.h>
#include <unistd.h>

/* Bytes that MPI packs are those of memory: both ends count on it. */
static bool packs_raw(void)
{
    int32_t value = 0x01020304, packed = 0;
    int at = 0;

    return PMPI_Pack(&value, 1, MPI_INT32_T, &packed, sizeof packed, &at, MPI_COMM_SELF) ==
               MPI_SUCCESS &&
           at == sizeof packed && packed == value;
}

/* Arrays for all ranks, and the members of my node. */
typedef struct around {
    int p, rank, n, mine, first; /* n: processes here; I am the mine-th; first: rank of the first */
    uint64_t node, *nodes;       /* [p] */
    segment_offer own, *offers;  /* [p] */
} around;

/* Read what each of my node shows, while all wait for all. */
static bool reads_all(const around *a)
{
    bool good = true;

    for (int r = 0; good && r < a->p; r++)
        if (r != a->rank && a->nodes[r] == a->node && a->offers[r].memory.at)
            good = vmread_works(&a->offers[r].memory);
    return good;
}

/* All have said whether they have it. */
static const char *look_around(const around *a)
{
    segment_header *h = (void *)segment_here.base;

    segment_here.channel_size = a->p;
    for (int r = 0, k = 0; r < a->p; r++) {
        segment_here.index_of[r] = -1;
        if (a->nodes[r] != a->node)
            continue;
        segment_here.pids[k] = a->offers[r].memory.pid;
        if (atomic_load_explicit(&h->has[k], memory_order_acquire)) {
            segment_here.index_of[r] = k;
            segment_here.sharing++;
        }
        k++;
    }
    return segment_here.sharing > 1 ? NULL : "no other process of this node has it";
}

static void count_node(around *a)
{
    a->n = a->mine = 0;
    a->first = a->rank;
    for (int r = a->p - 1; r >= 0; r--)
        if (a->nodes[r] == a->node) {
            a->n++;
            a->mine += r < a->rank;
            a->first = r;
        }
}

/* Who is on my node, of those that want to take part. False: MPI has failed. */
static bool find_node_members(around *a, MPI_Comm all, bool wanted)
{
    char host[TOPO_HOST];

    a->node = here_node(host);
    if (native_mpi.Allgather(wanted ? &a->node : &(uint64_t){0}, 1, MPI_UINT64_T, a->nodes, 1,
                             MPI_UINT64_T, all) != MPI_SUCCESS)
        return false;
    count_node(a);
    return true;
}

/* NULL: this process takes part. */
static const char *reason_against(const around *a, node_wire wish)
{
    if (wish == NODE_WIRE_OFF)
        return "TUTTI_NODE_WIRE=off";
    if (a->n < 2)
        return "no other process on this node";
    return packs_raw() ? NULL : "MPI packs data in a form of its own";
}

/* The first process of a node makes the file, and all learn of it. */
static const char *exchange_offers(around *a, MPI_Comm all, node_wire wish, const char *why)
{
    segment_divide(a->n > 0 ? a->n : 1);
    segment_here.pids = malloc((size_t)segment_here.processes * sizeof *segment_here.pids);
    if (!why && !segment_here.pids)
        why = "out of memory";
    if (!why && a->rank == a->first)
        why = segment_begin_file(&a->own);
    if (!why && wish == NODE_WIRE_ON)
        a->own.memory = vmread_offer_mine();
    segment_here.exposes_all = a->own.memory.at != 0;
    native_mpi.Allgather(&a->own, sizeof a->own, MPI_BYTE, a->offers, sizeof a->own, MPI_BYTE, all);
    return why;
}

/* The others open it; each says that it has it, and looks who else has. */
static const char *join_all(around *a, MPI_Comm all, node_wire wish, const char *why)
{
    if (!why && a->rank != a->first)
        why = segment_join_file(&a->offers[a->first], a->mine);
    segment_here.reads = !why && wish == NODE_WIRE_ON && reads_all(a);
    if (!why)
        atomic_store_explicit(&((segment_header *)(void *)segment_here.base)->has[a->mine], 1,
                              memory_order_release);
    native_mpi.Barrier(all);
    if (a->own.fd >= 0)
        close(a->own.fd);
    return why ? why : look_around(a);
}

static const char *set_up(around *a, MPI_Comm all, node_wire wish)
{
    const char *why;

    if (!find_node_members(a, all, wish != NODE_WIRE_OFF))
        return "MPI_Allgather failed";
    why = exchange_offers(a, all, wish, reason_against(a, wish));
    why = join_all(a, all, wish, why);
    if (!why && wish == NODE_WIRE_ON && !segment_here.reads && env_verbose())
        env_say_here(
            "messages inside the node are copied: the kernel does not let this process read the "
            "memory of all others");
    return why;
}

/* A process without memory for the arrays would leave the others alone: it is a handful of bytes
 * for each rank, as the channel itself. */
void segment_make(MPI_Comm all, node_wire wish)
{
    around a = {.own.fd = -1};
    const char *why = "out of memory";

    segment_forget("no communicator has been used yet");
    PMPI_Comm_size(all, &a.p);
    PMPI_Comm_rank(all, &a.rank);
    if (a.p < 2) {
        segment_here.absent = "there is one process only";
        segment_publish();
        return;
    }
    a.nodes = calloc((size_t)a.p, sizeof *a.nodes);
    a.offers = calloc((size_t)a.p, sizeof *a.offers);
    segment_here.index_of = calloc((size_t)a.p, sizeof *segment_here.index_of);
    if (a.nodes && a.offers && segment_here.index_of)
        why = set_up(&a, all, wish);
    free(a.offers);
    free(a.nodes);
    if (why)
        segment_forget(why);
    segment_publish();
}
