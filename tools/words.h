/* SPDX-License-Identifier: BSD-3-Clause */
/* words.h - names that tutti-plan and tutti-info know, one after the other: for lists, and to find
 * what a wrong one was meant to be.
 */
#ifndef TUTTI_TOOL_WORDS_H
#define TUTTI_TOOL_WORDS_H

#include "algos/algo.h"
#include "tune/word.h"

/* The i-th word, from 0, that may stand after an algorithm's colon, but for its number: forms,
 * variants, orders; NULL after the last one. */
const char *words_of(const algo *a, int i);

/* What this was meant to be: a collective; an algorithm of one, or a word after its colon. The
 * part of it that is wrong goes to `part`, which is the guess's `wrong`; *name: it is the name. */
word_guess words_guess_collective(const char *wrong);
word_guess words_guess_algorithm(coll_kind kind, const char *wrong, char part[64], bool *name);

#endif
