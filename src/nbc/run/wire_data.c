/* wire_data.c - move data: pack and unpack messages, copy, reduce. */
#include "nbc/process/process.h"
#include "nbc/process/test_knobs.h"
#include "nbc/run/piece.h"
#include "nbc/run/wire.h"

#include <string.h>

/* ---- pack ---- */

/* Is this data, packed, the bytes as they lie there? */
static bool is_raw(const message *m, const piece *x)
{
    return m->type != MPI_PACKED || (x->type->dense && x->type->predefined);
}

int wire_pack(const bound *b, const step *st)
{
    const message *m = &b->messages[st->message];
    char *to = b->base[BASE_PACK] + m->offset;
    int at = 0, error = MPI_SUCCESS;

    simulated_copy(wire_bytes(b, st));
    for (int i = 0; i < st->n && !error; i++) {
        piece x = piece_at(b, st, i);
        int bytes = (int)piece_bytes(&x);
        if (is_raw(m, &x)) {
            memcpy(to + at, x.address, (size_t)bytes);
            at += bytes;
        } else {
            error = PMPI_Pack(x.address, (int)x.items, x.type->type, to, at + bytes, &at,
                              process_self());
        }
    }
    return error;
}

int wire_unpack(const bound *b, const step *st)
{
    const message *m = &b->messages[st->message];
    char *from = b->base[BASE_PACK] + m->offset;
    int at = 0, error = MPI_SUCCESS;

    simulated_copy(wire_bytes(b, st));
    for (int i = 0; i < st->n && !error; i++) {
        piece x = piece_at(b, st, i);
        int bytes = (int)piece_bytes(&x);
        if (is_raw(m, &x)) {
            memcpy(x.address, from + at, (size_t)bytes);
            at += bytes;
        } else {
            error = PMPI_Unpack(from, at + bytes, &at, x.address, (int)x.items, x.type->type,
                                process_self());
        }
    }
    return error;
}

/* ---- local steps ---- */

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
        PMPI_Type_free(&recv_type);
    if (send_made)
        PMPI_Type_free(&send_type);
    return error;
}

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

/* Is the offset an address, as in MPI_BOTTOM? */
static bool is_absolute(const piece *x)
{
    return (intptr_t)x->address == (intptr_t)x->offset;
}

/* Between packed elements and others, directly. False: not possible here. */
static bool copy_packed(const piece *from, const piece *to, int *error)
{
    bool packs = to->type->type == MPI_PACKED;
    const piece *typed = packs ? from : to, *packed = packs ? to : from;
    int64_t bytes = piece_bytes(packed);
    int at = 0;

    if (packed->type->type != MPI_PACKED || bytes > datatype_max_count ||
        typed->items > datatype_max_count || is_absolute(typed))
        return false;
    *error = packs ? PMPI_Pack(from->address, (int)from->items, from->type->type, to->address,
                               (int)bytes, &at, process_self())
                   : PMPI_Unpack(from->address, (int)bytes, &at, to->address, (int)to->items,
                                 to->type->type, process_self());
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

    simulated_copy(piece_bytes(&from));
    if (st->kind == STEP_REDUCE)
        return reduce(b, &from, &to);
    if (copy_packed(&from, &to, &error))
        return error;
    return copy_typed(&from, &to);
}
