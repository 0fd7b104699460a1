/* call.h - the way of every collective call: check, choose, plan, bind, run, start or init. */
#ifndef TUTTI_CALL_H
#define TUTTI_CALL_H

#include "api/args.h"

#include <tutti.h>

/* Run the call to its end; or start it as a non-blocking operation; or make a persistent request of
 * it. Errors go through the communicator's handler and are returned. */
int call_run(const args *a);
int call_start(const args *a, MPI_Request *request);
int call_init(const args *a, MPI_Info info, MPIX_Request *request);

/* ---- the named entry points ---- */

#define CALL_UNWRAP(...) __VA_ARGS__

/* MPIX_Name_algorithm, MPIX_Iname_algorithm, MPIX_Name_algorithm_init with a suffix for large
 * counts. parameters: all before the communicator, in parentheses; then the initializer of args. */
#define CALL_DEFINE(Name, name, algorithm, suffix, parameters, ...)                                \
    int MPIX_##Name##_##algorithm##suffix(CALL_UNWRAP parameters, MPI_Comm comm)                   \
    {                                                                                              \
        const args a = {__VA_ARGS__, .comm = comm};                                                \
        return call_run(&a);                                                                       \
    }                                                                                              \
    int MPIX_I##name##_##algorithm##suffix(CALL_UNWRAP parameters, MPI_Comm comm,                  \
                                           MPI_Request *request)                                   \
    {                                                                                              \
        const args a = {__VA_ARGS__, .comm = comm};                                                \
        return call_start(&a, request);                                                            \
    }                                                                                              \
    int MPIX_##Name##_##algorithm##_init##suffix(CALL_UNWRAP parameters, MPI_Comm comm,            \
                                                 MPI_Info info, MPIX_Request *request)             \
    {                                                                                              \
        const args a = {__VA_ARGS__, .comm = comm};                                                \
        return call_init(&a, info, request);                                                       \
    }

#endif
