/* SPDX-License-Identifier: BSD-3-Clause */
/* select.h - which algorithm, in which form: names of choices, and rules where no estimate is
 * needed (planner.h has those). Pure: sees only what is equal on all ranks.
 */
#ifndef TUTTI_SELECT_H
#define TUTTI_SELECT_H

#include "algos/algo.h"

/* Algorithms, by index in algo_table: those that are not to be taken. */
typedef struct algo_set {
    uint64_t word[(ALGOS + 63) / 64];
} algo_set;

static inline bool algo_set_has(const algo_set *s, int algo)
{
    return s->word[algo / 64] >> algo % 64 & 1;
}

static inline bool algo_set_is_empty(const algo_set *s)
{
    uint64_t any = 0;

    for (size_t i = 0; i < sizeof s->word / sizeof *s->word; i++)
        any |= s->word[i];
    return any == 0;
}

static inline void algo_set_add(algo_set *s, int algo)
{
    s->word[algo / 64] |= (uint64_t)1 << algo % 64;
}

typedef struct choice {
    int algo; /* index in algo_table */
    coll_form form;
    int parameter; /* 0: the algorithm has none */
    int variant;   /* 0: the usual one, or the algorithm has none */
    coll_order order;
    bool order_named; /* asked for with the algorithm; else info and hints may set it */
    bool by_rule;     /* nobody has asked for it: `auto` did */
    bool in_order;    /* REDUCES: operands in the order of the ranks, even if the operation
                         commutes (reproducible.h) */
    bool provisional; /* another one may be right when the topology is known */
    bool undecided;   /* NEIGHBORS: its form is open until a vote; `algo` asks what that needs
                         (halo_choice.h) */
} choice;

/* What `auto` takes if there is nothing to estimate: of at most two ranks, or where no rank knows
 * the sizes of another. False: there is, and the result only works. c: only what is the same on all
 * ranks is looked at; bytes: of all blocks that a rank receives, or of the vector; 0 where they are
 * not known; without: algorithms that it must not be, not all that could serve the call. *why: one
 * line, static. */
bool select_rule(const coll *c, int64_t bytes, const algo_set *without, choice *result,
                 const char **why);

/* The first algorithm of the table that could serve the call; false: all are forbidden. */
bool select_any(const coll *c, int64_t bytes, const algo_set *without, choice *result);

/* The form for a given algorithm: whole messages for small blocks, single ones for large. */
coll_form select_form(const algo *a, int p, int64_t bytes);

/* A given algorithm with a given parameter (0: the usual one), in the form by size. False: the
 * parameter is too small. */
bool select_named(int algo, int parameter, int p, int64_t bytes, choice *result);

/* A choice from "name" or "name:word,word": each word is `step` or `block` (algorithms with forms;
 * else by size), a number (those with a parameter; else the usual one), the name of a variant
 * (those that have some), or `place`, `initcomm`, `endshuffle` (reordered ones). False: no such
 * algorithm, or a word that it does not know, or twice the same kind of word. */
bool select_parse(coll_kind kind, const char *text, int p, int64_t bytes, choice *result);

/* Add to a set what "^ring,linear" forbids. Returns how many of the names are not those of
 * algorithms of the collective; -1: it is not of this form. */
int select_forbid(coll_kind kind, const char *text, algo_set *without);

/* The name that select_parse reads, with all its words: "lane:ring,block". At most size bytes with
 * the final 0. */
void select_print(const choice *c, char *text, size_t size);

/* All names of a collective that select_parse reads: "auto, linear[:W >= 1], ring". */
void select_print_names(coll_kind kind, char *text, size_t size);

#endif
