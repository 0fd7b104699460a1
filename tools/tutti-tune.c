/* SPDX-License-Identifier: BSD-3-Clause */
/* tutti-tune.c - measure the constants of the machine that a job runs on (src/tune/constants.def),
 * and write them to a file that people can read and edit:
 *
 *   mpiexec -n 64 tutti-tune -o machine
 *   tutti-plan allgather --why -p 64 --regions node:8 --bytes 4096 --machine machine
 *
 * or whether the MPI or Tutti serves blocking calls faster there:
 *
 *   mpiexec -n 64 env LD_PRELOAD=libtutti_mpi.so tutti-tune --calls=wisdom
 *   mpiexec -n 64 env LD_PRELOAD=libtutti_mpi.so TUTTI_WISDOM=wisdom program
 */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "command.h"
#include "nbc/process/machine.h"
#include "nbc/process/whole_file.h"
#include "nbc/sched/coll.h"
#include "tune_calls.h"
#include "tune_machine.h"
#include "tune_measure.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <tutti.h>
#include <unistd.h>

static const char help[] =
    "usage: mpiexec -n RANKS tutti-tune [OPTION...]\n"
    "Measure what copies, reductions and messages cost where these ranks run, in 2 to 15 seconds,\n"
    "and write a file of constants, for `tutti-plan --machine=FILE` and TUTTI_CONSTANTS.\n\n"
    "  -o, --output=FILE   replaced as a whole when all is measured (default: standard output)\n"
    "  -b, --base=MACHINE  ethernet, fast (default), or a file: constants that cannot be measured "
    "in\n"
    "                      this job, such as those of a network on one node\n"
    "  -c, --calls=FILE    measure something else: who is faster in blocking calls of this many\n"
    "                      ranks, the MPI or Tutti; under libtutti_mpi.so. Added to a file of\n"
    "                      wisdom, for TUTTI_WISDOM\n"
    "  -q, --quiet         do not say on standard error what is being measured\n"
    "  -h, --help          print this\n"
    "      --version       print the version\n";

typedef struct wish {
    const char *output; /* NULL: standard output */
    const char *base;
    const char *calls; /* NULL: constants are measured */
    bool quiet;
    bool said; /* --help, --version: nothing else is to be done */
    command command;
    char why[300]; /* what is wrong with what is named, or "" */
} wish;

static void parse(int argc, char **argv, wish *w)
{
    static const struct option known[] = {{"output", required_argument, NULL, 'o'},
                                          {"base", required_argument, NULL, 'b'},
                                          {"calls", required_argument, NULL, 'c'},
                                          {"quiet", no_argument, NULL, 'q'},
                                          {"help", no_argument, NULL, 'h'},
                                          {"version", no_argument, NULL, 'v'},
                                          {0}};
    int option;

    opterr = 0;
    while (!w->said && !*w->command.error &&
           (option = getopt_long(argc, argv, ":o:b:c:qh", known, NULL)) != -1) {
        w->said = option == 'h' || option == 'v';
        if (option == 'h' && command_speaks())
            fputs(help, stdout);
        else if (option == 'v')
            command_version("tutti-tune");
        else if (option == 'o')
            w->output = optarg;
        else if (option == 'b')
            w->base = optarg;
        else if (option == 'c')
            w->calls = optarg;
        else if (option == 'q')
            w->quiet = true;
        else if (!w->said)
            command_wrong_option(&w->command, option, argv, known);
    }
    if (!w->said && optind < argc)
        command_wrong(&w->command, argv[optind], "one word too many", NULL);
    if (!w->said && w->calls && (w->output || w->base))
        command_wrong(&w->command, w->output ? "--output" : "--base",
                      "not with --calls, which measures no constants", NULL);
}

/* ---- the base ---- */

static void read_base(wish *w, constants *k)
{
    char why[1500];

    if (machine_read(w->base, why, sizeof why)) {
        *k = *machine_constants();
        return;
    }
    why[strcspn(why, ";")] = '\0'; /* what the library would take instead */
    snprintf(w->why, sizeof w->why, "--base %.280s", why);
}

/* ---- the file ---- */

static void put_heading(char *text, size_t size, const tuning *t)
{
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING], date[32];
    int major, minor, patch, length;
    time_t now = time(NULL);
    struct tm day;

    tutti_version(&major, &minor, &patch);
    MPI_Get_library_version(mpi, &length);
    mpi[strcspn(mpi, "\n")] = '\0';
    strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime_r(&now, &day));
    snprintf(text, size,
             "# tutti-tune %d.%d.%d, %d rank%s on %d node%s, %s\n# %.150s\n"
             "# Edit what you know better: name, number, unit; each constant once.\n",
             major, minor, patch, t->at.p, t->at.p == 1 ? "" : "s", t->at.nodes,
             t->at.nodes == 1 ? "" : "s", date, mpi);
}

