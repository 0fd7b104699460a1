/* SPDX-License-Identifier: BSD-3-Clause */
/* blocks.c - see blocks.h.
 *
 * Data without gaps comes from the oracle and is unpacked where it belongs by MPI_Unpack: for both
 * MPIs what is packed is the bytes of the type map, one after the other.
 */
#include "mpi/blocks.h"

#include <stdlib.h>
#include <string.h>

enum { MARGIN = 256, POISON = 0x77 };

/* ---- where the blocks are ---- */

/* Does somebody send different data to each? */
static bool to_each(const blocks *b)
{
    return coll_shapes[b->kind].send > COLL_ONE;
}

/* Is what is sent reduced, block by block, and scattered? */
static bool scatters_sum(const blocks *b)
{
    return b->reduction && to_each(b);
}

/* Of the block that one rank sends to another, in elements. Where ranks have counts of their own, a
 * quarter of them is 0. */
static int block_count(const blocks *b, int from, int to)
{
    const coll_shape *shape = &coll_shapes[b->kind];
    bool sends = shape->send >= COLL_SIZED, receives = shape->recv >= COLL_SIZED;

    if (b->full)
        return b->count;
    if (sends && receives)
        return (b->in_place ? from + to : from + 2 * to) % 4 * b->count;
    if (receives)
        return (from * 3 + 1) % 4 * b->count;
    return sends ? (to * 3 + 1) % 4 * b->count : b->count;
}

/* Listed blocks lie in falling order of ranks, with gaps. */
static void place_blocks(blocks *b, blocks_side *s, bool send, bool listed, MPI_Aint extent)
{
    int at = 0, low;

    for (int i = 0; i < s->n; i++) {
        int k = listed ? s->n - 1 - i : i;
        s->length[k] = s->per * (send ? block_count(b, b->rank, k) : block_count(b, k, b->rank));
        s->at[k] = at;
        at += s->length[k] + (listed ? k % 3 : 0);
    }
    low = listed && b->below ? at / 2 : 0;
    for (int k = 0; k < s->n; k++)
        s->at[k] -= low;
    s->bytes = (at + 1) * extent + 2 * MARGIN;
    s->origin = MARGIN + low * extent;
}

static void *get_buffer(const blocks *b, MPI_Aint bytes)
{
    void *memory = NULL;

#ifndef PLAIN
    if (b->shared) {
        CHECK(tutti_alloc(bytes, &memory) == MPI_SUCCESS);
        return memory;
    }
#endif
    (void)b;
    memory = malloc((size_t)bytes);
    return memory;
}

static void give_buffer(const blocks *b, void *memory)
{
#ifndef PLAIN
    if (b->shared) {
        CHECK(tutti_free(memory) == MPI_SUCCESS);
        return;
    }
#endif
    (void)b;
    free(memory);
}

static void open_side(blocks *b, blocks_side *s, call_side *call, bool send)
{
    const coll_shape *shape = &coll_shapes[b->kind];
    coll_extent extent = send ? shape->send : shape->recv;
    MPI_Aint lb, bytes = 0;

    s->n = extent == COLL_NONE ? 0 : extent == COLL_ONE ? 1 : b->p;
    s->length = calloc((size_t)s->n * 2 + 1, sizeof *s->length);
    s->at = s->length + s->n;
    s->large_counts = calloc((size_t)s->n + 1, sizeof *s->large_counts);
    s->large_displs = calloc((size_t)s->n + 1, sizeof *s->large_displs);
    call->list = (call_list){s->length, s->at, s->large_counts, s->large_displs, NULL};
    if (s->n)
        MPI_Type_get_extent(call->type, &lb, &bytes);
    place_blocks(b, s, send, extent == COLL_LISTED, bytes);
    for (int k = 0; k < s->n; k++) {
        s->large_counts[k] = s->length[k];
        s->large_displs[k] = s->at[k];
    }
    call->count = extent == COLL_ONE ? s->length[0] : s->per * b->count;
    if (!send && scatters_sum(b)) { /* in place, all of it is there before */
        call->list = b->native.send.list;
        s->bytes = b->send.bytes;
    }
    s->buffer = get_buffer(b, s->bytes);
    call->buffer = s->buffer + s->origin;
}

/* Who has nothing to send has the sender's type if it is the root. */
static void choose_types(blocks *b)
{
    const coll_shape *shape = &coll_shapes[b->kind];
    bool sends = shape->send != COLL_NONE || b->rank == b->o.root;

    b->send.per = b->recv.per = 1;
    b->native.op = MPI_OP_NULL;
    if (b->reduction) {
        b->native.send.type = b->native.recv.type = b->reduction->type;
        b->native.op = b->reduction->op;
        return;
    }
    b->native.send.type = b->types->sendtype;
    b->native.recv.type = b->types->recvtype;
    b->recv.per = b->types->per;
    if (shape->send == COLL_NONE && sends) {
        b->native.recv.type = b->types->sendtype;
        b->recv.per = 1;
    }
}

