/* SPDX-License-Identifier: BSD-3-Clause */
/* main.c - options, programs one after the other, and the result. */
#include "arrivals.h"
#include "call.h"

#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "fuzz [OPTION...]: random legal MPI programs, every byte checked; all ranks run the same one\n"
    "  --seed N          of the first program (default 1); the next ones are N + 1, ...\n"
    "  --programs N      how many (default 100)\n"
    "  --seconds S       begin programs for so long instead\n"
    "  --ops N           operations in a program (default 40, at most 72)\n"
    "  --few N           so many different calls, again and again\n"
    "  --threads N       one program in each, at MPI_THREAD_MULTIPLE\n"
    "  --multiple        MPI_THREAD_MULTIPLE, with one thread\n"
    "  --native          leave out what this MPI does wrong without Tutti\n"
    "  --no-persistent   no persistent collectives\n"
    "  --free-rein       Tutti advances in every MPI call (libtutti_mpi.so is preloaded)\n"
    "  --without A,B     none of these operations (--list names them)\n"
    "  --watchdog S      seconds without a completed operation that are a hang (default 120)\n"
    "  --verbose         print the programs\n";

static void list_rows(void)
{
    for (int i = 0; i < operation_count; i++)
        puts(operations[i].name);
}

static void read_option(options *opt, int c)
{
    switch (c) {
    case 's':
        opt->seed = strtoull(optarg, NULL, 0);
        break;
    case 'n':
        opt->programs = atol(optarg);
        break;
    case 't':
        opt->seconds = atof(optarg);
        opt->programs = 0;
        break;
    case 'o':
        opt->ops = atoi(optarg);
        break;
    case 'f':
        opt->few = atoi(optarg);
        break;
    case 'T':
        opt->threads = atoi(optarg);
        break;
    case 'w':
        opt->watchdog = atoi(optarg);
        break;
    case 'x':
        opt->without = optarg;
        break;
    case 'l':
        list_rows();
        exit(0);
    case 0: /* a flag */
        break;
    default:
        fputs(usage, c == 'h' ? stdout : stderr);
        exit(c == 'h' ? 0 : 2);
    }
}

static void read_options(int argc, char **argv, options *opt)
{
    const struct option names[] = {{"seed", 1, NULL, 's'},
                                   {"programs", 1, NULL, 'n'},
                                   {"seconds", 1, NULL, 't'},
                                   {"ops", 1, NULL, 'o'},
                                   {"few", 1, NULL, 'f'},
                                   {"threads", 1, NULL, 'T'},
                                   {"watchdog", 1, NULL, 'w'},
                                   {"without", 1, NULL, 'x'},
                                   {"list", 0, NULL, 'l'},
                                   {"help", 0, NULL, 'h'},
                                   {"multiple", 0, &opt->multiple, 1},
                                   {"native", 0, &opt->native, 1},
                                   {"no-persistent", 0, &opt->persistent, 0},
                                   {"free-rein", 0, &opt->free_rein, 1},
                                   {"verbose", 0, &opt->verbose, 1},
                                   {NULL, 0, NULL, 0}};

    for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1;)
        read_option(opt, c);
    if (optind < argc || opt->threads < 1 || opt->threads > MAX_THREADS || opt->ops < 1) {
        fputs(usage, stderr);
        exit(2);
    }
#ifdef AVOID_MPICH /* 4.0 and 4.2 send old data with persistent ones, MPI_Testall of 5.0 fails */
    if (opt->native)
        opt->persistent = 0;
#endif
}

static void *run_thread(void *argument)
{
    fuzz *f = argument;

    program_execute(f);
    return NULL;
}

