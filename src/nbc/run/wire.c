/* SPDX-License-Identifier: BSD-3-Clause */
/* wire.c - intervals to MPI messages: contiguous, derived datatype, or packed; and to copies and
 * reductions. */
#include "nbc/run/wire.h"

#include "nbc/process/fault_tolerance.h"
#include "nbc/process/mpi_library.h"
#include "nbc/process/native_mpi.h"
#include "nbc/process/test_knobs.h"
#include "nbc/run/pack.h"

#include <stdlib.h>

/* Bytes up to which packing beats a derived datatype, whatever the number of blocks
 * (tutti-bench blocks, docs/results/measurements.md). */
enum { PACK_LIMIT_OPENMPI = 2048, PACK_LIMIT_MPICH = 8192 };

/* Pack a message of n intervals and so many bytes, rather than describe it by a datatype? */
static bool wire_packs(int n, int64_t bytes)
{
    return n > 1 && bytes <= (mpi_is_openmpi() ? PACK_LIMIT_OPENMPI : PACK_LIMIT_MPICH);
}

/* Open MPI 4.1: persistent messages are slower up to 256 bytes, then faster by a tenth until the
 * difference vanishes. MPICH: plain ones are faster or equal at every size (tutti-bench
 * allgather -a hand_init,hand). */
bool wire_persistent(int64_t bytes)
{
    return mpi_is_openmpi() && bytes > 256 && !fault_tolerance;
}

int64_t wire_bytes(const bound *b, const step *st)
{
    int64_t sum = 0;

    for (int i = 0; i < st->n; i++) {
        piece x = piece_at(b, st, i);
        sum += piece_bytes(&x);
    }
    return sum;
}

/* ---- resolve ---- */

static int space_of(const bound *b, const step *st, int i)
{
    return b->sched->list[st->first + i].space;
}

bool wire_spans_spaces(const bound *b, const step *st)
{
    for (int i = 1; i < st->n; i++)
        if (space_of(b, st, i) != space_of(b, st, 0))
            return true;
    return false;
}

/* Lengths that fit an int, of one type in one space: one hindexed type over that. */
static int make_hindexed(const bound *b, const step *st, int *lengths, MPI_Aint *at,
                         MPI_Datatype *type)
{
    for (int i = 0; i < st->n; i++) {
        piece x = piece_at(b, st, i);
        lengths[i] = (int)x.items;
        at[i] = (MPI_Aint)x.offset;
    }
    return PMPI_Type_create_hindexed(st->n, lengths, at, b->space[space_of(b, st, 0)].type.type,
                                     type);
}

/* Two spaces or types, or a length that needs a large type of its own: a struct, relative to the
 * base of the first interval's space. */
static int make_struct(const bound *b, const step *st, int *lengths, MPI_Aint *at,
                       MPI_Datatype *type)
{
    const char *base = b->base[space_of(b, st, 0)];
    MPI_Datatype *parts = malloc((size_t)st->n * sizeof *parts);
    bool *made = calloc((size_t)st->n, sizeof *made);
    int error = parts && made ? MPI_SUCCESS : MPI_ERR_NO_MEM;

    for (int i = 0; i < st->n && !error; i++) {
        piece x = piece_at(b, st, i);
        at[i] = (MPI_Aint)((intptr_t)x.address - (intptr_t)base);
        error = datatype_count(x.type->type, x.items, &parts[i], &lengths[i], &made[i]);
    }
    if (!error)
        error = PMPI_Type_create_struct(st->n, lengths, at, parts, type);
    for (int i = 0; made && i < st->n; i++)
        if (made[i])
            native_mpi.Type_free(&parts[i]);
    free(made);
    free(parts);
    return error;
}

static bool fits_hindexed(const bound *b, const step *st)
{
    if (wire_spans_spaces(b, st) || b->space[space_of(b, st, 0)].blocks)
        return false;
    for (int i = 0; i < st->n; i++)
        if (piece_at(b, st, i).items > datatype_max_count)
            return false;
    return true;
}

