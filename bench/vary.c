/* SPDX-License-Identifier: BSD-3-Clause */
/* vary.c - see vary.h. */
#include "vary.h"

#include "buffers.h"

const char *const vary_names[VARIES] = {"nothing", "buffers", "lengths", "counts", "roots",
                                        "ops",     "types",   "derived", "own"};

bool vary_fits(vary_kind v, coll_kind c)
{
    switch (v) {
    case VARY_NOTHING:
        return true;
    case VARY_COUNTS:
        return coll_is_v(c) || coll_shapes[c].send == COLL_SIZED;
    case VARY_ROOTS:
        return coll_has(c, COLL_ROOTED);
    case VARY_OPS:
    case VARY_OWN:
        return coll_has(c, COLL_REDUCES);
    case VARY_DERIVED: /* of a sum it would need an operation, too */
        return !coll_has(c, COLL_REDUCES) && coll_shapes[c].recv != COLL_NONE;
    default:
        return coll_shapes[c].recv != COLL_NONE;
    }
}

/* The units of the type are 8 bytes at most. Derived ones have as much of gaps. */
int64_t vary_room(vary_kind v, int64_t size)
{
    return v == VARY_NOTHING ? size : 2 * size + 8 * VARIANTS;
}

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((double *)inout)[i] += ((double *)in)[i];
}

/* Every second byte of a block. */
static MPI_Datatype with_gaps(int bytes)
{
    MPI_Datatype every, type;

    MPI_Type_vector(bytes > 0 ? bytes : 1, 1, 2, MPI_BYTE, &every);
    MPI_Type_create_resized(every, 0, 2 * (MPI_Aint)(bytes > 0 ? bytes : 1), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&every);
    return type;
}

void vary_begin(vary *v, vary_kind kind, run *r)
{
    *v = (vary){.kind = kind, .given = *r, .derived = MPI_DATATYPE_NULL, .own = MPI_OP_NULL};
    if (kind == VARY_DERIVED) {
        v->derived = with_gaps(r->size);
        r->type = v->derived;
        r->count = 1;
        for (int i = 0; i < r->blocks; i++) {
            r->types[i] = v->derived;
            r->counts[i] = 1;
            r->displs[i] = i;
            r->byte_displs[i] = 2 * (MPI_Aint)i * (r->size > 0 ? r->size : 1);
        }
    }
    if (kind == VARY_OWN) {
        MPI_Op_create(add, 1, &v->own);
        r->op = v->own;
    }
}

void vary_end(vary *v)
{
    if (v->derived != MPI_DATATYPE_NULL)
        MPI_Type_free(&v->derived);
    if (v->own != MPI_OP_NULL)
        MPI_Op_free(&v->own);
}

/* Blocks one after the other. */
static void set_counts(run *r, int unit, int (*more)(const run *r, int i, int turn), int turn,
                       int count)
{
    for (int i = 0, at = 0; i < r->blocks; i++) {
        r->counts[i] = count + more(r, i, turn);
        r->displs[i] = at;
        r->byte_displs[i] = (MPI_Aint)at * unit;
        at += r->counts[i];
    }
}

static int all_alike(const run *r, int i, int turn)
{
    (void)r, (void)i;
    return turn;
}

/* The sender and the receiver of a block give it the same count. */
static int one_each(const run *r, int i, int turn)
{
    bool each =
        coll_shapes[r->what].send >= COLL_LISTED && coll_shapes[r->what].recv >= COLL_LISTED;

    if (coll_has(r->what, COLL_NEIGHBORS))
        return turn % 4;
    return (i + turn + (each ? r->rank : 0)) % 4;
}

static void vary_lengths(vary *v, run *r, int turn)
{
    bool each = v->kind == VARY_COUNTS;
    int unit = buffers_unit(r->what);

    set_counts(r, unit, each ? one_each : all_alike, turn, v->given.count);
    r->count = v->given.count + (each ? one_each(r, r->rank % r->blocks, turn) : turn);
    if (coll_has(r->what, COLL_NEIGHBORS) && each)
        r->count = v->given.count + turn % 4;
}

static void vary_types(run *r, int turn)
{
    const MPI_Datatype numbers[] = {MPI_DOUBLE, MPI_INT64_T, MPI_UINT64_T, MPI_DOUBLE};
    const MPI_Datatype bytes[] = {MPI_BYTE, MPI_CHAR, MPI_INT8_T, MPI_UNSIGNED_CHAR};

    r->type = coll_has(r->what, COLL_REDUCES) ? numbers[turn % 4] : bytes[turn % 4];
    for (int i = 0; i < r->blocks; i++)
        r->types[i] = r->type;
}

void vary_next(vary *v, run *r)
{
    const MPI_Op ops[] = {MPI_SUM, MPI_MAX, MPI_MIN, MPI_PROD};
    int turn = v->turn++ % VARIANTS;

    switch (v->kind) {
    case VARY_BUFFERS:
        r->send = v->given.send + 8 * turn;
        r->recv = v->given.recv + 8 * turn;
        break;
    case VARY_LENGTHS:
    case VARY_COUNTS:
        vary_lengths(v, r, turn);
        break;
    case VARY_ROOTS:
        r->root = turn % r->p;
        break;
    case VARY_OPS:
        r->op = ops[turn % 4];
        break;
    case VARY_TYPES:
        vary_types(r, turn);
        break;
    default:
        break;
    }
}
