/* SPDX-License-Identifier: BSD-3-Clause */
/* wire_data.c - move data: pack and unpack messages, copy, reduce. */
#include "nbc/process/process.h"
#include "nbc/process/native_mpi.h"
#include "nbc/process/test_knobs.h"
#include "nbc/run/piece.h"
#include "nbc/run/wire.h"

#include <limits.h>
#include <string.h>

/* ---- pack ---- */

int64_t wire_pack_most = INT_MAX;

/* Is this data, packed, the bytes as they lie there? */
static bool is_raw(const message *m, const piece *x)
{
    return m->type != MPI_PACKED || (x->type->dense && x->type->predefined);
}

/* MPICH's MPI_Pack and MPI_Unpack refuse MPI_BOTTOM, which is legal for a type of absolute
 * addresses: then the type is made relative to another place. */
enum { ELSEWHERE = 4096 };

static int shifted(const piece *x, MPI_Datatype *type)
{
    MPI_Aint at = -ELSEWHERE;
    int n = (int)x->items, error;

    error = PMPI_Type_create_hindexed(1, &n, &at, x->type->type, type);
    return error ? error : datatype_commit(type);
}

/* Packs what an int counts the bytes of. */
static int pack_part(const piece *x, char *to)
{
    int room = (int)piece_bytes(x), at = 0, error;
    MPI_Datatype type;

    if (x->address != MPI_BOTTOM)
        return PMPI_Pack(x->address, (int)x->items, x->type->type, to, room, &at, process_self());
    error = shifted(x, &type);
    if (error)
        return error;
    error = PMPI_Pack((char *)ELSEWHERE, 1, type, to, room, &at, process_self());
    native_mpi.Type_free(&type);
    return error;
}

static int unpack_part(const piece *x, char *from)
{
    int room = (int)piece_bytes(x), at = 0, error;
    MPI_Datatype type;

    if (x->address != MPI_BOTTOM)
        return PMPI_Unpack(from, room, &at, x->address, (int)x->items, x->type->type,
                           process_self());
    error = shifted(x, &type);
    if (error)
        return error;
    error = PMPI_Unpack(from, room, &at, (char *)ELSEWHERE, 1, type, process_self());
    native_mpi.Type_free(&type);
    return error;
}

/* MPI's own way from one datatype to another: a message to myself. */
static int copy_typed(const piece *from, const piece *to)
{
    MPI_Datatype send_type, recv_type;
    int send_count, recv_count, error;
    bool send_made, recv_made = false;

    error = datatype_count(from->type->type, from->items, &send_type, &send_count, &send_made);
    if (error)
        return error;
    error = datatype_count(to->type->type, to->items, &recv_type, &recv_count, &recv_made);
    if (!error)
        error = PMPI_Sendrecv(from->address, send_count, send_type, 0, 0, to->address, recv_count,
                              recv_type, 0, 0, process_self(), MPI_STATUS_IGNORE);
    if (recv_made)
        native_mpi.Type_free(&recv_type);
    if (send_made)
        native_mpi.Type_free(&send_type);
    return error;
}

/* One item of more bytes than an int counts. Whatever is sent may be received as MPI_PACKED. */
static int by_message(const piece *x, char *packed, bool packs)
{
    const datatype type = {.type = MPI_PACKED};
    piece p = {.type = &type, .items = piece_bytes(x), .address = packed};

    return packs ? copy_typed(x, &p) : copy_typed(&p, x);
}

/* All items of x, as many at a time as an int counts the bytes of. */
static int in_parts(const piece *x, char *packed, bool packs)
{
    int64_t size = x->type->size, some = size < wire_pack_most ? wire_pack_most / size : 1;
    int error = MPI_SUCCESS;

    for (int64_t done = 0; done < x->items && !error; done += some) {
        char *at = packed + done * size;
        piece part = *x;

        part.items = x->items - done < some ? x->items - done : some;
        part.address += done * x->type->extent;
        if (size > wire_pack_most)
            error = by_message(&part, at, packs);
        else
            error = packs ? pack_part(&part, at) : unpack_part(&part, at);
    }
    return error;
}

/* Of runs MPICH 4.0 packs too little when there are more than 770 derived types. */
static int pack(const piece *x, char *to)
{
    if (!x->type->run)
        return in_parts(x, to, true);
    memcpy(to, x->address, (size_t)piece_bytes(x));
    return MPI_SUCCESS;
}

static int unpack(const piece *x, char *from)
{
    if (!x->type->run)
        return in_parts(x, from, false);
    memcpy(x->address, from, (size_t)piece_bytes(x));
    return MPI_SUCCESS;
}

int wire_pack(const bound *b, const step *st)
{
    const message *m = &b->messages[st->message];
    char *to = b->base[BASE_PACK] + m->offset;
    int error = MPI_SUCCESS;

    simulated_copy(wire_bytes(b, st));
    for (int i = 0; i < st->n && !error; i++) {
        piece x = piece_at(b, st, i);
        int64_t bytes = piece_bytes(&x);
        if (bytes == 0) /* there may be no address */
            continue;
        if (is_raw(m, &x))
            memcpy(to, x.address, (size_t)bytes);
        else
            error = pack(&x, to);
        to += bytes;
    }
    return error;
}