/* Arguments that a call must not look at; in turn some that it might fall for. */
static void go_wild(const blocks *b, call_side *s)
{
    static void *const nowhere[] = {(void *)8, NULL, MPI_IN_PLACE};

    s->buffer = nowhere[(b->count + b->o.root) % 3];
    if (b->reduction) /* counts and type are those of both sides */
        return;
    s->count = b->count % 2 ? -3 : 1 << 29;
    s->type = b->count % 2 ? b->unready : MPI_DATATYPE_NULL;
    s->list = (call_list){(int *)8, (int *)8, (MPI_Count *)8, (MPI_Aint *)8, NULL};
}

/* For the call that is tested. */
static void choose_args(blocks *b)
{
    bool scatters = coll_has(b->kind, COLL_ROOT_SENDS);
    call_side *side = scatters ? &b->args.recv : &b->args.send;

    b->args = b->native;
    if (!b->send.there)
        go_wild(b, &b->args.send);
    if (!b->recv.there)
        go_wild(b, &b->args.recv);
    if (b->in_place)
        side->buffer = MPI_IN_PLACE;
}

/* What one block takes without gaps, at most. */
static size_t most_bytes(const blocks *b)
{
    int size = b->reduction ? b->reduction->size : 8;

    if (!b->reduction)
        MPI_Type_size(b->types->sendtype, &size);
    return (size_t)(b->count + 1) * 3 * (size_t)size + 16;
}

void blocks_open(blocks *b)
{
    coll_sides has;

    MPI_Comm_size(b->comm, &b->p);
    MPI_Comm_rank(b->comm, &b->rank);
    b->in_place = b->in_place && (!coll_has(b->kind, COLL_ROOTED) || b->rank == b->o.root);
    has = calls_sides(b->kind, b->rank, b->o.root, b->in_place);
    b->send.there = has.send != COLL_NONE;
    b->recv.there = has.recv != COLL_NONE;
    b->o.kind = b->kind;
    b->o.p = b->p;
    b->o.noncommutative = b->reduction && b->reduction->noncommutative;
    b->native = (call_args){.comm = b->comm, .root = b->o.root};
    MPI_Type_contiguous(2, MPI_INT, &b->unready);
    choose_types(b);
    open_side(b, &b->send, &b->native.send, true);
    open_side(b, &b->recv, &b->native.recv, false);
    b->packed = malloc(2 * most_bytes(b));
    b->expected = malloc((size_t)b->recv.bytes);
    b->sent = malloc((size_t)b->send.bytes);
    choose_args(b);
}

void blocks_close(blocks *b)
{
    MPI_Type_free(&b->unready);
    free(b->sent);
    free(b->expected);
    free(b->packed);
    for (int i = 0; i < 2; i++) {
        blocks_side *s = i ? &b->recv : &b->send;
        give_buffer(b, s->buffer);
        free(s->length);
        free(s->large_counts);
        free(s->large_displs);
    }
}

void blocks_spoil_lists(blocks *b)
{
    for (int i = 0; i < 2; i++) {
        blocks_side *s = i ? &b->recv : &b->send;
        memset(s->large_counts, 0x33, (size_t)s->n * sizeof *s->large_counts);
        memset(s->large_displs, 0x33, (size_t)s->n * sizeof *s->large_displs);
    }
}

/* ---- data without gaps ---- */

/* Bytes below 64: so any doubles that they make are finite. */
static void plain_bytes(uint64_t item, char *out, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = (char)(item >> 8 * i & 63);
}

static int pack_sent(const blocks *b, int from, int to, int elements, int bytes, char *out)
{
    for (int i = 0; i < elements && b->reduction; i++) {
        uint64_t items[2] = {oracle_sent(&b->o, from, to, 2 * i),
                             oracle_sent(&b->o, from, to, 2 * i + 1)};
        b->reduction->make(items, out + i * b->reduction->size);
    }
    for (int i = 0; i < bytes && !b->reduction; i += 8)
        plain_bytes(oracle_sent(&b->o, from, to, i / 8), out + i, bytes - i < 8 ? bytes - i : 8);
    return bytes;
}

/* The last rank whose contribution I get. */
static int last_operand(const blocks *b)
{
    if (coll_has(b->kind, COLL_EXCLUSIVE))
        return b->rank - 1;
    return b->kind == COLL_scan ? b->rank : b->p - 1;
}

/* The ranks' contributions, combined in the order of the ranks. */
static void pack_reduced(const blocks *b, int elements, int bytes)
{
    char *right = b->packed, *left = b->packed + bytes;
    int last = last_operand(b), to = to_each(b) ? b->rank : 0;

    pack_sent(b, last, to, elements, bytes, right);
    for (int r = last - 1; r >= 0; r--) {
        pack_sent(b, r, to, elements, bytes, left);
        b->reduction->combine(left, right, elements);
    }
}

