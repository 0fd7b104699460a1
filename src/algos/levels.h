/* SPDX-License-Identifier: BSD-3-Clause */
/* levels.h - hierarchical collectives, down the levels of the topology: each region has a leader,
 * who speaks for it outside; inside it is a group that is divided again.
 *
 *   node       0 1 2 3 | 4 5 6 7        leaders 0 and 4; or the root, of the regions that it is in
 *   package    0 1|2 3   4 5|6 7        in node 0: leaders 0 and 2
 *
 * Between the regions of the coarsest level the algorithm is the caller's affair; here are the
 * phases below it: trees, from level to level.
 */
#ifndef TUTTI_LEVELS_H
#define TUTTI_LEVELS_H

#include "algos/phase.h"
#include "algos/region.h"
#include "algos/tree.h"

typedef struct division {
    regions p;
    group local;      /* my region */
    int leader;       /* its index there */
    group leaders;    /* one of each region; of size 0: I am none */
    int root;         /* the region of the group's root */
    bool consecutive; /* regions hold members that follow one another */
    int next;         /* the level to divide my region by */
} division;

enum { LAST_LEADS = -1 };

/* By the first level from this one on that has several regions in the group, one of them with
 * several members. root: a member, which leads its region; else the first one does; LAST_LEADS: the
 * last one of each. False: there is no such level, or no memory, and the builder has failed; then
 * the group is the leaders. */
bool levels_divide(division *d, const group *g, int root, int level, sched_builder *s);

static inline bool leads(const division *d)
{
    return d->leaders.size > 0;
}

/* Into how many parts a vector is cut, if this is the phase of the leaders. For algo.parts. */
int levels_parts(const algo_options *o, const group *g, sched_builder *s);

/* Row `in` of the map, from member root to all. */
void levels_bcast(const group *g, int root, const blockmap *b, int level, sched_builder *s);

/* What all contribute, combined at member root, in its row `in`. If the operation does not commute,
 * what is not in order is not divided. */
void levels_reduce(const algo_options *o, const group *g, int root, const blockmap *b, int level,
                   sched_builder *s);

/* The same in my region, to its leader: what that one contributes then for all of the region is the
 * row `out` of the map that is returned. is_root: I lead the group, and its result comes to my row
 * `in`; the sum of other regions is in scratch. */
blockmap levels_reduce_region(const algo_options *o, const division *d, bool is_root,
                              const blockmap *b, sched_builder *s);

/* Items from row `from` of each member to row `to` of the root, where its own one is already. */
void levels_gather(tree t, const group *g, int root, const blockmap *b, const blockrow *from,
                   const blockrow *to, int level, sched_builder *s);

/* And the other way. */
void levels_scatter(tree t, const group *g, int root, const blockmap *b, const blockrow *from,
                    const blockrow *to, int level, sched_builder *s);

/* An item for each region: those of its members. */
blockmap levels_items(const division *d, const blockmap *b, sched_builder *s);

/* ---- what scan and exscan have in common: the sum of all nodes before mine ---- */

typedef struct scan_levels {
    division d;      /* the last rank of each node leads it */
    blockrow before; /* scratch: the sum of the nodes before mine, if there are any */
} scan_levels;

/* False: there is nothing to divide, or regions do not hold ranks that follow one another. */
bool scan_levels_divide(scan_levels *l, const group *g, const blockmap *b, int level,
                        sched_builder *s);

/* sum: that of my node, at its leader. */
void scan_levels_before(const scan_levels *l, const algo_options *o, const blockmap *b,
                        const blockrow *sum, sched_builder *s);

/* ---- an allgather ---- */

/* In hierarchical.c: gather to the first rank of each node, allgather among those,
 * broadcast inside nodes. o->variant is a tree. reorder: each phase orders its ranks for its own
 * pattern. */
void hierarchical_allgather(const algo_options *o, const group *g, const blockmap *b,
                            sched_builder *s, bool reorder);

#endif