static int make_type(const bound *b, const step *st, MPI_Datatype *type)
{
    int *lengths = malloc((size_t)st->n * sizeof *lengths);
    MPI_Aint *at = malloc((size_t)st->n * sizeof *at);
    int error = MPI_ERR_NO_MEM;

    if (lengths && at)
        error = fits_hindexed(b, st) ? make_hindexed(b, st, lengths, at, type)
                                     : make_struct(b, st, lengths, at, type);
    if (!error)
        error = datatype_commit(type);
    free(at);
    free(lengths);
    return error;
}

/* The one dense type of all the step's data, so that the signature stays the same; else
 * MPI_PACKED. */
static MPI_Datatype packed_type(const bound *b, const step *st)
{
    piece first = piece_at(b, st, 0);

    for (int i = 0; i < st->n; i++) {
        piece x = piece_at(b, st, i);
        if (!x.type->dense || x.given != first.given)
            return MPI_PACKED;
    }
    return first.type->type;
}

static int resolve_packed(const bound *b, const step *st, MPI_Datatype type, message *m,
                          int64_t *pack_at)
{
    int64_t bytes = wire_bytes(b, st), size = 1;

    if (type != MPI_PACKED)
        size = piece_at(b, st, 0).type->size;
    *m = (message){
        .type = type, .base = BASE_PACK, .offset = *pack_at, .count = (int)(bytes / size)};
    *pack_at += (bytes + 63) / 64 * 64;
    return MPI_SUCCESS;
}

/* Does what a receive gets come from somebody's SCRATCH, where all is packed? */
static bool comes_packed(const bound *b, const step *st)
{
    bool typed = b->space[space_of(b, st, 0)].blocks != NULL;

    return b->space[SPACE_SCRATCH].type.type == MPI_PACKED &&
           (!typed || b->sched->packs || b->sched->extent[SPACE_SCRATCH] > 0);
}

/* MPICH 4.0 cannot receive more than 8 KiB of packed data into a type that mixes basic ones. */
static bool unpacks(const bound *b, const step *st)
{
    bool mixed = false;

    if (st->kind != STEP_RECV || wire_bytes(b, st) > datatype_max_count || !comes_packed(b, st))
        return false;
    for (int i = 0; i < st->n && !mixed; i++)
        mixed = datatype_is_mixed(piece_at(b, st, i).type);
    return mixed;
}

/* Where buffers are folded nobody looks at the data: scratch, which is the rank's own memory, is
 * any buffer that the rank has. */
static int folded_space(const bound *b, int space)
{
    if (space != SPACE_SCRATCH)
        return space;
    return b->given.recvbuf ? SPACE_RECV : SPACE_SEND;
}

/* With fault tolerance a send that is given up leaves what it reads (open.c). */
static bool leaves_copy(const bound *b, const step *st)
{
    return fault_tolerance && st->kind == STEP_SEND && wire_bytes(b, st) <= datatype_max_count;
}

static int resolve_message(const bound *b, const step *st, message *m, int64_t *pack_at)
{
    piece first = piece_at(b, st, 0);
    int space = space_of(b, st, 0), error;

    if (simulated_folded()) {
        *m = (message){.base = (uint8_t)folded_space(b, space),
                       .type = MPI_BYTE,
                       .count = (int)wire_bytes(b, st)};
        return MPI_SUCCESS;
    }
    if (unpacks(b, st))
        return resolve_packed(b, st, MPI_PACKED, m, pack_at);
    if (wire_packs(st->n, wire_bytes(b, st)) || leaves_copy(b, st))
        return resolve_packed(b, st, packed_type(b, st), m, pack_at);
    *m = (message){.base = (uint8_t)space, .count = 1};
    if (st->n > 1) {
        error = make_type(b, st, &m->type);
        m->made = !error;
        return error;
    }
    m->offset = first.offset;
    return datatype_count(first.type->type, first.items, &m->type, &m->count, &m->made);
}

int wire_resolve(const bound *b, const step *st, message *m, int64_t *pack_at)
{
    int error = resolve_message(b, st, m, pack_at);

    m->empty = b->sched->parts > 1 && wire_bytes(b, st) == 0;
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

    if (piece_bytes(&from) == 0) /* there may be no address */
        return MPI_SUCCESS;
    simulated_copy(piece_bytes(&from));
    return st->kind == STEP_REDUCE ? reduce(b, &from, &to) : pack_copy(&from, &to);
}
