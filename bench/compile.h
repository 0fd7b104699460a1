/* SPDX-License-Identifier: BSD-3-Clause */
/* compile.h - what the parts of tutti-bench compile share: calls to be compiled (compile_call.c),
 * choices among algorithms (compile_choices.c), large numbers of ranks (compile_ranks.c), and what
 * a process holds of a communicator (held.c).
 */
#ifndef BENCH_COMPILE_H
#define BENCH_COMPILE_H

#include "algos/algo.h"

/* The kind that the algorithm serves, of equal or of listed blocks; COLL_KINDS: there is none. */
coll_kind compile_kind(const algo *a, bool v);

/* The call of one rank; v: [2 * p], lengths and displacements of blocks. */
coll compile_call(const algo *a, coll_kind kind, int p, int rank, const int64_t *v);
void compile_blocks(int p, int64_t *v);

/* Seconds since some time. */
double compile_now(void);

/* tutti-bench compile --choices: how long `auto` takes to choose. */
int compile_choices(void);

/* tutti-bench compile with other options. */
int compile_ranks(int argc, char **argv);

/* What one process holds of a communicator of p ranks, `at` these locations: a table. */
void held_title(void);
void held_print(const location *at, int p);

/* Memory that the kernel counts: the most since held_peak_begin, in bytes; -1: not known. */
void held_peak_begin(void);
int64_t held_peak(void);

#endif
