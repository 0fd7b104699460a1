/* tutti_bench.c - the benchmark program: tutti-bench SUBCOMMAND [OPTION...]. */
#include "subcommands.h"

#include "nbc/sched/coll.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *what;
} commands[] = {
    {"guidelines", bench_guidelines, "collectives slower than what could stand in their place"},
#ifndef TUTTI_SIMULATED /* they measure this machine */
    {"blocks", bench_blocks,
     "a message of several blocks: packed, or a derived datatype (2 ranks)"},
    {"calls", bench_calls,
     "what the wrappers of a preloaded libtutti_mpi.so add to a call (1 rank)"},
    {"compile", bench_compile, "how long schedules take to compile (no MPI)"},
    {"first", bench_first, "what the first operation on a communicator costs"},
    {"progress", bench_progress, "what tutti_progress() costs (2 ranks)"},
    {"reduce_local", bench_reduce_local, "MPI_Reduce_local against a plain loop (1 rank)"},
    {"reorder", bench_reorder, "orders of ranks, and how long they take to find (no MPI)"},
#endif
    {NULL, NULL, NULL}};

enum { NAMES = 41 }; /* width of the first column */

/* All but the first one, in lines of the first column. */
static void print_names(FILE *out)
{
    int width = 0;

    fprintf(out, "  ");
    for (int i = 1; i < COLL_KINDS; i++) {
        const char *name = coll_kind_name((coll_kind)i);
        if (width + (int)strlen(name) + 2 > NAMES) {
            fprintf(out, "\n  ");
            width = 0;
        }
        width += fprintf(out, "%s%s", width ? " " : "", name);
        if (i < COLL_KINDS - 1)
            width += fprintf(out, ",");
    }
    fprintf(out, "%*s of these\n", width < NAMES ? NAMES - width : 0, "");
}

static void print_collectives(FILE *out)
{
    const char *name = coll_kind_name((coll_kind)0);
    char names[100];

    snprintf(names, sizeof names, "%s, i%s, %s_init", name, name, name);
    fprintf(out, "  %-*s blocking, non-blocking, persistent; likewise\n", NAMES, names);
    print_names(out);
}

static int usage(FILE *out)
{
    fputs("usage: mpiexec -n RANKS tutti-bench SUBCOMMAND [OPTION...]\n", out);
    print_collectives(out);
    fprintf(out, "  %-*s %s\n", NAMES, "lane_pattern, multi_collective",
            "the benchmarks of the multi-lane paper");
    for (int i = 0; commands[i].name; i++)
        fprintf(out, "  %-*s %s\n", NAMES, commands[i].name, commands[i].what);
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
