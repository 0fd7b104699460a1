/* tutti-info.c - what this Tutti is: version, MPI, progress driver and why, algorithms, what
 * choices go by; and where the ranks of a job are:
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

/* What `auto` goes by. */
static int print_planner(void)
{
    const char *constants, *wisdom;
    size_t verdicts;

    if (tutti_constants(&constants, NULL, 0, NULL) != MPI_SUCCESS ||
        tutti_wisdom(&verdicts, &wisdom) != MPI_SUCCESS)
        return 1;
    printf("constants %s\n", constants);
    if (verdicts)
        printf("wisdom    %zu verdicts: %s\n", verdicts, wisdom);
    else
        printf("wisdom    %s\n", wisdom);
    return 0;
}

static int print_constants(void)
{
    const char *source;
    size_t length;
    int rank, error = tutti_constants(&source, NULL, 0, &length);
    char *text = error ? NULL : malloc(length + 1);

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!text || tutti_constants(&source, text, length + 1, NULL) != MPI_SUCCESS)
        return 1;
    if (rank == 0)
        printf("%s# %s\n", text, source);
    free(text);
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
                                            {"constants", no_argument, NULL, 'c'},
                                            {"topology", no_argument, NULL, 't'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    int option, what = 0, failed = 0;

    while ((option = getopt_long(argc, argv, "acth", options, NULL)) != -1) {
        if (option == 'h' || option == '?') {
            fprintf(option == 'h' ? stdout : stderr,
                    "usage: tutti-info [--algorithms | --constants | --topology]\n"
                    "Print version, MPI, progress driver and what choices go by; or one entry for\n"
                    "each algorithm; or the constants of the machine; or where the ranks of the\n"
                    "job are.\n");
            return option == 'h' ? 0 : 2;
        }
        what = option;
    }
    if (optind < argc) {
        fprintf(stderr, "tutti-info: %s: one word too many\n", argv[optind]);
        return 2;
    }
    if (what == 'a') { /* needs no MPI */
        print_algorithms();
        return finish(0);
    }
    MPI_Init(&argc, &argv);
    tutti_init();
    if (what == 't') {
        failed = print_topology();
    } else if (what == 'c') {
        failed = print_constants();
    } else {
        print_library();
        failed = print_driver() || print_planner();
    }
    MPI_Finalize();
    return finish(failed);
}
