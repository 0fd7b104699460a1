/* SPDX-License-Identifier: BSD-3-Clause */
/* tutti_bench.c - the benchmark program: tutti-bench SUBCOMMAND [OPTION...]. */
#include "command.h"
#include "subcommands.h"

#include "nbc/sched/coll.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *what;
    bool options; /* has some */
} commands[] = {
    {"guidelines", bench_guidelines, "collectives slower than what could stand in their place",
     true},
    {"halo", bench_halo, "halo exchanges of a pattern: neighbor_alltoallv on its graphs", true},
#ifndef TUTTI_SIMULATED /* they measure this machine */
    {"blocks", bench_blocks, "messages of several blocks: packed, or as a datatype (2 ranks)",
     false},
    {"calls", bench_calls, "what wrappers of a preloaded libtutti_mpi.so add (1 rank)", false},
    {"compile", bench_compile, "how long schedules take to compile (no MPI)", true},
    {"first", bench_first, "what the first operation on a communicator costs", false},
    {"progress", bench_progress, "what tutti_progress() costs (2 ranks)", false},
    {"reduce_local", bench_reduce_local, "MPI_Reduce_local against a plain loop (1 rank)", false},
    {"reorder", bench_reorder, "orders of ranks, and how long they take to find (no MPI)", true},
#endif
    {NULL, NULL, NULL, false}};

enum { NAMES = 33, WIDTH = 90 }; /* of the first column, and of a line */

static void print_collectives(void)
{
    int column = 0;

    printf("  NAME, iNAME, NAME_init: a collective, blocking, non-blocking, persistent; NAME is "
           "one of");
    for (int i = 0; i < COLL_KINDS; i++) {
        const char *name = coll_kind_name((coll_kind)i);
        if (column == 0 || column + (int)strlen(name) > WIDTH)
            column = printf("\n     ") - 1;
        column += printf(" %s%s", name, i < COLL_KINDS - 1 ? "," : "\n");
    }
}

static void usage(void)
{
    fputs("usage: mpiexec -n RANKS tutti-bench SUBCOMMAND [OPTION...]\n"
          "Measure collectives, side by side with the MPI's own, or parts of Tutti.\n\n"
          "SUBCOMMAND is one of:\n",
          stdout);
    print_collectives();
    printf("  %-*s %s\n", NAMES, "lane_pattern, multi_collective",
           "the benchmarks of the multi-lane paper");
    for (int i = 0; commands[i].name; i++)
        printf("  %-*s %s\n", NAMES, commands[i].name, commands[i].what);
    fputs("\nOptions:\n"
          "  -h, --help     print this; after SUBCOMMAND: its options\n"
          "  -v, --version  print the version\n\n"
          "For example:\n"
          "  mpiexec -n 4 tutti-bench allgather -a auto,native -m 1k:1m\n",
          stdout);
}

static bool is(const char *word, const char *shorter, const char *longer)
{
    return strcmp(word, shorter) == 0 || strcmp(word, longer) == 0;
}

static word_guess guess(const char *wrong)
{
    word_guess g = {.wrong = wrong};
    char name[64];

    for (int i = 0; commands[i].name; i++)
        word_try(&g, commands[i].name);
    for (int i = 0; i < 3 * COLL_KINDS; i++) {
        snprintf(name, sizeof name, "%s%s%s", i % 3 == 1 ? "i" : "",
                 coll_kind_name((coll_kind)(i / 3)), i % 3 == 2 ? "_init" : "");
        word_try(&g, name);
    }
    word_try(&g, "lane_pattern");
    word_try(&g, "multi_collective");
    word_try(&g, "--version");
    word_try(&g, "--help");
    return g;
}

static int refuse(const char *word, const char *what, const word_guess *g, int argc, char **argv)
{
    command c = {.name = "tutti-bench"};

    command_wrong(&c, word, what, g);
    return command_refuse_all(&c, &argc, &argv);
}

/* Subcommands that have no options of their own. */
static int run_plain(int i, int argc, char **argv)
{
    if (argc > 1 && is(argv[1], "-h", "--help")) {
        if (command_speaks())
            printf("usage: mpiexec -n RANKS tutti-bench %s\n  %s\n", commands[i].name,
                   commands[i].what);
        return 0;
    }
    if (argc > 1)
        return refuse(argv[1], "this subcommand has no options", NULL, argc, argv);
    return commands[i].run(argc, argv);
}

static bool is_subcommand(const char *name)
{
    bool found = bench_collective_known(name);

    for (int i = 0; commands[i].name; i++)
        found |= strcmp(name, commands[i].name) == 0;
    return found;
}

static int run(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    word_guess g;

    if (is(name, "-v", "--version") ||
        (is_subcommand(name) && argc == 3 && strcmp(argv[2], "--version") == 0)) {
        command_version("tutti-bench");
        return 0;
    }
    if (is(name, "-h", "--help")) {
        if (command_speaks())
            usage();
        return 0;
    }
    for (int i = 0; commands[i].name; i++)
        if (strcmp(name, commands[i].name) == 0)
            return commands[i].options ? commands[i].run(argc - 1, argv + 1)
                                       : run_plain(i, argc - 1, argv + 1);
    if (bench_collective_known(name))
        return bench_collective(argc - 1, argv + 1);
    g = guess(name);
    return argc > 1 ? refuse(name, *name == '-' ? "no such option" : "no such subcommand", &g, argc,
                             argv)
                    : refuse("SUBCOMMAND", "must be given", NULL, argc, argv);
}

int main(int argc, char **argv)
{
    return command_end("tutti-bench", run(argc, argv));
}
