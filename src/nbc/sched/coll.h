/* SPDX-License-Identifier: BSD-3-Clause */
/* coll.h - one collective call as plain values.
 *
 * What selection and the frame of a compile (algos/algo.h) may know about a call. No MPI types, no
 * addresses: so schedules can be compiled, simulated and drawn in a process without MPI.
 *
 * A collective is a row of collectives.def: its shape says what its two sides are, and everything
 * that treats collectives differently follows from the shape.
 *
 * Counts are in elements of the space they describe. What an element is, is decided by whoever
 * binds the schedule: where a side is one block or equal blocks an element is a whole block (so one
 * schedule serves every count); where it is listed, an element is one of the send or receive type;
 * where it is typed, a byte of the data.
 */
#ifndef TUTTI_COLL_H
#define TUTTI_COLL_H

#include <stdbool.h>
#include <stdint.h>

typedef enum coll_kind {
#define COLLECTIVE(name, Name, family, send, recv, traits, parameters, arguments, args) COLL_##name,
#include "nbc/sched/collectives.def"
#undef COLLECTIVE
    COLL_KINDS
} coll_kind;

/* What one rank sends, or receives: nothing, one block; or one for each rank: of equal lengths; of
 * lengths of their own, one after the other; with displacements; and with types of their own. */
typedef enum coll_extent {
    COLL_NONE,
    COLL_ONE,
    COLL_EACH,
    COLL_SIZED,
    COLL_LISTED,
    COLL_TYPED
} coll_extent;

enum {
    COLL_ROOTED = 1,
    COLL_REDUCES = 2,
    COLL_ROOT_SENDS = 4,    /* nobody else does */
    COLL_ROOT_RECEIVES = 8, /* the same */
    COLL_EXCLUSIVE = 16,    /* the first rank receives nothing */
    COLL_NEIGHBORS = 32     /* blocks for, and from, neighbors in the communicator's topology */
};

typedef struct coll_shape {
    const char *name; /* "allgatherv": in options, environment and messages */
    coll_kind family; /* whose algorithms serve it */
    coll_extent send, recv;
    unsigned traits;
} coll_shape;

extern const coll_shape coll_shapes[COLL_KINDS];

/* How a message of several blocks travels: whole (few messages: small blocks), or block by
 * block (a block goes on as soon as it is there: large blocks). */
typedef enum coll_form { FORM_STEP, FORM_BLOCK } coll_form;

/* Reordered algorithms: how the blocks come to lie in the order of the ranks. */
typedef enum coll_order {
    ORDER_PLACE,      /* every block is received where it belongs */
    ORDER_INITCOMM,   /* blocks are exchanged before */
    ORDER_ENDSHUFFLE, /* all are copied afterwards */
    ORDERS
} coll_order;

/* What one rank sends, or receives, in elements. */
typedef struct coll_side {
    int64_t count;         /* ONE, EACH: length of a block */
    const int64_t *counts; /* SIZED to TYPED: length of the block of each rank, [p], borrowed */
    const int64_t *displs; /* its offset in the space, [p], borrowed */
} coll_side;

/* Whom a rank receives from, and whom it sends to. A rank may be there more than once, or be
 * COLL_NOBODY. */
typedef struct coll_neighbors {
    int nsources, ndestinations;
    const int *sources, *destinations; /* borrowed */
    const int *order; /* [nsources]: indices of sources in the order in which their messages are
                         matched, if there are several from one rank */
} coll_neighbors;

enum { COLL_NOBODY = -1 };

/* Index in `sources` of the k-th block that a rank gets from itself, in the order of matching. -1:
 * there are not so many. */
int coll_own_source(const coll_neighbors *n, int rank, int k);

typedef struct coll {
    coll_kind kind;
    int p, rank;
    int root;      /* ROOTED */
    bool in_place; /* what I send is already in RECV, where it belongs, and SEND is not used; at the
                      root that scatters: my own block stays in SEND, and RECV is not used */
    bool noncommutative; /* REDUCES: the operation does not commute */
    bool symmetric;      /* REDUCES: operands may be swapped without changing a bit */
    bool user_op;        /* REDUCES: user-defined, looks at several elements: vectors are not cut */
    bool packs;          /* a vector that is cut goes through SCRATCH, packed (algo.c) */
    int parameter;       /* of algorithms that have one, see algo.h */
    int variant;         /* the same; 0: the usual one */
    coll_order order;
    coll_side send, recv;
    const coll_neighbors *neighbors; /* NEIGHBORS */
    const int64_t *exchanged_sizes;  /* what algo.size_exchange has found, or NULL */
    int exchanged_rounds;            /* in so many rounds */
} coll;

/* Bytes of one call. */
typedef struct coll_bytes {
    int64_t all;   /* of all blocks that a rank receives, as far as all ranks know them; else 0 */
    int64_t given; /* what this rank gives away */
} coll_bytes;

/* "allgather", "alltoallv", ... */
static inline const char *coll_kind_name(coll_kind kind)
{
    return coll_shapes[kind].name;
}

/* The kind of that name, or COLL_KINDS. */
coll_kind coll_kind_find(const char *name);

/* Has each rank counts of its own? */
static inline bool coll_is_v(coll_kind kind)
{
    return coll_shapes[kind].send >= COLL_SIZED || coll_shapes[kind].recv >= COLL_SIZED;
}

/* Is what moves one vector, and not a block of each rank? */
static inline bool coll_is_vector(coll_kind kind)
{
    return coll_shapes[kind].recv == COLL_ONE && coll_shapes[kind].send <= COLL_ONE;
}

static inline bool coll_has(coll_kind kind, unsigned trait)
{
    return (coll_shapes[kind].traits & trait) != 0;
}

/* Do all ranks know how many bytes move? */
static inline bool coll_has_common_size(coll_kind kind)
{
    return coll_shapes[kind].send < COLL_LISTED && !coll_has(kind, COLL_NEIGHBORS) &&
           !(coll_has(kind, COLL_ROOTED) && coll_is_v(kind));
}

/* The sides of one rank: those of the shape, or NONE where it has no such side. in_place: as in
 * coll. */
typedef struct coll_sides {
    coll_extent send, recv;
} coll_sides;

coll_sides coll_sides_of(coll_kind kind, int rank, int root, bool in_place);

/* "place", "initcomm", "endshuffle". */
const char *coll_order_name(coll_order order);

/* The order of that name, or ORDERS. */
coll_order coll_order_find(const char *name);

#endif
