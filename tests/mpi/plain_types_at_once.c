/* SPDX-License-Identifier: BSD-3-Clause */
/* plain_types_at_once.c - threads meet one new derived type at the same time, each on a
 * communicator of its own. What the library asks of the MPI about a type takes long here, so that
 * threads meet in between. */
#define _GNU_SOURCE
#include "mpi/mpi_test.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 2, TYPES = 60, LONGEST = 1000, MOST = 8 };

static void wait_a_little(void)
{
    static _Thread_local unsigned state = 1;

    state = state * 1664525u + 1013904223u + (unsigned)(uintptr_t)&state;
    usleep((state >> 8) % LONGEST);
}

static void *next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);

    if (!found)
        abort();
    return found;
}

int PMPI_Type_get_attr(MPI_Datatype type, int key, void *value, int *flag)
{
    int (*real)(MPI_Datatype, int, void *, int *) = next(__func__);
    int error = real(type, key, value, flag);

    if (!error && !*flag)
        wait_a_little();
    return error;
}

int PMPI_Type_set_attr(MPI_Datatype type, int key, void *value)
{
    int (*real)(MPI_Datatype, int, void *) = next(__func__);
    int error = real(type, key, value);

    wait_a_little();
    return error;
}

typedef struct user {
    pthread_t thread;
    MPI_Comm comm;
    int number, wrong;
} user;

static MPI_Datatype types[TYPES];
static pthread_barrier_t together;

static int length(int type)
{
    return 1 + type % MOST;
}

static void gather(user *u, int type)
{
    int n = length(type), from[MOST], *to = malloc((size_t)(world_size * n) * sizeof *to);

    for (int i = 0; i < n; i++)
        from[i] = 100 * world_rank + 10 * u->number + i;
    u->wrong += MPI_Allgather(from, 1, types[type], to, 1, types[type], u->comm) != MPI_SUCCESS;
    for (int r = 0; r < world_size; r++)
        for (int i = 0; i < n; i++)
            u->wrong += to[r * n + i] != 100 * r + 10 * u->number + i;
    free(to);
}

static void *use(void *of)
{
    for (int type = 0; type < TYPES; type++) {
        pthread_barrier_wait(&together);
        gather(of, type);
        gather(of, type);
    }
    return NULL;
}

static void two_threads_meet_a_type(void)
{
    user users[THREADS];
    int level;

    MPI_Query_thread(&level);
    if (level < MPI_THREAD_MULTIPLE)
        return;
    for (int k = 0; k < TYPES; k++) {
        MPI_Type_contiguous(length(k), MPI_INT, &types[k]);
        MPI_Type_commit(&types[k]);
    }
    pthread_barrier_init(&together, NULL, THREADS);
    for (int t = 0; t < THREADS; t++) {
        users[t] = (user){.number = t};
        MPI_Comm_dup(MPI_COMM_WORLD, &users[t].comm);
    }
    for (int t = 0; t < THREADS; t++)
        CHECK(pthread_create(&users[t].thread, NULL, use, &users[t]) == 0);
    for (int t = 0; t < THREADS; t++) {
        pthread_join(users[t].thread, NULL);
        CHECK(users[t].wrong == 0);
        MPI_Comm_free(&users[t].comm);
    }
    pthread_barrier_destroy(&together);
    for (int k = 0; k < TYPES; k++)
        MPI_Type_free(&types[k]);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {MPI_TEST(two_threads_meet_a_type)};

    return mpi_test_main(argc, argv, "plain_types_at_once", tests, sizeof tests / sizeof *tests);
}
