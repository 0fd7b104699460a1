/* call_mpix.c - see call.h: by MPIX_ names, every algorithm. */
#include "call.h"
#include "mpi/entries.h"

#include <string.h>

const char *const program_name = "fuzz_mpix";
const bool names_are_ours = true;

/* Optional in Tutti: makes its channel before any communicator is used. */
int tutti_init(void) __attribute__((weak));

static int ranks(const call *c)
{
    int p;
    MPI_Comm_size(c->comm, &p);
    return p;
}

/* Algorithms take turns with the choice; a quarter of the calls is left to `auto`. */
static const entry *gather_entry(const call *c)
{
    rng r = {c->choice};
    const entry *e = &entries[entry_count - 1]; /* auto */
    if (!rng_chance(&r, 25)) {
        do
            e = &entries[rng_below(&r, entry_count)];
        while (!entry_serves(e, ranks(c)));
    }
    return e;
}

static const alltoall_entry *alltoall_choice(const call *c)
{
    rng r = {c->choice};
    const alltoall_entry *e = &alltoall_entries[alltoall_entry_count - 1];
    if (!rng_chance(&r, 25)) {
        do
            e = &alltoall_entries[rng_below(&r, alltoall_entry_count)];
        while (c->kind == ALLTOALLV && !e->run_v);
    }
    return e;
}

const char *call_algorithm(const call *c)
{
    return c->kind <= ALLGATHERV ? gather_entry(c)->name : alltoall_choice(c)->name;
}

#define REGULAR(m)                                                                                 \
    c->send.buffer, c->send.m##counts[0], c->send.type, c->recv.buffer, c->recv.m##counts[0],      \
        c->recv.type, c->comm
#define GATHERV(m)                                                                                 \
    c->send.buffer, c->send.m##counts[0], c->send.type, c->recv.buffer, c->recv.m##counts,         \
        c->recv.m##displs, c->recv.type, c->comm
#define ALLTOALLV_ARGS(m)                                                                          \
    c->send.buffer, c->send.m##counts, c->send.m##displs, c->send.type, c->recv.buffer,            \
        c->recv.m##counts, c->recv.m##displs, c->recv.type, c->comm

/* The same call with int and with large counts. */
#define EITHER(function, arguments, ...)                                                           \
    (c->large ? function##_c(arguments(large_) __VA_ARGS__) : function(arguments() __VA_ARGS__))
#define AND ,

int call_run(const call *c)
{
    switch (c->kind) {
    case ALLGATHER:
        return EITHER(gather_entry(c)->allgather, REGULAR);
    case ALLGATHERV:
        return EITHER(gather_entry(c)->allgatherv, GATHERV);
    case ALLTOALL:
        return EITHER(alltoall_choice(c)->run, REGULAR);
    default:
        return EITHER(alltoall_choice(c)->run_v, ALLTOALLV_ARGS);
    }
}

int call_start(const call *c, MPI_Request *request)
{
    switch (c->kind) {
    case ALLGATHER:
        return EITHER(gather_entry(c)->iallgather, REGULAR, AND request);
    case ALLGATHERV:
        return EITHER(gather_entry(c)->iallgatherv, GATHERV, AND request);
    case ALLTOALL:
        return EITHER(alltoall_choice(c)->start, REGULAR, AND request);
    default:
        return EITHER(alltoall_choice(c)->start_v, ALLTOALLV_ARGS, AND request);
    }
}

int call_init(const call *c, MPI_Request *request, void **own)
{
    MPIX_Request made = MPIX_REQUEST_NULL;
    int code;

    switch (c->kind) {
    case ALLGATHER:
        code = EITHER(gather_entry(c)->allgather_init, REGULAR, AND MPI_INFO_NULL AND & made);
        break;
    case ALLGATHERV:
        code = EITHER(gather_entry(c)->allgatherv_init, GATHERV, AND MPI_INFO_NULL AND & made);
        break;
    case ALLTOALL:
        code = EITHER(alltoall_choice(c)->init, REGULAR, AND MPI_INFO_NULL AND & made);
        break;
    default:
        code = EITHER(alltoall_choice(c)->init_v, ALLTOALLV_ARGS, AND MPI_INFO_NULL AND & made);
    }
    *request = MPI_REQUEST_NULL;
    *own = made;
    return code;
}

int own_start(void **own, MPI_Request *native)
{
    MPIX_Request request = *own;

    return native ? MPIX_Start_native(&request, native) : MPIX_Start(&request);
}

int own_free(void **own)
{
    MPIX_Request request = *own;
    int code = MPIX_Request_free(&request);

    *own = request;
    return code;
}

static int any(int index, bool flag, int done[])
{
    done[0] = index;
    return flag && index != MPI_UNDEFINED;
}

static int all(int n, bool flag, int done[])
{
    for (int i = 0; i < n; i++)
        done[i] = i;
    return flag ? n : 0;
}

int own_family(enum family w, int n, void *requests[], int done[], MPI_Status status[])
{
    MPIX_Request *r = (MPIX_Request *)requests;
    int flag = 1, k = 0;

    switch (w) {
    case WAIT:
        MPIX_Wait(r, status);
        return all(1, true, done);
    case WAITALL:
        MPIX_Waitall(n, r, status);
        return all(n, true, done);
    case WAITANY:
        MPIX_Waitany(n, r, &k, status);
        return any(k, true, done);
    case WAITSOME:
        MPIX_Waitsome(n, r, &k, done, status);
        return k == MPI_UNDEFINED ? 0 : k;
    case TEST:
        MPIX_Test(r, &flag, status);
        return all(1, flag, done);
    case TESTALL:
        MPIX_Testall(n, r, &flag, status);
        return all(n, flag, done);
    case TESTANY:
        MPIX_Testany(n, r, &k, &flag, status);
        return any(k, flag, done);
    default:
        MPIX_Testsome(n, r, &k, done, status);
        return k == MPI_UNDEFINED ? 0 : k;
    }
}

void own_begin(bool *restricted, bool *manual)
{
    const char *name, *reason;

    if (tutti_init)
        tutti_init();
    tutti_progress_driver(&name, &reason);
    *manual = strcmp(name, "manual") == 0;
    *restricted = *manual || strcmp(name, "poll") == 0;
}

void own_progress(void)
{
    tutti_progress();
}
