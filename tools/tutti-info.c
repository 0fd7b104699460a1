/* tutti-info.c - what this Tutti is: version, MPI, progress driver and why, algorithms; and where
 * the ranks of a job are:
 *
 *   mpiexec -n 64 tutti-info --topology
 */
#include "algos/algo.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

static void print_library(void)
{
    int major, minor, patch, length;
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING];

    tutti_version(&major, &minor, &patch);
    MPI_Get_library_version(mpi, &length);
    mpi[strcspn(mpi, "\n")] = '\0';
    printf("Tutti     %d.%d.%d\n", major, minor, patch);
    printf("MPI       %s\n", mpi);
}

static int print_driver(void)
{
    const char *name, *reason;
    int processes;

    if (tutti_progress_driver(&name, &reason) != MPI_SUCCESS)
        return 1;
    printf("progress  %s: %s\n", name, reason);
    /* which is there once all have called tutti_init */
    if (tutti_shared_memory(&processes, &reason) != MPI_SUCCESS)
        return 1;
    if (processes)
        printf("node      %d processes share memory%s%s%s\n", processes,
               *reason ? ", but not the buffers of tutti_alloc (" : "", reason, *reason ? ")" : "");
    else
        printf("node      messages go through the MPI: %s\n", reason);
    return 0;
}

/* The collectives that it serves: "allgather(v)", "alltoall". */
static void print_title(const algo *a)
{
    const char *v = "";
    char title[32];

    for (int i = 0; i < COLL_KINDS; i++)
        if (algo_serves(a, (coll_kind)i) && coll_is_v((coll_kind)i) && (coll_kind)i != a->kind)
            v = "(v)";
    snprintf(title, sizeof title, "%s%s", coll_kind_name(a->kind), v);
    printf("%-20s", title);
}

static void print_algorithms(void)
{
    printf("%-20s %-20s %-23s %-19s %-33s %s\n", "collective", "algorithm", "steps", "sent/rank",
           "ranks", "source");
    for (int i = 0; i < algo_count; i++) {
        const algo *a = algo_table[i];
        print_title(a);
        printf(" %-20s %-23s %-19s %-33s %s\n", a->name, a->steps, a->volume,
               strcmp(a->restriction, "-") == 0 ? "any" : a->restriction, a->source);
        printf("%-20s   %s%s", "", a->summary, a->has_forms ? " (forms: step, block)" : "");
        for (int k = 0; a->variants && a->variants[k]; k++)
            printf("%s%s", k ? ", " : " (variants: ", a->variants[k]);
        printf("%s%s", a->variants ? ")" : "",
               a->orders ? " (orders: place, initcomm, endshuffle)" : "");
        if (a->parameter.name)
            printf(" (%s:%s, %s from %d, usually %d)", a->name, a->parameter.name,
                   a->parameter.name, a->parameter.least, a->parameter.usual);
        printf("\n");
    }
    printf("p ranks; N nodes, or R regions, of q ranks each; m: the blocks of all ranks.\n"
           "(v): serves the v-collective too. `auto` chooses by number of ranks, size, nodes.\n");
}

/* Rank 0 draws. All ranks must find the same. */
static int print_topology(void)
{
    size_t length;
    char *text;
    int rank, error = tutti_comm_topology(MPI_COMM_WORLD, NULL, 0, &length);

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    text = error ? NULL : malloc(length + 1);
    if (!text)
        return 1;
    error = tutti_comm_topology(MPI_COMM_WORLD, text, length + 1, NULL);
    if (!error && rank == 0)
        fputs(text, stdout);
    free(text);
    return error != MPI_SUCCESS;
}

/* What has been printed is printed. */
static int finish(int failed)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return failed;
    fprintf(stderr, "tutti-info: standard output could not be written\n");
    return 2;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"algorithms", no_argument, NULL, 'a'},
                                            {"topology", no_argument, NULL, 't'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    int option, algorithms = 0, topology = 0, failed = 0;

    while ((option = getopt_long(argc, argv, "ath", options, NULL)) != -1) {
        if (option != 'a' && option != 't') {
            fprintf(option == 'h' ? stdout : stderr,
                    "usage: tutti-info [--algorithms | --topology]\n"
                    "Print version, MPI and progress driver; or one entry for each algorithm; or\n"
                    "where the ranks of the job are.\n");
            return option == 'h' ? 0 : 2;
        }
        *(option == 'a' ? &algorithms : &topology) = 1;
    }
    if (optind < argc) {
        fprintf(stderr, "tutti-info: %s: one word too many\n", argv[optind]);
        return 2;
    }
    if (algorithms) { /* needs no MPI */
        print_algorithms();
        return finish(0);
    }
    MPI_Init(&argc, &argv);
    tutti_init();
    if (topology) {
        failed = print_topology();
    } else {
        print_library();
        failed = print_driver();
    }
    MPI_Finalize();
    return finish(failed);
}
