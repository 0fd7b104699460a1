/* wire.c - intervals to MPI messages: contiguous, derived datatype, or packed. */
#include "nbc/run/wire.h"

#include "nbc/process/process.h"
#include "nbc/process/test_knobs.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Bytes up to which packing beats a derived datatype, whatever the number of blocks
 * (tutti-bench blocks, docs/measurements.md). */
#ifdef OPEN_MPI
enum { PACK_LIMIT = 2048 };
#else
enum { PACK_LIMIT = 8192 };
#endif

bool wire_packs(int n, int64_t bytes)
{
    return n > 1 && bytes <= PACK_LIMIT;
}

/* Open MPI 4.1: persistent messages are slower up to 256 bytes, then faster by a tenth until the
 * difference vanishes. MPICH: plain ones are faster or equal at every size (tutti-bench
 * allgather -a hand_init,hand). */
bool wire_persistent(int64_t bytes)
{
#ifdef OPEN_MPI
    return bytes > 256;
#else
    (void)bytes;
    return false;
#endif
}

static const interval *interval_at(const bound *b, const step *st, int i)
{
    return &b->sched->list[st->first + i];
}

/* Items of the space's type. */
static int64_t items_of(const bound *b, interval i)
{
    const space_binding *s = &b->space[i.space];

    return sched_items(s->parts, s->count, interval_end(i)) -
           sched_items(s->parts, s->count, i.offset);
}

static int64_t bytes_of(const bound *b, interval i)
{
    return items_of(b, i) * b->space[i.space].type.size;
}

int64_t wire_bytes(const bound *b, const step *st)
{
    int64_t sum = 0;

    for (int i = 0; i < st->n; i++)
        sum += bytes_of(b, *interval_at(b, st, i));
    return sum;
}

static int64_t offset_of(const bound *b, interval i)
{
    const space_binding *s = &b->space[i.space];

    if (s->row)
        return i.offset / s->parts * s->row +
               sched_items(s->parts, s->count, i.offset % s->parts) * s->type.extent;
    return sched_items(s->parts, s->count, i.offset) * s->type.extent;
}

static char *address_of(const bound *b, interval i)
{
    return b->base[i.space] + offset_of(b, i);
}

/* ---- resolve ---- */

bool wire_spans_spaces(const bound *b, const step *st)
{
    for (int i = 1; i < st->n; i++)
        if (interval_at(b, st, i)->space != interval_at(b, st, 0)->space)
            return true;
    return false;
}

/* Lengths that fit an int, in one space: one hindexed type over the space's own type. */
static int make_hindexed(const bound *b, const step *st, int *lengths, MPI_Aint *at,
                         MPI_Datatype *type)
{
    const space_binding *s = &b->space[interval_at(b, st, 0)->space];

    for (int i = 0; i < st->n; i++) {
        interval v = *interval_at(b, st, i);
        lengths[i] = (int)items_of(b, v);
        at[i] = (MPI_Aint)offset_of(b, v);
    }
    return PMPI_Type_create_hindexed(st->n, lengths, at, s->type.type, type);
}

/* Two spaces, or a length that needs a large type of its own: a struct, relative to the base of
 * the first interval's space. */
static int make_struct(const bound *b, const step *st, int *lengths, MPI_Aint *at,
                       MPI_Datatype *type)
{
    const char *base = b->base[interval_at(b, st, 0)->space];
    MPI_Datatype *parts = malloc((size_t)st->n * sizeof *parts);
    bool *made = calloc((size_t)st->n, sizeof *made);
    int error = parts && made ? MPI_SUCCESS : MPI_ERR_NO_MEM;

    for (int i = 0; i < st->n && !error; i++) {
        interval v = *interval_at(b, st, i);
        const space_binding *s = &b->space[v.space];
        at[i] = (MPI_Aint)((intptr_t)address_of(b, v) - (intptr_t)base);
        error = datatype_count(s->type.type, items_of(b, v), &parts[i], &lengths[i], &made[i]);
    }
    if (!error)
        error = PMPI_Type_create_struct(st->n, lengths, at, parts, type);
    for (int i = 0; made && i < st->n; i++)
        if (made[i])
            PMPI_Type_free(&parts[i]);
    free(made);
    free(parts);
    return error;
}

