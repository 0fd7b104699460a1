/* SPDX-License-Identifier: BSD-3-Clause */
/* tutti-info.c - what this Tutti is: version, MPI, progress driver and why, algorithms, what
 * choices go by, everything that can be set; and where the ranks of a job are:
 *
 *   mpiexec -n 64 tutti-info --topology
 */
#include "command.h"
#include "info.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

#ifdef TUTTI_MPI_ABI
static const char through[] = " (through the MPI ABI)";
#else
static const char through[] = "";
#endif

static void print_library(void)
{
    int major, minor, patch, length;
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING];

    tutti_version(&major, &minor, &patch);
    MPI_Get_library_version(mpi, &length);
    mpi[strcspn(mpi, "\n")] = '\0';
    printf("Tutti     %d.%d.%d\n", major, minor, patch);
    printf("MPI       %s%s\n", mpi, through);
}

/* The launcher of another MPI starts processes each of which is a job of its own. */
static void print_ranks(int launched)
{
    int size;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (launched > size)
        printf(
            "ranks     %d, but the launcher has started %d processes: it belongs to another MPI; "
            "use the mpiexec of the MPI below\n",
            size, launched);
    else
        printf("ranks     %d\n", size);
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
        printf("wisdom    %zu verdict%s: %s\n", verdicts, verdicts == 1 ? "" : "s", wisdom);
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

static const char help[] =
    "usage: tutti-info [OPTION]\n"
    "       mpiexec -n RANKS tutti-info --topology\n"
    "Print version, MPI, progress driver and what choices go by; or:\n\n"
    "  -a, --algorithms  one entry for each algorithm: what it costs, where it comes from\n"
    "  -c, --constants   the constants of the machine that estimates go by\n"
    "  -e, --env         every environment variable and info key: its values, its default, and "
    "what\n"
    "                    is in force here\n"
    "  -t, --topology    where the ranks of the job are\n"
    "  -j, --json        all of that as one JSON object; with --algorithms only those\n"
    "  -h, --help        print this\n"
    "      --version     print the version\n";

typedef struct wish {
    int what; /* the option, or 0 */
    bool json;
    bool said;   /* --help, --version: nothing else is to be done */
    bool speaks; /* by the launcher, before MPI_Init: Open MPI's sets its variables */
    int launched;
    command command;
} wish;

static void parse(wish *w, int argc, char **argv)
{
    static const struct option known[] = {
        {"algorithms", no_argument, NULL, 'a'}, {"constants", no_argument, NULL, 'c'},
        {"env", no_argument, NULL, 'e'},        {"topology", no_argument, NULL, 't'},
        {"json", no_argument, NULL, 'j'},       {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'v'},    {0}};
    int option;

    opterr = 0;
    while (!w->said && !*w->command.error &&
           (option = getopt_long(argc, argv, ":acetjh", known, NULL)) != -1) {
        w->said = option == 'h' || option == 'v';
        if (option == 'h' && command_speaks())
            fputs(help, stdout);
        else if (option == 'v')
            command_version("tutti-info");
        else if (option == 'j')
            w->json = true;
        else if (option == '?' || option == ':')
            command_wrong_option(&w->command, option, argv, known);
        else if (!w->said && w->what && w->what != option)
            command_wrong(&w->command, argv[optind - 1], "one of these at a time", NULL);
        else
            w->what = option;
    }
    if (!w->said && optind < argc)
        command_wrong(&w->command, argv[optind], "one word too many", NULL);
    if (!w->said && w->json && w->what && w->what != 'a')
        command_wrong(&w->command, "--json", "prints everything, or goes with --algorithms", NULL);
}

/* What needs no MPI. By rank 0. */
static int print_plain(const wish *w)
{
    bool done = true;

    if (command_speaks() && w->json)
        done = info_print_json_algorithms();
    else if (command_speaks())
        info_print_algorithms();
    return !done;
}

static int print(const wish *w)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (w->json)
        return !info_print_json();
    if (w->what == 't')
        return print_topology();
    if (w->what == 'c')
        return print_constants();
    if (rank != 0 || !w->speaks)
        return 0;
    if (w->what == 'e') {
        info_print_settings();
        return 0;
    }
    print_ranks(w->launched);
    print_library();
    return print_driver() || print_planner();
}

int main(int argc, char **argv)
{
    wish w = {.command.name = "tutti-info"};
    int failed;

    parse(&w, argc, argv);
    if (*w.command.error)
        return command_refuse_all(&w.command, &argc, &argv);
    if (w.said || w.what == 'a')
        return command_end("tutti-info", w.said ? 0 : print_plain(&w));
    w.speaks = command_speaks();
    w.launched = command_launched();
    MPI_Init(&argc, &argv);
    tutti_init();
    failed = print(&w);
    MPI_Finalize();
    return command_end("tutti-info", failed);
}
