/* tutti_bench.c - the benchmark program: tutti-bench SUBCOMMAND [OPTION...]. */
#include "subcommands.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *what;
} commands[] = {
#ifndef TUTTI_SIMULATED /* they measure this machine */
    {"blocks", bench_blocks,
     "a message of several blocks: packed, or a derived datatype (2 ranks)"},
    {"calls", bench_calls,
     "what the wrappers of a preloaded libtutti_mpi.so add to a call (1 rank)"},
    {"compile", bench_compile, "how long schedules take to compile (no MPI)"},
    {"first", bench_first, "what the first operation on a communicator costs"},
    {"progress", bench_progress, "what tutti_progress() costs (2 ranks)"},
    {"reorder", bench_reorder, "orders of ranks, and how long they take to find (no MPI)"},
#endif
    {NULL, NULL, NULL}};

static int usage(FILE *out)
{
    fputs(
        "usage: mpiexec -n RANKS tutti-bench SUBCOMMAND [OPTION...]\n"
        "  allgather, iallgather, allgather_init     blocking, non-blocking, persistent; likewise\n"
        "  allgatherv, alltoall, alltoallv           of these\n"
        "  lane_pattern, multi_collective            the benchmarks of the multi-lane paper\n",
        out);
    for (int i = 0; commands[i].name; i++)
        fprintf(out, "  %-41s %s\n", commands[i].name, commands[i].what);
    fputs("tutti-bench SUBCOMMAND --help says what options there are.\n", out);
    return out == stdout ? 0 : 2;
}

static int run(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";

    for (int i = 0; commands[i].name; i++)
        if (strcmp(name, commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    if (bench_collective_known(name))
        return bench_collective(argc - 1, argv + 1);
    return usage(strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 ? stdout : stderr);
}

int main(int argc, char **argv)
{
    int status = run(argc, argv);

    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "tutti-bench: standard output could not be written\n");
    return status ? status : 2;
}
