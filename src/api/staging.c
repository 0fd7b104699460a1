/* SPDX-License-Identifier: BSD-3-Clause */
/* staging.c - see staging.h: which bytes a call reads and writes, as MPI's types and lists say. */
#include "api/staging.h"

#include "nbc/process/reason.h"

#include <limits.h>
#include <stdlib.h>

/* ---- where the data of a side lies, in bytes from its buffer ---- */

typedef struct layout {
    int64_t low, high;
    device_range *parts; /* of the data: bytes from `low`; adjacent ones are one, and so are rows */
    int64_t n, room;
    int error;
} layout;

/* A block, or what each element of a type is made of. */
typedef void visit(layout *o, int64_t at, int64_t count, const datatype *t);

static void visit_blocks(const call_side *s, layout *o, visit *f)
{
    const args_lists *l = s->lists;
    datatype t;

    if (s->extent < COLL_LISTED && s->total > 0)
        f(o, 0, s->total, &s->type);
    for (int i = 0; s->extent >= COLL_LISTED && i < s->n && !o->error; i++) {
        if (lists_count(l, i) <= 0)
            continue;
        if (s->extent == COLL_LISTED)
            f(o, lists_displ(l, i) * s->type.extent, lists_count(l, i), &s->type);
        else if (!(o->error = datatype_describe(l->types[i], &t)))
            f(o, lists_displ(l, i), lists_count(l, i), &t);
    }
}

static void add_span(layout *o, int64_t at, int64_t count, const datatype *t)
{
    int64_t low = at + t->true_lb + (t->extent < 0 ? (count - 1) * t->extent : 0);
    int64_t high = low + datatype_span(t, count);

    if (t->size == 0)
        return;
    if (o->low == o->high)
        *o = (layout){.low = low, .high = high};
    o->low = low < o->low ? low : o->low;
    o->high = high > o->high ? high : o->high;
}

/* The last range is complete: it may be the next row of those before. */
static void join_rows(layout *o)
{
    device_range *rows, *last;
    int64_t pitch;

    if (o->n < 2)
        return;
    rows = &o->parts[o->n - 2];
    last = rows + 1;
    pitch = last->at - (rows->at + (rows->rows - 1) * rows->pitch);
    if (last->bytes != rows->bytes || pitch < last->bytes ||
        (rows->rows > 1 && pitch != rows->pitch))
        return;
    rows->rows++;
    rows->pitch = pitch;
    o->n--;
}

static void add_part(layout *o, int64_t at, int64_t bytes)
{
    device_range *last = o->n ? &o->parts[o->n - 1] : NULL;

    if (last && last->rows == 1 && last->at + last->bytes == at) {
        last->bytes += bytes;
        return;
    }
    join_rows(o);
    if (o->n == o->room) {
        int64_t room = o->room ? 2 * o->room : 4;
        device_range *more = realloc(o->parts, (size_t)room * sizeof *more);
        if (!more) {
            o->error = MPI_ERR_NO_MEM;
            return;
        }
        o->parts = more;
        o->room = room;
    }
    o->parts[o->n++] = (device_range){.at = at, .bytes = bytes, .rows = 1};
}

/* The parts of one element: where MPI puts the bytes of its data. */
static int parts_of_element(const datatype *t, layout *o)
{
    size_t span = (size_t)t->true_extent, size = (size_t)t->size;
    char *ones = malloc(size), *mask = calloc(1, span);
    int at = 0, error = ones && mask ? MPI_SUCCESS : MPI_ERR_NO_MEM;

    if (size > INT_MAX)
        error = MPI_ERR_COUNT;
    for (size_t i = 0; !error && i < size; i++)
        ones[i] = 1;
    if (!error)
        error = PMPI_Unpack(ones, (int)size, &at, mask - t->true_lb, 1, t->type, MPI_COMM_SELF);
    for (size_t i = 0; !error && i < span; i++)
        if (mask[i])
            add_part(o, t->true_lb + (int64_t)i, 1);
    join_rows(o);
    free(ones);
    free(mask);
    return error ? error : o->error;
}

/* The rows that this range stands for, of the element at this address. */
static void add_rows(layout *o, int64_t at, const device_range *of)
{
    for (int64_t i = 0; i < of->rows && !o->error; i++)
        add_part(o, at + of->at + i * of->pitch, of->bytes);
}