static fuzz *program_make(const options *opt, uint64_t seed, int thread, const MPI_Comm bases[])
{
    fuzz *f = calloc(1, sizeof *f);
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    f->opt = opt;
    f->seed = seed;
    f->thread = thread;
    f->shared.state = mix(seed, 1 + (uint64_t)thread);
    f->mine.state = mix(f->shared.state, 1 + (uint64_t)rank);
    f->restricted = opt->restricted;
    f->manual = opt->manual;
    comms_begin(f, bases);
    program_generate(f);
    if (opt->verbose && rank == 0) {
        printf("seed %lu, thread %d\n", (unsigned long)seed, thread);
        program_print(f);
    }
    watch_thread(f);
    return f;
}

static int program_end(fuzz *f)
{
    comms_end(f);
    for (int i = 0; i < f->op_count; i++)
        if (f->ops[i].state && f->ops[i].what->release)
            f->ops[i].what->release(&f->ops[i]);
    int failures = f->failures;
    free(f);
    return failures;
}

/* One seed, on all ranks. Returns the failures of this rank. */
static int run(const options *opt, uint64_t seed, MPI_Comm bases[][BASES])
{
    fuzz *f[MAX_THREADS];
    pthread_t threads[MAX_THREADS];
    int failures = 0;

    for (int t = 0; t < opt->threads; t++)
        f[t] = program_make(opt, seed, t, bases[t]);
    for (int t = 1; t < opt->threads; t++)
        pthread_create(&threads[t], NULL, run_thread, f[t]);
    program_execute(f[0]);
    for (int t = 1; t < opt->threads; t++)
        pthread_join(threads[t], NULL);
    watch_forget();
    for (int t = 0; t < opt->threads; t++)
        failures += program_end(f[t]);
    return failures;
}

static bool go_on(const options *opt, long done, double began)
{
    int more = opt->programs > 0 ? done < opt->programs : MPI_Wtime() - began < opt->seconds;

    MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return more;
}

static void bases_make(const options *opt, MPI_Comm bases[][BASES])
{
    bases[0][WORLD] = MPI_COMM_WORLD;
    bases[0][SELF] = MPI_COMM_SELF;
    for (int t = 1; t < opt->threads; t++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &bases[t][WORLD]);
        MPI_Comm_dup(MPI_COMM_SELF, &bases[t][SELF]);
    }
}

static void begin(int argc, char **argv, options *opt)
{
    int size, level = MPI_THREAD_SINGLE;

    read_options(argc, argv, opt);
    if (opt->multiple || opt->threads > 1)
        level = MPI_THREAD_MULTIPLE;
    MPI_Init_thread(&argc, &argv, level, &level);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > MAX_RANKS || (opt->threads > 1 && level < MPI_THREAD_MULTIPLE)) {
        fprintf(stderr, "%s: too many ranks, or no threads\n", program_name);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    watch_begin(opt, argc, argv);
    reductions_make();
    arrivals_begin();
    own_begin(&opt->restricted, &opt->manual);
    if (opt->free_rein)
        opt->restricted = opt->manual = false;
}

int main(int argc, char **argv)
{
    options opt = {
        .seed = 1, .programs = 100, .ops = 40, .threads = 1, .watchdog = 120, .persistent = 1};
    MPI_Comm bases[MAX_THREADS][BASES];
    long passed = 0, failed = 0;
    int rank, failures;

    begin(argc, argv, &opt);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    bases_make(&opt, bases);
    for (double began = MPI_Wtime(); go_on(&opt, passed + failed, began);) {
        failures = run(&opt, opt.seed + (uint64_t)(passed + failed), bases);
        MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        failed += failures > 0;
        passed += failures == 0;
    }
    for (int t = 1; t < opt.threads; t++) {
        MPI_Comm_free(&bases[t][WORLD]);
        MPI_Comm_free(&bases[t][SELF]);
    }
    if (rank == 0)
        printf("%s: seeds %lu to %lu: %ld passed, %ld failed\n", program_name,
               (unsigned long)opt.seed,
               (unsigned long)opt.seed + (unsigned long)(passed + failed) - 1, passed, failed);
    MPI_Finalize();
    return failed > 0;
}
