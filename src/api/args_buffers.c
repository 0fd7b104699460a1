/* SPDX-License-Identifier: BSD-3-Clause */
/* args_buffers.c - check where a call sends from and receives into. */
#include "api/checked.h"

#include "nbc/process/reason.h"

/* A null address is MPI_BOTTOM: right for a type of absolute addresses, whose data begins far from
 * it, and for absolute displacements in bytes; an error for any other. */
static bool is_wrong(const call_side *s)
{
    if (s->extent == COLL_NONE)
        return false;
    return s->buffer == MPI_IN_PLACE || (s->buffer == NULL && side_bytes(s) > 0 &&
                                         s->type.true_lb == 0 && s->extent != COLL_TYPED);
}

static int check_address(const call *c, const call_side *s)
{
    const char *name = s == &c->send ? "sendbuf" : "recvbuf";

    if (!is_wrong(s))
        return MPI_SUCCESS;
    return reason_set(MPI_ERR_BUFFER, "%s is %s", c->coll.kind == COLL_bcast ? "buffer" : name,
                      s->buffer ? "MPI_IN_PLACE, which is not allowed there" : "NULL");
}

/* Bytes before my block on a side that has others beside it. */
static int64_t before_mine(const call_side *s, int me)
{
    if (s->extent == COLL_EACH)
        return me * s->count * s->type.extent;
    return s->extent == COLL_LISTED && s->mine ? lists_displ(s->lists, me) * s->type.extent : 0;
}

/* Is all of one side compared with all of the other, and not my block with the room for it? Both
 * have a block for each rank, or I need not be my own neighbor. */
static bool are_many(const call *c)
{
    return coll_has(c->coll.kind, COLL_NEIGHBORS) ||
           (c->send.extent > COLL_ONE && c->recv.extent > COLL_ONE);
}

/* Displacement of block i of a list: in elements; where blocks have types of their own, in bytes to
 * the data. */
static int64_t displ_of(const call_side *s, int i)
{
    datatype type = {.true_lb = 0};

    if (s->extent == COLL_TYPED)
        datatype_describe(s->lists->types[i], &type);
    return lists_displ(s->lists, i) + type.true_lb;
}

/* The same before the first block that is not empty. */
static int64_t first_displ(const call_side *s)
{
    int64_t first = INT64_MAX;

    for (int i = 0; i < s->n && s->extent >= COLL_LISTED; i++)
        if (lists_count(s->lists, i) > 0 && displ_of(s, i) < first)
            first = displ_of(s, i);
    return first < INT64_MAX ? first : 0;
}

static int64_t forbidden(const call *c)
{
    if (are_many(c))
        return first_displ(&c->recv) * c->recv.type.extent -
               first_displ(&c->send) * c->send.type.extent;
    if (coll_has(c->coll.kind, COLL_REDUCES))
        return 0;
    return before_mine(&c->recv, c->coll.rank) - before_mine(&c->send, c->coll.rank);
}

/* Does what is sent lie where something is received? Only the plain case: the first byte that is
 * sent is the first one that is received (of one block: from myself). */
static bool is_aliased(const call *c)
{
    const call_side *r = &c->recv, *s = &c->send;
    int64_t received = are_many(c) ? r->total : r->mine;
    int64_t sent = are_many(c) ? s->total : s->mine;

    if (s->buffer == NULL || received * r->type.size == 0 || sent * s->type.size == 0)
        return false;
    return s->type.extent >= 0 && r->type.extent >= 0 &&
           (const char *)s->buffer + s->type.true_lb ==
               (const char *)r->buffer + c->forbidden + r->type.true_lb;
}

static int64_t bytes_at(const call_side *s, int i)
{
    int64_t bytes;

    if (s->extent < COLL_SIZED)
        return side_own_bytes(s);
    if (s->extent < COLL_TYPED)
        return lists_count(s->lists, i) * s->type.size;
    lists_block_bytes(s->lists, i, &bytes);
    return bytes;
}

/* Does every rank give lists? If all give the same wrong ones, which is the usual mistake, all see
 * it at once, and nothing is sent that does not fit. */
static bool all_have_lists(const call *c)
{
    return (c->send.extent >= COLL_SIZED || c->recv.extent >= COLL_SIZED) &&
           !coll_has(c->coll.kind, COLL_ROOTED);
}

/* What I send to myself. Where it is not as long as the room for it only I know it: the MPIs go on,
 * and so the others get what they wait for. */
static int check_own(call *c, int64_t sent, int64_t room)
{
    if (sent != room && (sent > room || !c->error)) {
        c->error = sent > room ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT;
        c->own_sent = sent;
        c->own_room = room;
    }
    if (sent > room && all_have_lists(c))
        return reason_own_block(MPI_ERR_TRUNCATE, sent, room);
    if (sent > room)
        c->room.own = sent;
    return MPI_SUCCESS;
}

/* The same of every edge from me to myself. A graph in which they do not match is none. */
static int check_own_edges(call *c)
{
    const coll_neighbors *n = comm_neighbors(c->comm, c->coll.kind);
    int me = c->coll.rank, error = MPI_SUCCESS;

    for (int i = 0, own = 0, from; i < n->ndestinations && !error; i++) {
        if (n->destinations[i] != me)
            continue;
        from = coll_own_source(n, me, own++);
        error = from < 0 ? reason_set(MPI_ERR_TOPOLOGY,
                                      "the edges of the rank to and from itself do not match")
                         : check_own(c, bytes_at(&c->send, i), bytes_at(&c->recv, from));
    }
    return error;
}

/* If the room for my own block is too short, and all are equal, that for the others' blocks is,
 * too. The messages must be as long as the others expect: what is received goes elsewhere, and is
 * dropped. */
static int make_room(call *c)
{
    call_side *r = &c->recv;
    int blocks = r->extent == COLL_ONE ? 1 : r->n;

    if (c->error != MPI_ERR_TRUNCATE)
        return MPI_SUCCESS;
    c->room.item = r->type.size;
    r->count = r->extent == COLL_LISTED ? 1 : c->room.own;
    r->low = 0;
    for (int i = 0; i < blocks; i++)
        if (__builtin_add_overflow(c->room.bytes, call_room_of(c, i), &c->room.bytes))
            return MPI_ERR_COUNT;
    r->total = c->room.bytes;
    r->mine = c->room.own;
    return datatype_describe(MPI_PACKED, &r->type);
}

int call_check_buffers(call *c)
{
    const coll_shape *shape = &coll_shapes[c->coll.kind];
    bool neighbors = shape->traits & COLL_NEIGHBORS;
    bool at_root = c->coll.rank == c->coll.root || !(shape->traits & COLL_ROOTED);
    int error;

    if (c->coll.in_place && (neighbors || !at_root) && shape->send != COLL_NONE)
        return reason_set(MPI_ERR_BUFFER, "MPI_IN_PLACE is %s",
                          neighbors ? "not for neighborhood collectives" : "for the root only");
    error = check_address(c, &c->recv);
    if (!error)
        error = check_address(c, &c->send);
    if (error)
        return error;
    if (!c->send.extent || !c->recv.extent)
        return MPI_SUCCESS;
    error = neighbors ? check_own_edges(c)
                      : check_own(c, side_own_bytes(&c->send), side_own_bytes(&c->recv));
    c->forbidden = forbidden(c);
    if (!error && is_aliased(c))
        error = reason_set(MPI_ERR_BUFFER, "sendbuf and recvbuf overlap%s",
                           neighbors ? "" : "; MPI_IN_PLACE is for that");
    return error ? error : make_room(c);
}
