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

/* Does the algorithm serve p ranks? Restated here, not asked of the library. */
bool entry_serves(const entry *e, int p);

#endif
