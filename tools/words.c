/* SPDX-License-Identifier: BSD-3-Clause */
/* words.c - see words.h. */
#include "words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int count(const algo *const *variants)
{
    int n = 0;

    while (variants && variants[n])
        n++;
    return n;
}

const char *words_of(const algo *a, int i)
{
    static const char *const forms[] = {"step", "block"}, *const orders[] = {"place", "initcomm",
                                                                             "endshuffle"};
    int nvariants = count(a->variants);

    if (a->has_forms && i < 2)
        return forms[i];
    i -= a->has_forms ? 2 : 0;
    if (i < nvariants)
        return a->variants[i]->name;
    i -= nvariants;
    return a->orders && i < 3 ? orders[i] : NULL;
}

word_guess words_guess_collective(const char *wrong)
{
    word_guess g = {.wrong = wrong};

    for (int k = 0; k < COLL_KINDS; k++)
        word_try(&g, coll_kind_name((coll_kind)k));
    return g;
}

static bool is_word(const algo *a, const char *text)
{
    for (int i = 0; words_of(a, i); i++)
        if (strcmp(words_of(a, i), text) == 0)
            return true;
    return a->parameter.name && *text && strspn(text, "0123456789") == strlen(text) &&
           atoi(text) >= a->parameter.least;
}

word_guess words_guess_algorithm(coll_kind kind, const char *wrong, char part[64], bool *name)
{
    word_guess g = {.wrong = part};
    const char *at = wrong + strcspn(wrong, ":");
    int algo;

    snprintf(part, 64, "%.*s", (int)(at - wrong), wrong);
    algo = algo_find(kind, part);
    *name = algo == ALGO_NONE;
    for (int i = 0; *name && i < algo_count; i++)
        if (algo_serves(algo_table[i], kind))
            word_try(&g, algo_table[i]->name);
    if (*name)
        return g;
    while (*at) { /* the first word that is none */
        size_t n = strcspn(++at, ",");
        snprintf(part, 64, "%.*s", (int)n, at);
        if (!is_word(algo_table[algo], part))
            break;
        at += n;
    }
    for (int i = 0; words_of(algo_table[algo], i); i++)
        word_try(&g, words_of(algo_table[algo], i));
    return g;
}
