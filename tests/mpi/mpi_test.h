/* mpi_test.h - cmocka tests that run on all ranks at once.
 *
 * A test function uses CHECK, which notes a failure and goes on, so that no rank leaves the others
 * alone in a collective. After each test the failures of all ranks are added up, and cmocka reports
 * on rank 0.
 */
#ifndef TUTTI_MPI_TEST_H
#define TUTTI_MPI_TEST_H

#include <mpi.h>
#include <tutti.h>

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

/* A word on what is being tested, printed with each failure. */
void mpi_test_context(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Initialize MPI (MPI_Init_thread with TEST_THREADS=multiple), run, finalize. */
int mpi_test_main(int argc, char **argv, const char *group, const mpi_test *tests, int n);

extern int world_rank, world_size;

/* ---- every named entry point, from algos.def ---- */

typedef struct entry {
    const char *name;
    int (*allgather)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
    int (*allgather_c)(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype,
                       MPI_Comm);
    int (*allgatherv)(const void *, int, MPI_Datatype, void *, const int[], const int[],
                      MPI_Datatype, MPI_Comm);
    int (*allgatherv_c)(const void *, MPI_Count, MPI_Datatype, void *, const MPI_Count[],
                        const MPI_Aint[], MPI_Datatype, MPI_Comm);
    int (*iallgather)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm,
                      MPI_Request *);
    int (*iallgather_c)(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype,
                        MPI_Comm, MPI_Request *);
    int (*allgather_init)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm,
                          MPI_Info, MPIX_Request *);
    int (*allgather_init_c)(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype,
                            MPI_Comm, MPI_Info, MPIX_Request *);
    int (*iallgatherv)(const void *, int, MPI_Datatype, void *, const int[], const int[],
                       MPI_Datatype, MPI_Comm, MPI_Request *);
    int (*iallgatherv_c)(const void *, MPI_Count, MPI_Datatype, void *, const MPI_Count[],
                         const MPI_Aint[], MPI_Datatype, MPI_Comm, MPI_Request *);
    int (*allgatherv_init)(const void *, int, MPI_Datatype, void *, const int[], const int[],
                           MPI_Datatype, MPI_Comm, MPI_Info, MPIX_Request *);
    int (*allgatherv_init_c)(const void *, MPI_Count, MPI_Datatype, void *, const MPI_Count[],
                             const MPI_Aint[], MPI_Datatype, MPI_Comm, MPI_Info, MPIX_Request *);
} entry;

extern const entry entries[];
extern const int entry_count;

/* Does the algorithm serve p ranks? Restated here, not asked of the library. */
bool entry_serves(const entry *e, int p);

#endif
