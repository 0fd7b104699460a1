/* entries.h - every named entry point, from algos.def, for tests that call Tutti. */
#ifndef TUTTI_ENTRIES_H
#define TUTTI_ENTRIES_H

#include "mpi/mpi_test.h"

#include <tutti.h>

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

/* Alltoall. v-forms are NULL where there are none. */
typedef int alltoall_call(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
typedef int alltoall_call_c(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype,
                            MPI_Comm);
typedef int ialltoall_call(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm,
                           MPI_Request *);
typedef int ialltoall_call_c(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype,
                             MPI_Comm, MPI_Request *);
typedef int alltoall_init_call(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm,
                               MPI_Info, MPIX_Request *);
typedef int alltoall_init_call_c(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count,
                                 MPI_Datatype, MPI_Comm, MPI_Info, MPIX_Request *);

typedef struct alltoall_entry {
    const char *name;
    alltoall_call *run;
    alltoall_call_c *run_c;
    ialltoall_call *start;
    ialltoall_call_c *start_c;
    alltoall_init_call *init;
    alltoall_init_call_c *init_c;
    int (*run_v)(const void *, const int[], const int[], MPI_Datatype, void *, const int[],
                 const int[], MPI_Datatype, MPI_Comm);
    int (*run_v_c)(const void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, void *,
                   const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm);
    int (*start_v)(const void *, const int[], const int[], MPI_Datatype, void *, const int[],
                   const int[], MPI_Datatype, MPI_Comm, MPI_Request *);
    int (*start_v_c)(const void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, void *,
                     const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm, MPI_Request *);
    int (*init_v)(const void *, const int[], const int[], MPI_Datatype, void *, const int[],
                  const int[], MPI_Datatype, MPI_Comm, MPI_Info, MPIX_Request *);
    int (*init_v_c)(const void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, void *,
                    const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm, MPI_Info,
                    MPIX_Request *);
} alltoall_entry;

extern const alltoall_entry alltoall_entries[];
extern const int alltoall_entry_count;

/* Does the algorithm serve p ranks? Restated here, not asked of the library. */
bool entry_serves(const entry *e, int p);

#endif
