/* SPDX-License-Identifier: BSD-3-Clause */
/* algo.h - the registry of algorithms: what there is, when it applies, what it costs, and the way
 * from a call to its schedule.
 */
#ifndef TUTTI_ALGO_H
#define TUTTI_ALGO_H

#include "algos/blockmap.h"
#include "algos/group.h"
#include "nbc/sched/sched.h"

/* What an algorithm costs on its critical path in the Hockney model
 * T = alpha * messages + beta * blocks * (bytes of a block), for blocks of equal length; and how
 * many blocks a rank copies, its own included, if the call is not in place. */
typedef struct algo_cost {
    double messages, blocks, copies;
} algo_cost;

/* A number that an algorithm is tuned by: `name:4`. */
typedef struct algo_parameter {
    const char *name; /* NULL: there is none */
    int least, usual; /* smallest one; the one taken if none is given */
    int most;         /* values above it mean it; 0: those above p mean p */
} algo_parameter;

/* algo_parameter.most of pieces that a vector goes through a pipeline in: a limit of memory. */
enum { PIECES_MOST = 1 << 16 };

/* What an algorithm is asked for in its group. A phase of a composed one gets its own. */
typedef struct algo_options {
    int root;            /* ROOTED: index in the group */
    bool noncommutative; /* REDUCES: the operation does not commute */
    bool symmetric;      /* REDUCES: operands may be swapped without changing a bit */
    bool user_op;        /* REDUCES: user-defined, must see uncut vectors */
    bool uneven; /* each rank counts the others' blocks in types of its own: no two ranks would
                       cut one into the same bytes */
    int parameter, variant;
    coll_order order;
    const struct algo *const *phases; /* algo.variants */
    const coll_neighbors *neighbors;  /* NEIGHBORS: ranks */
    const int64_t *exchanged_sizes;   /* see algo.size_exchange; NULL: there was none */
    int round;                        /* of it, from 0 on; to compile: so many are over */
} algo_options;

typedef struct algo {
    const char *name;
    coll_kind kind;                      /* the family; serves its v-variant too unless `regular` */
    const char *summary;                 /* one line */
    const char *steps, *volume, *source; /* for tutti-info */
    const char *restriction; /* the same: of ranks and operations; NULL: there is none */
    bool has_forms; /* some message has several blocks, so FORM_STEP and FORM_BLOCK differ */
    bool regular;   /* blocks of equal length only */
    bool regional;  /* looks at the topology; one that does not is the same on every machine */
    bool orders;    /* heeds options.order */
    bool commutes;  /* needs an operation that does */
    algo_parameter parameter;
    const struct algo *const *variants; /* of a composed one: algorithms of its main phase, whose
                                           names are those of its variants, the usual one first,
                                           NULL at the end; or NULL: there is one */

    /* Why it cannot serve so many ranks, or NULL if it can. */
    const char *(*inapplicable)(int p);

    /* Into how many parts it cuts the vector, or each block, among this group, of its own index and
     * with its options; NULL: into none. */
    int (*parts)(const algo_options *o, const group *g, sched_builder *s);
    bool serves_user_op; /* cuts nothing where options.user_op asks for it */

    /* A schedule that finds out what it has to know of lengths at other ranks, if each has its own
     * (coll_is_v): SEND is the lengths of what I send to each rank, RECV what compile gets as
     * options.exchanged_sizes: NULL, if this uses nothing of it. NULL: it needs nothing. Among
     * neighbors SEND is the list of halo_list.h. */
    void (*size_exchange)(const algo_options *o, const group *g, sched_builder *s);
    int rounds; /* of the size exchange: schedules one after the other, each of which gets what
                   those before have found, one after the other, as options.exchanged_sizes; 0: one
                 */

    /* Emit the steps. Pure: no MPI, no clock, no environment. Knows its group, never the ranks of
     * the whole call: so it runs on any part of them. */
    void (*compile)(const algo_options *o, const group *g, const blockmap *b, sched_builder *s);

    algo_cost (*cost)(int p, int parameter); /* NULL: it depends on the topology */
} algo;

/* All rows in the order of algos.def, and how many. */
extern const algo *const algo_table[];
extern const int algo_count;

#define ALGO(collective, name, calls) extern const algo algo_##collective##_##name;
#include "algos/algos.def"
#undef ALGO

enum { /* indices: ALGO_allgather_linear, ... */
       ALGO_NONE = -1,
#define ALGO(collective, name, calls) ALGO_##collective##_##name,
#include "algos/algos.def"
#undef ALGO
       ALGOS /* how many */
};

/* Index in algo_table of the algorithm of that name for this collective (or the one whose
 * v-variant it is); ALGO_NONE if there is none that serves it. */
int algo_find(coll_kind kind, const char *name);

/* Does the row serve this kind? */
bool algo_serves(const algo *a, coll_kind kind);

/* Why the algorithm cannot serve this call, or NULL if it can: a printable sentence, static. Of the
 * call only what is the same on all ranks is looked at. */
const char *algo_refuses(const algo *a, const coll *c);

/* The parameter that this value stands for among p ranks: at most `most`, the usual one for 0; 0 if
 * there is none. -1: too small. */
int algo_parameter_for(const algo *a, int value, int p);

/* Index of the variant of that name, or -1. */
int algo_variant(const algo *a, const char *name);

/* Compile the call for one rank. c->parameter is one of algo_parameter_for. t: where the ranks are;
 * NULL: all ranks on one node. */
sched_error algo_compile(const algo *a, coll_form form, const coll *c, const topo *t,
                         sched **result);

/* Compile a round of its size exchange, from 0 on, for the same topology. */
sched_error algo_compile_size_exchange(const algo *a, const coll *c, int round, const topo *t,
                                       sched **result);

/* algo.parts, or 1. */
int algo_parts(const algo *a, const algo_options *o, const group *g, sched_builder *s);

/* For algo.parts: one for each rank; one for each piece, if they are the parameter. */
int algo_parts_of_ranks(const algo_options *o, const group *g, sched_builder *s);
int algo_parts_of_pieces(const algo_options *o, const group *g, sched_builder *s);

/* The same of blocks, where they travel one by one, and where they can be cut. */
int algo_parts_of_blocks(const algo_options *o, const group *g, sched_builder *s);

/* For algo.cost: all that is known over distance 1, 2, 4, ...; a block to or from everybody, at
 * once or in turn; a vector along a binomial tree. */
algo_cost cost_doubling(int p, int parameter);
algo_cost cost_at_once(int p, int parameter);
algo_cost cost_in_turn(int p, int parameter);
algo_cost cost_tree(int p, int parameter);

/* a * b for numbers from 0 on; INT_MAX if it is larger, which is too many parts of anything. */
int parts_times(int a, int b);

/* ceil(log2(n)) for n >= 1. */
int ceil_log2(int n);

#endif