int wire_unpack(const bound *b, const step *st)
{
    const message *m = &b->messages[st->message];
    char *from = b->base[BASE_PACK] + m->offset;
    int error = MPI_SUCCESS;

    simulated_copy(wire_bytes(b, st));
    for (int i = 0; i < st->n && !error; i++) {
        piece x = piece_at(b, st, i);
        int64_t bytes = piece_bytes(&x);
        if (bytes == 0)
            continue;
        if (is_raw(m, &x))
            memcpy(x.address, from, (size_t)bytes);
        else
            error = unpack(&x, from);
        from += bytes;
    }
    return error;
}

int wire_gather(const bound *b, const step *st, char *to)
{
    int error = MPI_SUCCESS;

    for (int i = 0; i < st->n && !error; i++) {
        piece x = piece_at(b, st, i);
        if (piece_bytes(&x) > 0)
            error = pack(&x, to);
        to += piece_bytes(&x);
    }
    return error;
}

int wire_scatter(const bound *b, const step *st, const char *from, int64_t bytes)
{
    char *at = (char *)from;
    int64_t left = bytes;
    int error = MPI_SUCCESS;

    for (int i = 0; i < st->n && left > 0 && !error; i++) {
        piece x = piece_at(b, st, i);
        if (piece_bytes(&x) == 0) /* there may be no address */
            continue;
        if (piece_bytes(&x) > left)
            x.items = left / x.type->size;
        if (x.items == 0)
            break;
        error = unpack(&x, at);
        at += piece_bytes(&x);
        left -= piece_bytes(&x);
    }
    return error;
}

/* ---- local steps ---- */

/* to = from op to, in pieces that an int can count. The program's function gets the type that the
 * program has given. */
static int reduce(const bound *b, const piece *from, const piece *to)
{
    MPI_Datatype type = b->given.op.predefined ? to->type->type : b->given.op.type;
    int64_t extent = to->type->extent;
    int error = MPI_SUCCESS;

    for (int64_t at = 0, n; at < to->items && !error; at += n) {
        n = to->items - at < datatype_max_count ? to->items - at : datatype_max_count;
        error = PMPI_Reduce_local(from->address + at * extent, to->address + at * extent, (int)n,
                                  type, b->given.op.op);
    }
    return error;
}

/* Are dense elements of both the same bytes? */
static bool same_bytes(const piece *x, const piece *y)
{
    return x->type->dense && y->type->dense &&
           ((x->type->predefined && y->type->predefined) || x->given == y->given);
}

/* Between packed elements and others, directly. False: not possible here. */
static bool copy_packed(const piece *from, const piece *to, int *error)
{
    bool packs = to->type->type == MPI_PACKED;
    const piece *typed = packs ? from : to, *packed = packs ? to : from;

    if (packed->type->type != MPI_PACKED || piece_bytes(typed) > piece_bytes(packed))
        return false;
    *error = packs ? pack(from, to->address) : unpack(to, from->address);
    return true;
}

static int64_t common_multiple(int64_t a, int64_t b)
{
    int64_t x = a, y = b;

    while (y) {
        int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b;
}

/* The elements from byte `at` of the data on, for so many bytes. */
static piece part(const piece *x, int64_t at, int64_t bytes)
{
    piece p = *x;

    p.items = bytes / x->type->size;
    p.address += at / x->type->size * x->type->extent;
    return p;
}

static int copy_part(const piece *from, const piece *to, char *room)
{
    int error;

    if (to->type->run)
        return pack(from, to->address);
    if (from->type->run)
        return unpack(to, from->address);
    error = pack(from, room);
    return error ? error : unpack(to, room);
}

/* From one datatype to another, some elements at a time: faster than a message to myself, and Open
 * MPI 5.0 gets wrong what is longer than 16 KiB and not aligned. False: not possible here. */
static bool copy_parts(const piece *from, const piece *to, int *error)
{
    enum { ROOM = 4096 }; /* tuning */
    int64_t bytes = piece_bytes(from), whole;
    char room[ROOM];

    if (bytes != piece_bytes(to) || from->type->size > ROOM || to->type->size > ROOM)
        return false;
    whole = common_multiple(from->type->size, to->type->size);
    if (whole > ROOM)
        return false;
    whole = ROOM / whole * whole;
    *error = MPI_SUCCESS;
    for (int64_t at = 0, n; at < bytes && !*error; at += n) {
        n = bytes - at < whole ? bytes - at : whole;
        piece f = part(from, at, n), t = part(to, at, n);
        *error = copy_part(&f, &t, room);
    }
    return true;
}

raw_local wire_resolve_local(const bound *b, const step *st)
{
    bool copies = st->kind == STEP_COPY;
    piece from, to;

    if (st->kind == STEP_FENCE)
        return (raw_local){0};
    from = piece_at(b, st, 0);
    to = piece_at(b, st, 1);
    if (copies ? !same_bytes(&from, &to) : !b->given.op.predefined || to.items > datatype_max_count)
        return (raw_local){0};
    return (raw_local){.from = from.offset,
                       .to = to.offset,
                       .amount = (size_t)(copies ? piece_bytes(&from) : to.items),
                       .from_base = b->sched->list[st->first].space,
                       .to_base = b->sched->list[st->first + 1].space};
}

int wire_local(const bound *b, const step *st)
{
    piece from = piece_at(b, st, 0), to = piece_at(b, st, 1);
    int error;

    if (piece_bytes(&from) == 0) /* there may be no address */
        return MPI_SUCCESS;
    simulated_copy(piece_bytes(&from));
    if (st->kind == STEP_REDUCE)
        return reduce(b, &from, &to);
    if (copy_packed(&from, &to, &error) || copy_parts(&from, &to, &error))
        return error;
    return copy_typed(&from, &to);
}