static bool fits_hindexed(const bound *b, const step *st)
{
    if (wire_spans_spaces(b, st))
        return false;
    for (int i = 0; i < st->n; i++) {
        interval v = *interval_at(b, st, i);
        if (items_of(b, v) > datatype_max_count)
            return false;
    }
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

/* The one dense type of all the step's data, or MPI_DATATYPE_NULL. */
static MPI_Datatype uniform_type(const bound *b, const step *st)
{
    int space = interval_at(b, st, 0)->space;

    for (int i = 0; i < st->n; i++) {
        int other = interval_at(b, st, i)->space;
        if (!b->space[other].type.dense || b->space[other].given != b->space[space].given)
            return MPI_DATATYPE_NULL;
    }
    return b->space[space].type.type;
}

/* A packed message of one dense type keeps it, so that its signature stays the same; others are
 * MPI_PACKED. */
static int resolve_packed(const bound *b, const step *st, message *m, int64_t *pack_at)
{
    const space_binding *s = &b->space[interval_at(b, st, 0)->space];
    int64_t bytes = wire_bytes(b, st);
    MPI_Datatype type = uniform_type(b, st);
    bool uniform = type != MPI_DATATYPE_NULL;

    *m = (message){.type = uniform ? type : MPI_PACKED,
                   .base = BASE_PACK,
                   .offset = *pack_at,
                   .count = (int)(uniform ? bytes / s->type.size : bytes)};
    *pack_at += (bytes + 63) / 64 * 64;
    return MPI_SUCCESS;
}

/* MPICH's MPI_Pack refuses MPI_BOTTOM, which is legal for types of absolute addresses. */
static bool packable(const bound *b, const step *st)
{
    for (int i = 0; i < st->n; i++) {
        int space = interval_at(b, st, i)->space;
        if (!b->space[space].type.dense && b->base[space] == MPI_BOTTOM)
            return false;
    }
    return true;
}

static int resolve(const bound *b, const step *st, message *m, int64_t *pack_at)
{
    interval first = *interval_at(b, st, 0);
    const space_binding *s = &b->space[first.space];
    int error;

    if (simulated_folded()) { /* scratch is the rank's own memory */
        *m = (message){.base = (uint8_t)(first.space == SPACE_SCRATCH ? SPACE_RECV : first.space),
                       .type = MPI_BYTE,
                       .count = (int)wire_bytes(b, st)};
        return MPI_SUCCESS;
    }
    if (st->n > 1 && wire_packs(st->n, wire_bytes(b, st)) && packable(b, st))
        return resolve_packed(b, st, m, pack_at);
    *m = (message){.base = (uint8_t)first.space, .count = 1};
    if (st->n > 1) {
        error = make_type(b, st, &m->type);
        m->made = !error;
        return error;
    }
    m->offset = offset_of(b, first);
    return datatype_count(s->type.type, items_of(b, first), &m->type, &m->count, &m->made);
}

int wire_resolve(const bound *b, const step *st, message *m, int64_t *pack_at)
{
    int error = resolve(b, st, m, pack_at);

    m->empty = b->sched->parts > 1 && wire_bytes(b, st) == 0;
    return error;
}

/* ---- pack ---- */

/* Is the data of this space, packed, the bytes as they lie there? */
static bool is_raw(const bound *b, const message *m, int space)
{
    const datatype *d = &b->space[space].type;

    return m->type != MPI_PACKED || (d->dense && d->predefined);
}

int wire_pack(const bound *b, const step *st)
{
    const message *m = &b->messages[st->message];
    char *to = b->base[BASE_PACK] + m->offset;
    int at = 0, error = MPI_SUCCESS;

    simulated_copy(wire_bytes(b, st));
    for (int i = 0; i < st->n && !error; i++) {
        interval v = *interval_at(b, st, i);
        const space_binding *s = &b->space[v.space];
        int bytes = (int)bytes_of(b, v);
        if (is_raw(b, m, v.space)) {
            memcpy(to + at, address_of(b, v), (size_t)bytes);
            at += bytes;
        } else {
            error = PMPI_Pack(address_of(b, v), (int)items_of(b, v), s->type.type, to, at + bytes,
                              &at, process_self());
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
        interval v = *interval_at(b, st, i);
        const space_binding *s = &b->space[v.space];
        int bytes = (int)bytes_of(b, v);
        if (is_raw(b, m, v.space)) {
            memcpy(address_of(b, v), from + at, (size_t)bytes);
            at += bytes;
        } else {
            error = PMPI_Unpack(from, at + bytes, &at, address_of(b, v), (int)items_of(b, v),
                                s->type.type, process_self());
        }
    }
    return error;
}

/* ---- local steps ---- */

/* MPI's own way from one datatype to another: a message to myself. */
static int copy_typed(const bound *b, interval from, interval to)
{
    const space_binding *s = &b->space[from.space], *t = &b->space[to.space];
    MPI_Datatype send_type, recv_type;
    int send_count, recv_count, error;
    bool send_made, recv_made = false;

    error = datatype_count(s->type.type, items_of(b, from), &send_type, &send_count, &send_made);
    if (error)
        return error;
    error = datatype_count(t->type.type, items_of(b, to), &recv_type, &recv_count, &recv_made);
    if (!error)
        error = PMPI_Sendrecv(address_of(b, from), send_count, send_type, 0, 0, address_of(b, to),
                              recv_count, recv_type, 0, 0, process_self(), MPI_STATUS_IGNORE);
    if (recv_made)
        PMPI_Type_free(&recv_type);
    if (send_made)
        PMPI_Type_free(&send_type);
    return error;
}

/* to = from op to, in pieces that an int can count. The program's function gets the type that the
 * program has given. */
static int reduce(const bound *b, interval from, interval to)
{
    const space_binding *t = &b->space[to.space];
    MPI_Datatype type = b->given.op.predefined ? t->type.type : b->given.recvtype;
    int64_t n = items_of(b, to);
    int error = MPI_SUCCESS;

    for (int64_t at = 0, piece; at < n && !error; at += piece) {
        piece = n - at < datatype_max_count ? n - at : datatype_max_count;
        error = PMPI_Reduce_local(address_of(b, from) + at * t->type.extent,
                                  address_of(b, to) + at * t->type.extent, (int)piece, type,
                                  b->given.op.op);
    }
    return error;
}

/* Are dense elements of both spaces the same bytes? */
static bool same_bytes(const space_binding *s, const space_binding *t)
{
    return s->type.dense && t->type.dense &&
           ((s->type.predefined && t->type.predefined) || s->given == t->given);
}

/* Between a space of packed elements and another one, directly. False: not possible here. */
static bool copy_packed(const bound *b, interval from, interval to, int *error)
{
    bool packs = b->space[to.space].type.type == MPI_PACKED;
    interval typed = packs ? from : to, packed = packs ? to : from;
    const space_binding *s = &b->space[typed.space];
    int64_t bytes = bytes_of(b, packed), n = items_of(b, typed);
    int at = 0;

    if (b->space[packed.space].type.type != MPI_PACKED || bytes > datatype_max_count ||
        n > datatype_max_count || b->base[typed.space] == MPI_BOTTOM)
        return false;
    *error = packs ? PMPI_Pack(address_of(b, from), (int)n, s->type.type, address_of(b, to),
                               (int)bytes, &at, process_self())
                   : PMPI_Unpack(address_of(b, from), (int)bytes, &at, address_of(b, to), (int)n,
                                 s->type.type, process_self());
    return true;
}

raw_copy wire_resolve_copy(const bound *b, const step *st)
{
    interval from, to;

    if (st->kind != STEP_COPY)
        return (raw_copy){0};
    from = *interval_at(b, st, 0);
    to = *interval_at(b, st, 1);
    if (!same_bytes(&b->space[from.space], &b->space[to.space]))
        return (raw_copy){0};
    return (raw_copy){.from = offset_of(b, from),
                      .to = offset_of(b, to),
                      .bytes = (size_t)bytes_of(b, from),
                      .from_base = from.space,
                      .to_base = to.space};
}

int wire_local(const bound *b, const step *st)
{
    interval from = *interval_at(b, st, 0), to = *interval_at(b, st, 1);
    int error;

    simulated_copy(bytes_of(b, from));
    if (st->kind == STEP_REDUCE)
        return reduce(b, from, to);
    if (copy_packed(b, from, to, &error))
        return error;
    return copy_typed(b, from, to);
}