static bool write_to(FILE *out, const tuning *t)
{
    char heading[512];

    put_heading(heading, sizeof heading, t);
    constants_print(out, &t->result, heading, (const char *const *)t->note);
    return fflush(out) == 0 && !ferror(out);
}

static bool replace(const char *name, const tuning *t)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    bool good = out && write_to(out, t);

    if (out && fclose(out) != 0)
        good = false;
    good = good && whole_file_write(name, text, size);
    free(text);
    return good;
}

/* By rank 0. Returns the exit status. */
static int save(const wish *w, const tuning *t)
{
    errno = 0;
    if (w->output ? replace(w->output, t) : write_to(stdout, t))
        return 0;
    if (w->output)
        fprintf(stderr, "tutti-tune: %s: %s\n", w->output, strerror(errno ? errno : EIO));
    else
        fprintf(stderr, "tutti-tune: standard output could not be written\n");
    return 2;
}

/* ---- */

/* A file that cannot be written is better known before than after the measurements. */
static void check_output(wish *w)
{
    char folder[300];
    const char *name = w->calls ? w->calls : w->output;
    const char *slash = name ? strrchr(name, '/') : NULL;
    struct stat there;

    if (!name)
        return;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - name + 1) : 1,
             slash ? name : ".");
    if (access(folder, W_OK | X_OK) != 0)
        snprintf(w->why, sizeof w->why, "%.200s: %s", name, strerror(errno));
    else if (stat(name, &there) == 0 && !S_ISREG(there.st_mode))
        snprintf(w->why, sizeof w->why, "%.200s: not an ordinary file", name);
}

static void check_calls(wish *w)
{
    int ranks;

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks == 1)
        strcpy(w->why, "--calls: needs two ranks or more");
    else if (!tune_calls_possible())
        strcpy(w->why, "--calls: not under libtutti_mpi.so; run mpiexec -n RANKS env "
                       "LD_PRELOAD=libtutti_mpi.so tutti-tune --calls=FILE");
}

typedef struct who_is_faster {
    const wish *wish;
    const tuning *tuning;
} who_is_faster;

/* It may take long: what is known is kept at once. */
static int keep_calls(void *of, const char *collective)
{
    const who_is_faster *x = of;
    int error = tutti_wisdom_export(MPI_COMM_WORLD, x->wish->calls);

    if (!error && x->tuning->rank == 0 && !x->tuning->quiet)
        fprintf(stderr, "tutti-tune: %4.1f s: blocking calls: %s\n", MPI_Wtime() - x->tuning->begin,
                collective);
    return error;
}

static int tune_who_is_faster(const wish *w, tuning *t)
{
    who_is_faster x = {w, t};

    t->begin = MPI_Wtime();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* a line says what is wrong */
    return tune_calls(keep_calls, &x) == MPI_SUCCESS ? 0 : 2;
}

static int tune(wish *w, tuning *t)
{
    int wrong;

    if (t->rank == 0 && w->calls)
        check_calls(w);
    if (t->rank == 0 && !*w->why)
        read_base(w, &t->result);
    if (t->rank == 0 && !*w->why)
        check_output(w);
    wrong = *w->why != '\0';
    MPI_Bcast(&wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (wrong) {
        if (t->rank == 0)
            fprintf(stderr, "tutti-tune: %s\n", w->why);
        return 2;
    }
    if (w->calls)
        return tune_who_is_faster(w, t);
    MPI_Bcast(&t->result, sizeof t->result, MPI_BYTE, 0, MPI_COMM_WORLD);
    tutti_init();
    tune_machine(t);
    wrong = t->rank == 0 ? save(w, t) : 0;
    MPI_Bcast(&wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
    tune_free(t);
    return wrong;
}

/* Before the library reads them. */
static void let_all_be_tried(void)
{
    char name[80] = "TUTTI_ALGORITHM_";
    size_t n = strlen(name);

    setenv("TUTTI_PLAN", "measure", 1);
    setenv("TUTTI_WISDOM", "off", 1);
    unsetenv("TUTTI_INTERPOSE");
    for (int kind = 0; kind < COLL_KINDS; kind++) {
        const char *coll = coll_kind_name((coll_kind)kind);
        for (size_t i = 0; i <= strlen(coll); i++)
            name[n + i] = (char)toupper((unsigned char)coll[i]);
        unsetenv(name);
    }
}

int main(int argc, char **argv)
{
    wish w = {.command.name = "tutti-tune"};
    tuning t = {0};
    int failed;

    parse(argc, argv, &w);
    if (*w.command.error)
        return command_refuse_all(&w.command, &argc, &argv);
    if (w.said)
        return command_end("tutti-tune", 0);
    w.base = w.base ? w.base : "fast";
    t.base = w.base;
    t.quiet = w.quiet;
    if (w.calls)
        let_all_be_tried();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &t.rank);
    failed = tune(&w, &t);
    MPI_Finalize();
    return failed;
}
