/* SPDX-License-Identifier: BSD-3-Clause */
/* wisdom_made.h - wisdom as made, written and read by the tests of wisdom (test_wisdom*.c). */
#ifndef TUTTI_WISDOM_MADE_H
#define TUTTI_WISDOM_MADE_H

#include "tune/wisdom.h"

extern const char mpi[]; /* the name of the MPI in all texts */

/* That an allreduce is best with this algorithm: 12500 ns, in 30 starts. */
verdict verdict_of(int p, int64_t bytes, const char *shape, const char *name);
void add_verdict(wisdom *w, int p, int64_t bytes, const char *shape, const char *name);

/* Two verdicts: "lane:ring,block" for 64 ranks, 4096 bytes and node:8; and another one. */
wisdom *few(void);

/* Each algorithm in all its forms, variants and orders, and with three parameters. */
wisdom *every_algorithm(void);

bool same_choice(const choice *a, const choice *b);

/* Both have the same verdicts with the same times. */
void assert_same(wisdom *b, wisdom *a);

enum { TEXT = 1 << 18 }; /* bytes for the text of every_algorithm */

/* wisdom_write to text[TEXT], with a final 0; returns the length. */
size_t print_text(wisdom *w, char *text);

/* wisdom_read of n bytes, for the MPI `of`. */
wisdom *read_text(const char *bytes, size_t n, const char *of, char why[200]);

#endif
