/* select.h - which algorithm, in which form. Pure: sees only what is equal on all ranks.
 *
 * For now a plain rule of ranks and bytes; cost model, measurements and wisdom will live here.
 */
#ifndef TUTTI_SELECT_H
#define TUTTI_SELECT_H

#include "algos/algo.h"

typedef struct choice {
    int algo; /* index in algo_table */
    coll_form form;
} choice;

/* The rule of `auto`; bytes: all blocks together. *why: one line, static. */
choice select_auto(coll_kind kind, int p, int64_t bytes, const char **why);

/* The form for a given algorithm: whole messages for small blocks, single ones for large. */
coll_form select_form(const algo *a, int p, int64_t bytes);

/* A choice from "name" or "name:step" or "name:block"; the form by size if none is named. False:
 * no such algorithm or form, or the algorithm's messages have one block only. */
bool select_parse(coll_kind kind, const char *text, int p, int64_t bytes, choice *result);

#endif
