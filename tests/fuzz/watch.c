/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.c - what is said when something is wrong: one line with the seed and the command that
 * repeats it; a hang (no operation completed for a long time) and a crash say where each rank is.
 */
#include "call.h"

#include <execinfo.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static const fuzz *threads[MAX_THREADS];
static int limit, my_rank;
static char repeat[1024];

__attribute__((format(printf, 3, 4))) static void append(char *text, size_t size,
                                                         const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

/* Environment (PRELOAD and YIELD are tests/mpi/run's), ranks, program, options; the seed is added
 * later. */
static void remember_command(int argc, char **argv)
{
    int size;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (char **e = environ; *e; e++)
        if (strncmp(*e, "TUTTI_", 6) == 0 || strncmp(*e, "PRELOAD=", 8) == 0 ||
            strncmp(*e, "YIELD=", 6) == 0)
            append(repeat, sizeof repeat, "'%s' ", *e);
    append(repeat, sizeof repeat, "tests/mpi/run %d %s", size, argv[0]);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--seed") == 0 || strcmp(argv[i], "--programs") == 0 ||
            strcmp(argv[i], "--seconds") == 0)
            i++;
        else
            append(repeat, sizeof repeat, " %s", argv[i]);
    }
}

static void print(const char *text)
{
    ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
    (void)ignored;
}

static void describe(const fuzz *f, char *text, size_t size)
{
    append(text, size,
           "%s: seed %lu rank %d thread %d at operation %d of %d (%s, %s); open:", program_name,
           (unsigned long)f->seed, my_rank, f->thread, f->at, f->op_count,
           f->current ? f->current->what->name : "-", f->doing ? f->doing : "-");
    for (int i = 0; i < f->pending_count && i < 20; i++) {
        const op *o = f->pending[i].o;
        if (o)
            append(text, size, " %d:%s/comm%d", o->index, o->what->name, o->comm);
    }
    append(text, size, "\n");
}

static void on_signal(int number)
{
    static char text[4096];
    const char *what = number == SIGALRM ? "HANG" : number == SIGSEGV ? "SEGV" : "ABORT";

    text[0] = 0;
    for (int t = 0; t < MAX_THREADS; t++) {
        if (!threads[t])
            continue;
        append(text, sizeof text, "%s ", what);
        describe(threads[t], text, sizeof text);
    }
    if (threads[0])
        append(text, sizeof text, "  repeat: %s --seed %lu --programs 1\n", repeat,
               (unsigned long)threads[0]->seed);
    print(text);
    void *frames[32];
    backtrace_symbols_fd(frames, backtrace(frames, 32), STDERR_FILENO);
    if (number == SIGALRM)
        sleep(3); /* the other ranks say where they are */
    signal(number, SIG_DFL);
    signal(SIGABRT, SIG_DFL);
    if (number == SIGALRM)
        abort();
    raise(number);
}

/* An error that the MPI raises. */
static void on_error(MPI_Comm *comm, int *code, ...)
{
    char why[MPI_MAX_ERROR_STRING + 32] = "ERROR ";
    int length;

    (void)comm;
    MPI_Error_string(*code, why + strlen(why), &length);
    print(strcat(why, "\n"));
    abort();
}

void watch_begin(const options *opt, int argc, char **argv)
{
    MPI_Errhandler handler;

    limit = opt->watchdog;
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    remember_command(argc, argv);
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    MPI_Errhandler_free(&handler);
    signal(SIGALRM, on_signal);
    signal(SIGSEGV, on_signal);
    signal(SIGABRT, on_signal);
    watch_beat();
}

void watch_thread(const fuzz *f)
{
    threads[f->thread] = f;
}

void watch_forget(void)
{
    for (int t = 0; t < MAX_THREADS; t++)
        threads[t] = NULL;
}

void watch_beat(void)
{
    alarm((unsigned)limit);
}

void fail(fuzz *f, const op *o, const char *format, ...)
{
    char text[2048] = "";
    va_list arguments;

    f->failures++;
    if (f->failures > 5)
        return;
    append(text, sizeof text,
           "FAILED %s: seed %lu rank %d operation %d (%s, comm %d): ", program_name,
           (unsigned long)f->seed, my_rank, o ? o->index : -1, o ? o->what->name : "end",
           o ? o->comm : -1);
    size_t used = strlen(text);
    va_start(arguments, format);
    vsnprintf(text + used, sizeof text - used, format, arguments);
    va_end(arguments);
    append(text, sizeof text, "; repeat: %s --seed %lu --programs 1\n", repeat,
           (unsigned long)f->seed);
    print(text);
}

void must(fuzz *f, const op *o, int code, const char *call)
{
    char why[MPI_MAX_ERROR_STRING];
    int length;

    if (code == MPI_SUCCESS)
        return;
    MPI_Error_string(code, why, &length);
    fail(f, o, "%s: %s", call, why);
    MPI_Abort(MPI_COMM_WORLD, 1);
}
