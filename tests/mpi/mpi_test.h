/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_test.h - cmocka tests that run on all ranks at once.
 *
 * A test function uses CHECK, which notes a failure and goes on, so that no rank leaves the others
 * alone in a collective. After each test the failures of all ranks are added up, and cmocka reports
 * on rank 0. Knows nothing of Tutti: tests of the interposition library are plain MPI programs.
 */
#ifndef TUTTI_MPI_TEST_H
#define TUTTI_MPI_TEST_H

#include "tune/mpi_version.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct mpi_test {
    const char *name;
    void (*function)(void);
} mpi_test;

#define MPI_TEST(f)                                                                                \
    {                                                                                              \
#f, f                                                                                      \
    }

#define CHECK(condition) mpi_test_check(condition, #condition, __FILE__, __LINE__)

/* The error class is the expected one. */
#define CHECK_CLASS(call, expected) CHECK(mpi_test_class(call) == (expected))

void mpi_test_check(bool condition, const char *text, const char *file, int line);
int mpi_test_class(int error);

/* Is it the empty status of MPI (section 3.7.3), but for the field MPI_ERROR? */
bool mpi_test_is_empty(const MPI_Status *status);

/* Is the MPI of that family, and of version `first` or a later one? For faults of the MPI that a
 * test must not trip over: a test names each, with the versions it was seen on. */
bool mpi_test_is(mpi_family family, int first);

/* From one case to the next that is run: 1, or 3 with TEST_CASES=few, for suites. */
int mpi_test_stride(void);

/* What is in a buffer that an operation writes to: a program must not look, and a call that would
 * tell makes progress. ThreadSanitizer is not told. */
int mpi_test_peek(const volatile int *at);

/* A word on what is being tested, printed with each failure. */
void mpi_test_context(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Initialize MPI (MPI_Init_thread with TEST_THREADS=multiple), run, finalize. An argument names the
 * one test to run. */
int mpi_test_main(int argc, char **argv, const char *group, const mpi_test *tests, int n);

extern int world_rank, world_size;

#endif
