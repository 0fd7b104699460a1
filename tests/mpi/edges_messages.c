/* SPDX-License-Identifier: BSD-3-Clause */
/* edges_messages.c - see edges.h: a collective on a graph, in messages. */
#include "mpi/edges.h"

#include <stdlib.h>

/* A block of one side, to or from its i-th neighbor. */
typedef struct block {
    char *at;
    int count;
    MPI_Datatype type;
} block;

static block block_at(coll_extent extent, const call_side *side, int i)
{
    const call_list *list = &side->list;
    MPI_Aint lb, size = 0;
    block b = {side->buffer, (int)side->count, side->type};

    if (extent == COLL_TYPED)
        return (block){b.at + list->large_displs[i], list->narrow_counts[i], list->types[i]};
    MPI_Type_get_extent(side->type, &lb, &size);
    if (extent == COLL_LISTED) {
        b.count = list->narrow_counts[i];
        b.at += list->narrow_displs[i] * size;
    } else if (extent == COLL_EACH) {
        b.at += i * side->count * size;
    }
    return b;
}

/* A copy of its data: the block may be received into before this has been sent. */
static block packed_block(block b, MPI_Comm comm)
{
    block packed = {.type = MPI_PACKED};
    int most = 0;

    if (b.count)
        MPI_Pack_size(b.count, b.type, comm, &most);
    packed.at = malloc((size_t)most + 1);
    if (b.count)
        MPI_Pack(b.at, b.count, b.type, packed.at, most, &packed.count, comm);
    return packed;
}

int edges_by_messages(const graph *g, coll_kind kind, const call_args *a)
{
    const coll_shape *shape = &coll_shapes[kind];
    bool in_place = a->send.buffer == MPI_IN_PLACE;
    MPI_Request *requests = malloc((size_t)(g->in + g->out + 1) * sizeof *requests);
    block *sent = calloc((size_t)g->out + 1, sizeof *sent);
    int error;

    for (int i = 0; i < g->out; i++)
        sent[i] = in_place ? packed_block(block_at(shape->recv, &a->recv, i), g->comm)
                           : block_at(shape->send, &a->send, i);
    for (int i = 0; i < g->in; i++) {
        block b = block_at(shape->recv, &a->recv, i);
        MPI_Irecv(b.at, b.count, b.type, g->sources[i], g->cartesian ? i ^ 1 : 0, g->comm,
                  &requests[i]);
    }
    for (int i = 0; i < g->out; i++)
        MPI_Isend(sent[i].at, sent[i].count, sent[i].type, g->destinations[i], g->cartesian ? i : 0,
                  g->comm, &requests[g->in + i]);
    error = MPI_Waitall(g->in + g->out, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; in_place && i < g->out; i++)
        free(sent[i].at);
    free(sent);
    free(requests);
    return error;
}
