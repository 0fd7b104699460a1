/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_test.c - see mpi_test.h. */
#include "mpi/mpi_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

int world_rank, world_size;

static FILE *report; /* stderr of every rank, while cmocka speaks on rank 0 only */
static int failures;
static char context[200];

void mpi_test_check(bool condition, const char *text, const char *file, int line)
{
    if (condition)
        return;
    if (failures++ < 5)
        fprintf(report, "rank %d/%d %s:%d: %s (%s)\n", world_rank, world_size, file, line, text,
                context);
}

int mpi_test_class(int error)
{
    int class = -1;

    MPI_Error_class(error, &class);
    return class;
}

bool mpi_test_is_empty(const MPI_Status *status)
{
    MPI_Status s = *status;
    int count = -1, cancelled = -1;

    MPI_Get_count(&s, MPI_INT, &count);
    MPI_Test_cancelled(&s, &cancelled);
    return s.MPI_SOURCE == MPI_ANY_SOURCE && s.MPI_TAG == MPI_ANY_TAG && count == 0 && !cancelled;
}

__attribute__((noinline, no_sanitize("thread"))) int mpi_test_peek(const volatile int *at)
{
    return *at;
}

bool mpi_test_is(mpi_family family, int first)
{
    char text[8192] = ""; /* MPICH's are longer than MPI_MAX_LIBRARY_VERSION_STRING of Open MPI */
    int length;

    MPI_Get_library_version(text, &length);
    mpi_version v = mpi_version_read(text);
    return v.family == family && v.number >= first;
}

int mpi_test_stride(void)
{
    const char *cases = getenv("TEST_CASES");

    return cases && strcmp(cases, "few") == 0 ? 3 : 1;
}

void mpi_test_context(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vsnprintf(context, sizeof context, format, list);
    va_end(list);
}

static void run_one(void **state)
{
    const mpi_test *t = *state;
    int all = 0;

    failures = 0;
    context[0] = '\0';
    t->function();
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    assert_int_equal(all, 0);
}

static void start_mpi(int *argc, char ***argv)
{
    const char *threads = getenv("TEST_THREADS");
    int provided;

    if (threads && strcmp(threads, "multiple") == 0)
        MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

int mpi_test_main(int argc, char **argv, const char *group, const mpi_test *tests, int n)
{
    struct CMUnitTest *list = calloc((size_t)n, sizeof *list);
    int failed;

    start_mpi(&argc, &argv);
    report = fdopen(dup(STDERR_FILENO), "w");
    setvbuf(report, NULL, _IOLBF, BUFSIZ); /* also if the test is aborted */
    if (world_rank != 0 &&
        (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)))
        return 2;
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    for (int i = 0; i < n; i++)
        list[i] = (struct CMUnitTest){
            .name = tests[i].name, .test_func = run_one, .initial_state = (void *)&tests[i]};
    failed = _cmocka_run_group_tests(group, list, (size_t)n, NULL, NULL);
    free(list);
    MPI_Finalize();
    fclose(report);
    return failed != 0;
}
