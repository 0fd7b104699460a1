/* library.h - what exists once per process: start at the first call, end inside MPI_Finalize.
 *
 * Life cycle: library_enter (first call) makes a private duplicate of MPI_COMM_SELF, reads the
 * environment and chooses the driver. An attribute on MPI_COMM_SELF brings us back at the very
 * begin of MPI_Finalize: see library_end.
 */
#ifndef TUTTI_LIBRARY_H
#define TUTTI_LIBRARY_H

#include <mpi.h>
#include <stdbool.h>

struct driver;

/* Must succeed before anything else is used. MPI_ERR_OTHER before MPI_Init or after MPI_Finalize
 * has begun; MPI_ERR_ARG for a wrong TUTTI_ variable (explained once on stderr). */
int library_enter(void);

/* Private duplicate of MPI_COMM_SELF that returns errors. */
MPI_Comm library_self(void);

/* Make it the empty status, but for MPI_ERROR, which is left alone. */
void library_empty_status(MPI_Status *status);

/* The driver chosen, and why. */
const struct driver *library_driver(void);
const char *library_driver_reason(void);

/* MPI_THREAD_MULTIPLE? Set before anything else happens. */
extern bool library_threaded;

/* The lock of everything but the engine; free of cost unless library_threaded. */
void library_lock(void);
void library_unlock(void);

/* MPI has called us back in this thread, and is not done: datatypes must not be freed, because
 * MPICH 4.0 aborts then at MPI_THREAD_MULTIPLE. Plans and execs wait for plan_reap. */
extern _Thread_local bool library_in_callback;

#endif
