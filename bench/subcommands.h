/* SPDX-License-Identifier: BSD-3-Clause */
/* subcommands.h - what `tutti-bench NAME` runs. Each returns the exit status; argv[0] is NAME. */
#ifndef BENCH_SUBCOMMANDS_H
#define BENCH_SUBCOMMANDS_H

#include <stdbool.h>

/* Collectives of collectives.def: NAME, iNAME, NAME_init; and the two of lanes.c. */
int bench_collective(int argc, char **argv);
bool bench_collective_known(const char *name);

/* All collectives, against each other. */
int bench_guidelines(int argc, char **argv);

/* Halo exchanges of a pattern. */
int bench_halo(int argc, char **argv);

/* Subcommands that measure the library itself. */
int bench_blocks(int argc, char **argv);
int bench_calls(int argc, char **argv);
int bench_compile(int argc, char **argv);
int bench_first(int argc, char **argv);
int bench_progress(int argc, char **argv);
int bench_reduce_local(int argc, char **argv);
int bench_reorder(int argc, char **argv);

#endif
