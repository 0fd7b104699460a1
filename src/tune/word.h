/* SPDX-License-Identifier: BSD-3-Clause */
/* word.h - what somebody may have meant who wrote a word that does not exist. */
#ifndef TUTTI_WORD_H
#define TUTTI_WORD_H

/* The known word that is nearest to a wrong one so far. Begin with {.wrong = ...}. */
typedef struct word_guess {
    const char *wrong;
    int distance; /* letters to add, leave out or change; 0 with `nearest` empty: none yet */
    char nearest[64];
} word_guess;

void word_try(word_guess *g, const char *known);

/* The nearest word if it is near enough for people to have meant it, or "". */
const char *word_meant(const word_guess *g);

#endif
