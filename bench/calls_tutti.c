/* calls_tutti.c - Tutti's algorithms: the rows of algos.def, each in its three forms. */
#include "calls.h"

#include <string.h>

#define ARGUMENTS_Allgather  r->send, r->size, MPI_BYTE, r->recv, r->size, MPI_BYTE
#define ARGUMENTS_Allgatherv r->send, r->size, MPI_BYTE, r->recv, r->counts, r->place, MPI_BYTE
#define ARGUMENTS_Alltoall   r->send, r->size, MPI_BYTE, r->recv, r->size, MPI_BYTE
#define ARGUMENTS_Alltoallv                                                                        \
    r->send, r->counts, r->place, MPI_BYTE, r->recv, r->counts, r->place, MPI_BYTE

#define DEFINE(Name, name, algorithm, ...)                                                         \
    static int block_##name##_##algorithm(run *r)                                                  \
    {                                                                                              \
        return MPIX_##Name##_##algorithm(ARGUMENTS_##Name, __VA_ARGS__);                           \
    }                                                                                              \
    static int start_##name##_##algorithm(run *r)                                                  \
    {                                                                                              \
        return MPIX_I##name##_##algorithm(ARGUMENTS_##Name, __VA_ARGS__, &r->native);              \
    }                                                                                              \
    static int open_##name##_##algorithm(run *r)                                                   \
    {                                                                                              \
        return MPIX_##Name##_##algorithm##_init(ARGUMENTS_##Name, __VA_ARGS__, MPI_INFO_NULL,      \
                                                &r->tutti);                                        \
    }

#define DEFINE_allgather_both(a)                                                                   \
    DEFINE(Allgather, allgather, a, r->comm) DEFINE(Allgatherv, allgatherv, a, r->comm)
#define DEFINE_alltoall_both(a)                                                                    \
    DEFINE(Alltoall, alltoall, a, r->comm) DEFINE(Alltoallv, alltoallv, a, r->comm)
#define DEFINE_alltoall_regular(a) DEFINE(Alltoall, alltoall, a, r->comm)

#define DEFINE_barrier_both(a)
#define DEFINE_bcast_both(a)
#define DEFINE_allreduce_both(a)
#define ALGO(collective, name, calls) DEFINE_##collective##_##calls(name)
#include "algos/algos.def"
ALGO(allgather, auto, both)
ALGO(alltoall, auto, both)
#undef ALGO

typedef struct row {
    collective what;
    const char *name;
    int (*block)(run *r), (*start)(run *r), (*open)(run *r);
} row;

#define ROW(K, name, a)          {K, #a, block_##name##_##a, start_##name##_##a, open_##name##_##a},
#define ROWS_allgather_both(a)   ROW(ALLGATHER, allgather, a) ROW(ALLGATHERV, allgatherv, a)
#define ROWS_alltoall_both(a)    ROW(ALLTOALL, alltoall, a) ROW(ALLTOALLV, alltoallv, a)
#define ROWS_alltoall_regular(a) ROW(ALLTOALL, alltoall, a)

#define ROWS_barrier_both(a)
#define ROWS_bcast_both(a)
#define ROWS_allreduce_both(a)

static const row table[] = {
#define ALGO(collective, name, calls) ROWS_##collective##_##calls(name)
#include "algos/algos.def"
    ALGO(allgather, auto, both) ALGO(alltoall, auto, both)
#undef ALGO
};

static const row *find(collective c, const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].what == c && strlen(table[i].name) == n &&
            strncmp(table[i].name, name, n) == 0)
            return &table[i];
    return NULL;
}

const char *calls_algorithm(collective c, int i)
{
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (table[k].what == c && i-- == 0)
            return table[k].name;
    return NULL;
}

/* ---- names with words ---- */

static int with_info(run *r, int (*use)(run *r, MPI_Info info))
{
    MPI_Info info;
    int error;

    MPI_Info_create(&info);
    MPI_Info_set(info, "tutti_algorithm", r->words);
    error = use(r, info);
    MPI_Info_free(&info);
    return error;
}

static int init_auto(run *r, MPI_Info info)
{
    switch (r->what) {
    case ALLGATHER:
        return MPIX_Allgather_auto_init(ARGUMENTS_Allgather, r->comm, info, &r->tutti);
    case ALLGATHERV:
        return MPIX_Allgatherv_auto_init(ARGUMENTS_Allgatherv, r->comm, info, &r->tutti);
    case ALLTOALL:
        return MPIX_Alltoall_auto_init(ARGUMENTS_Alltoall, r->comm, info, &r->tutti);
    default:
        return MPIX_Alltoallv_auto_init(ARGUMENTS_Alltoallv, r->comm, info, &r->tutti);
    }
}

static int set_hints(run *r, MPI_Info info)
{
    return tutti_comm_set_hints(r->comm, info);
}

static int open_words(run *r)
{
    return with_info(r, init_auto);
}

static int hint_words(run *r)
{
    return with_info(r, set_hints);
}

/* ---- forms ---- */

static int enter_thread(run *r)
{
    (void)r;
    return tutti_progress_thread_start(MPI_INFO_NULL);
}

static int leave_thread(run *r)
{
    (void)r;
    return tutti_progress_thread_stop();
}

static int start_persistent(run *r)
{
    return MPIX_Start(&r->tutti);
}

static int progress_persistent(run *r)
{
    (void)r;
    return tutti_progress();
}

static int wait_persistent(run *r)
{
    return MPIX_Wait(&r->tutti, MPI_STATUS_IGNORE);
}

static void close_persistent(run *r)
{
    if (r->tutti != MPIX_REQUEST_NULL)
        MPIX_Request_free(&r->tutti);
}

bool calls_find_tutti(collective c, const char *name, form f, way *result)
{
    const char *colon = strchr(name, ':');
    const row *found = find(c, name, colon ? (size_t)(colon - name) : strlen(name));

    if (!found)
        return false;
    if (f == PERSISTENT) {
        *result = (way){.open = colon ? open_words : found->open,
                        .start = start_persistent,
                        .progress = progress_persistent,
                        .wait = wait_persistent,
                        .close = close_persistent};
        return true;
    }
    *result = (way){.open = colon ? hint_words : NULL, .own_comm = colon != NULL};
    if (colon)
        found = find(c, "auto", 4);
    result->start = f == BLOCKING ? found->block : found->start;
    if (f == BLOCKING)
        return true;
    result->progress = calls_test_native;
    result->wait = calls_wait_native;
    if (f == THREADED) {
        result->enter = enter_thread;
        result->leave = leave_thread;
    }
    return true;
}