static void pack_received(const blocks *b, int block, int elements, int bytes)
{
    if (b->reduction) {
        pack_reduced(b, elements, bytes);
        return;
    }
    for (int i = 0; i < bytes; i += 8)
        plain_bytes(oracle_received(&b->o, b->rank, block, i / 8), b->packed + i,
                    bytes - i < 8 ? bytes - i : 8);
}

/* ---- into the buffers ---- */

static int bytes_of(const blocks_side *s, MPI_Datatype type, int block)
{
    int size;

    MPI_Type_size(type, &size);
    return size * s->length[block];
}

static void unpack(const blocks *b, const blocks_side *s, MPI_Datatype type, int block,
                   char *buffer)
{
    MPI_Aint lb, extent;
    int position = 0, bytes = bytes_of(s, type, block);

    MPI_Type_get_extent(type, &lb, &extent);
    if (bytes > 0)
        MPI_Unpack(b->packed, bytes, &position, buffer + s->origin + s->at[block] * extent,
                   s->length[block], type, MPI_COMM_SELF);
}

/* Blocks of a side, into a buffer. */
static void fill_sent(blocks *b, const blocks_side *s, MPI_Datatype type, char *buffer)
{
    for (int k = 0; k < s->n; k++) {
        pack_sent(b, b->rank, to_each(b) ? k : 0, s->length[k], bytes_of(s, type, k), b->packed);
        unpack(b, s, type, k, buffer);
    }
}

/* What is in the receive buffer before the call: nothing, or what is sent from there. */
static void fill_received(blocks *b)
{
    const coll_shape *shape = &coll_shapes[b->kind];
    MPI_Datatype type = b->native.recv.type;
    bool source = shape->send == COLL_NONE && b->rank == b->o.root;
    int k = b->rank;

    if (scatters_sum(b) && b->in_place) {
        fill_sent(b, &b->send, type, b->recv.buffer);
    } else if (shape->send == COLL_ONE && shape->recv > COLL_ONE && b->in_place) {
        pack_sent(b, k, 0, b->recv.length[k], bytes_of(&b->recv, type, k), b->packed);
        unpack(b, &b->recv, type, k, b->recv.buffer); /* my block among those of all */
    } else if (source || (b->in_place && b->recv.there)) {
        fill_sent(b, &b->recv, type, b->recv.buffer);
    }
}

/* Does something come from another rank, or from me? */
static bool is_received(const blocks *b)
{
    return b->recv.there && !(coll_has(b->kind, COLL_EXCLUSIVE) && b->rank == 0);
}

void blocks_fill(blocks *b, int turn)
{
    b->o.turn = turn & 0xffff;
    memset(b->send.buffer, POISON, (size_t)b->send.bytes);
    memset(b->recv.buffer, POISON, (size_t)b->recv.bytes);
    fill_sent(b, &b->send, b->native.send.type, b->send.buffer);
    fill_received(b);
    memcpy(b->sent, b->send.buffer, (size_t)b->send.bytes);
    memcpy(b->expected, b->recv.buffer, (size_t)b->recv.bytes);
    for (int k = 0; k < b->recv.n && is_received(b); k++) {
        pack_received(b, k, b->recv.length[k], bytes_of(&b->recv, b->native.recv.type, k));
        unpack(b, &b->recv, b->native.recv.type, k, b->expected);
    }
}

/* ---- compare ---- */

/* The MPI may write the gaps of its own pair types: these are left out. */
static bool are_equal(const blocks *b, const char *buffer)
{
    int bytes, a = 0, e = 0, n = b->recv.n ? b->recv.length[0] : 0;

    if (!b->reduction || !b->reduction->padded)
        return memcmp(buffer, b->expected, (size_t)b->recv.bytes) == 0;
    bytes = n * b->reduction->size;
    MPI_Pack(buffer + b->recv.origin, n, b->reduction->type, b->packed, bytes, &a, MPI_COMM_SELF);
    MPI_Pack(b->expected + b->recv.origin, n, b->reduction->type, b->packed + bytes, bytes, &e,
             MPI_COMM_SELF);
    return memcmp(b->packed, b->packed + bytes, (size_t)bytes) == 0;
}

bool blocks_are_right(const blocks *b)
{
    return are_equal(b, b->recv.buffer) &&
           memcmp(b->send.buffer, b->sent, (size_t)b->send.bytes) == 0;
}

bool blocks_native_agrees(const blocks *b)
{
    char *buffer = malloc((size_t)b->recv.bytes);
    bool alone = b->in_place && coll_has(b->kind, COLL_ROOT_SENDS);
    call_args a = b->native;
    bool equal;

    memcpy(buffer, b->recv.buffer, (size_t)b->recv.bytes);
    a.recv.buffer = alone ? MPI_IN_PLACE : buffer + b->recv.origin;
    equal = calls_native(b->kind, &a) == MPI_SUCCESS && are_equal(b, buffer);
    free(buffer);
    return equal;
}
