/* SPDX-License-Identifier: BSD-3-Clause */
/* pack.c - see pack.h. */
#include "nbc/run/pack.h"

#include "nbc/process/native_mpi.h"
#include "nbc/process/process.h"
#include "nbc/process/simulated.h"
#include "nbc/process/test_knobs.h"

#include <limits.h>
#include <string.h>

int64_t pack_most = INT_MAX;

typedef enum pack_way { PACK, UNPACK } pack_way;

/* MPICH's MPI_Pack and MPI_Unpack refuse MPI_BOTTOM, which is legal for a type of absolute
 * addresses: then the type is made relative to another address. */
static char *const elsewhere = (char *)4096;

static int make_shifted(const piece *x, MPI_Datatype *type)
{
    MPI_Aint at = -(MPI_Aint)(intptr_t)elsewhere;
    int n = (int)x->items;
    int error = PMPI_Type_create_hindexed(1, &n, &at, x->type->type, type);

    return error ? error : datatype_commit(type);
}

/* What an int counts the bytes of. */
static int move_part(const piece *x, char *packed, pack_way way)
{
    bool shifts = x->address == MPI_BOTTOM;
    char *address = shifts ? elsewhere : x->address;
    int n = shifts ? 1 : (int)x->items, room = (int)piece_bytes(x), at = 0;
    MPI_Datatype type = x->type->type;
    int error = shifts ? make_shifted(x, &type) : MPI_SUCCESS;

    if (error)
        return error;
    error = way == PACK ? PMPI_Pack(address, n, type, packed, room, &at, process_self())
                        : PMPI_Unpack(packed, room, &at, address, n, type, process_self());
    if (shifts)
        native_mpi.Type_free(&type);
    return error;
}

/* MPI's own way from one datatype to another: a message to myself. */
static int copy_by_message(const piece *from, const piece *to)
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
static int move_large(const piece *x, char *packed, pack_way way)
{
    const datatype type = {.type = MPI_PACKED};
    piece p = {.type = &type, .items = piece_bytes(x), .address = packed};

    return way == PACK ? copy_by_message(x, &p) : copy_by_message(&p, x);
}

/* The items from `first` on, at most n of them. */
static piece part(const piece *x, int64_t first, int64_t n)
{
    piece p = *x;

    p.items = x->items - first < n ? x->items - first : n;
    p.address += first * x->type->extent;
    return p;
}

static int move_parts(const piece *x, char *packed, pack_way way)
{
    int64_t size = x->type->size, some = size < pack_most ? pack_most / size : 1;
    int error = MPI_SUCCESS;

    for (int64_t done = 0; done < x->items && !error; done += some) {
        piece p = part(x, done, some);
        error = size > pack_most ? move_large(&p, packed + done * size, way)
                                 : move_part(&p, packed + done * size, way);
    }
    return error;
}

/* raw: as the bytes lie there. Of ranges MPICH 4.0 packs too little when there are more than 770
 * derived types. */
static int move_piece(const piece *x, char *packed, pack_way way, bool raw)
{
    size_t bytes = (size_t)piece_bytes(x);

    if (!raw && !x->type->contiguous)
        return move_parts(x, packed, way);
    if (way == PACK)
        memcpy(packed, x->address, bytes);
    else
        memcpy(x->address, packed, bytes);
    return MPI_SUCCESS;
}

static int move_step(const bound *b, const step *st, char *packed, int64_t bytes, pack_way way,
                     bool raw)
{
    int64_t left = bytes;
    int error = MPI_SUCCESS;

    for (int i = 0; i < st->n && left > 0 && !error; i++) {
        piece x = piece_at(b, st, i);
        if (piece_bytes(&x) > left) {
            x.items = left / x.type->size;
            left = piece_bytes(&x);
        }
        if (piece_bytes(&x) == 0)
            continue;
        error = move_piece(&x, packed, way, raw);
        packed += piece_bytes(&x);
        left -= piece_bytes(&x);
    }
    simulated_copy(bytes - left);
    return error;
}

int pack_step(const bound *b, const step *st, char *to)
{
    return move_step(b, st, to, INT64_MAX, PACK, false);
}

int unpack_step(const bound *b, const step *st, const char *from, int64_t bytes)
{
    return move_step(b, st, (char *)from, bytes, UNPACK, false);
}

/* If the message has a type of its own, the data lies as that type says. */
static int move_message(const bound *b, const step *st, pack_way way)
{
    const message *m = &b->messages[st->message];

    return move_step(b, st, b->base[BASE_PACK] + m->offset, INT64_MAX, way, m->type != MPI_PACKED);
}

int pack_message(const bound *b, const step *st)
{
    return move_message(b, st, PACK);
}

int unpack_message(const bound *b, const step *st)
{
    return move_message(b, st, UNPACK);
}

/* ---- from one datatype to another ---- */

/* Between packed elements and others, directly. False: not possible here. */
static bool copy_packed(const piece *from, const piece *to, int *error)
{
    bool packs = to->type->type == MPI_PACKED;
    const piece *typed = packs ? from : to, *packed = packs ? to : from;

    if (packed->type->type != MPI_PACKED || piece_bytes(typed) > piece_bytes(packed))
        return false;
    *error = move_piece(typed, packed->address, packs ? PACK : UNPACK, false);
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

static int copy_part(const piece *from, const piece *to, char *room)
{
    int error;

    if (to->type->contiguous)
        return move_piece(from, to->address, PACK, false);
    if (from->type->contiguous)
        return move_piece(to, from->address, UNPACK, false);
    error = move_piece(from, room, PACK, false);
    return error ? error : move_piece(to, room, UNPACK, false);
}

/* Some elements at a time: faster than a message to myself, and Open MPI 5.0 gets wrong what is
 * longer than 16 KiB and not aligned. False: not possible here. */
static bool copy_parts(const piece *from, const piece *to, int *error)
{
    enum { ROOM = 4096 }; /* tuning */
    int64_t whole, from_size = from->type->size, to_size = to->type->size;
    char room[ROOM];

    if (piece_bytes(from) != piece_bytes(to) || from_size > ROOM || to_size > ROOM)
        return false;
    whole = common_multiple(from_size, to_size);
    if (whole > ROOM)
        return false;
    whole = ROOM / whole * whole;
    *error = MPI_SUCCESS;
    for (int64_t at = 0; at < piece_bytes(from) && !*error; at += whole) {
        piece f = part(from, at / from_size, whole / from_size);
        piece t = part(to, at / to_size, whole / to_size);
        *error = copy_part(&f, &t, room);
    }
    return true;
}

int pack_copy(const piece *from, const piece *to)
{
    int error;

    if (copy_packed(from, to, &error) || copy_parts(from, to, &error))
        return error;
    return copy_by_message(from, to);
}