static void add_parts(layout *o, int64_t at, int64_t count, const datatype *t)
{
    layout element = {0};

    if (t->size == 0)
        return;
    if (t->dense) {
        add_part(o, at - o->low, count * t->size);
        return;
    }
    o->error = parts_of_element(t, &element);
    for (int64_t k = 0; k < count; k++)
        for (int64_t i = 0; i < element.n && !o->error; i++)
            add_rows(o, at + k * t->extent - o->low, &element.parts[i]);
    free(element.parts);
}

static layout layout_of(const call_side *s)
{
    layout o = {0};

    if (s->extent != COLL_NONE)
        visit_blocks(s, &o, add_span);
    return o;
}

/* ---- host copies ---- */

/* Is all that is received surely written? Nothing comes from a neighbor that is not there. */
static bool is_overwritten(const coll *c, const call_side *send)
{
    if (c->kind == COLL_bcast)
        return c->rank != c->root;
    return (send->extent != COLL_NONE || coll_has(c->kind, COLL_ROOT_SENDS)) && !c->in_place &&
           !coll_has(c->kind, COLL_NEIGHBORS + COLL_EXCLUSIVE);
}

static bool is_on_device(const call_side *s, const layout *o)
{
    return o->high > o->low && device_of((const char *)s->buffer + o->low);
}

static int copy_side(const call_side *s, const layout *o, bool read, staged_side *side)
{
    side->device = (char *)s->buffer + o->low;
    side->host = staging_buffer_make((size_t)(o->high - o->low));
    side->in_bytes = read ? o->high - o->low : 0;
    return side->host ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static int copy_recv(const call *of, layout *o, staged_side *side)
{
    bool sends = of->coll.kind == COLL_bcast && of->coll.rank == of->coll.root;
    int error = copy_side(&of->recv, o, !is_overwritten(&of->coll, &of->send), side);

    if (!error && !sends)
        visit_blocks(&of->recv, o, add_parts);
    join_rows(o);
    side->result = o->parts;
    side->n = o->n;
    return error ? error : o->error;
}

/* May any of its buffers be on a device? With MPI_BOTTOM only the types know where the data is. */
static bool may_be_on_device(const args *a)
{
    const void *buffers[] = {a->send.buffer, a->recv.buffer};

    for (int i = 0; i < 2; i++)
        if (buffers[i] != MPI_IN_PLACE && (!buffers[i] || device_of(buffers[i])))
            return true;
    return false;
}

/* False: no buffer is on a device, or an argument is wrong, which is reported later as in all
 * calls. */
static bool find_layouts(const args *a, comm *c, call *of, layout *send, layout *recv)
{
    if (!may_be_on_device(a) || call_check(a, c, of))
        return false;
    *send = layout_of(&of->send);
    *recv = of->room.bytes ? (layout){0} : layout_of(&of->recv);
    return true;
}

int staging_args(const args *a, comm *c, args *host, staged **result)
{
    call of;
    layout send, recv;
    staged *s;
    int error = MPI_SUCCESS;

    *result = NULL;
    if (!find_layouts(a, c, &of, &send, &recv) ||
        (!is_on_device(&of.send, &send) && !is_on_device(&of.recv, &recv)))
        return MPI_SUCCESS;
    s = staged_make();
    if (!s)
        return MPI_ERR_NO_MEM;
    *host = *a;
    if (is_on_device(&of.send, &send)) {
        error = copy_side(&of.send, &send, true, &s->send);
        host->send.buffer = staged_copy(&s->send, a->send.buffer);
    }
    if (!error && is_on_device(&of.recv, &recv)) {
        error = copy_recv(&of, &recv, &s->recv);
        host->recv.buffer = staged_copy(&s->recv, a->recv.buffer);
    }
    if (error)
        staged_free(s);
    else
        *result = s;
    return error;
}

int staging_refuse(const args *a, comm *c)
{
    call of;
    layout send, recv;
    const call_side *s;
    int64_t low;

    if (!find_layouts(a, c, &of, &send, &recv))
        return MPI_SUCCESS;
    s = is_on_device(&of.send, &send) ? &of.send : &of.recv;
    low = s == &of.send ? send.low : recv.low;
    if (s == &of.recv && !is_on_device(s, &recv))
        return MPI_SUCCESS;
    return reason_set(MPI_ERR_BUFFER,
                      "%s (%p) is memory of a %s device; copy it to host memory first",
                      s == &of.send           ? "sendbuf"
                      : a->kind == COLL_bcast ? "buffer"
                                              : "recvbuf",
                      s->buffer, device_of((const char *)s->buffer + low));
}
