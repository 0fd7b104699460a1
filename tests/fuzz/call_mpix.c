/* call_mpix.c - see call.h: by MPIX_ names, every algorithm. */
#include "call.h"
#include "mpi/calls.h"

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
static const call_set *set_of(const call *c)
{
    static const coll_kind kinds[KINDS] = {COLL_allgather, COLL_allgatherv, COLL_alltoall,
                                           COLL_alltoallv};
    rng r = {c->choice};
    bool is_auto = rng_chance(&r, 25);
    const call_set *s;

    do
        s = calls_find(kinds[c->kind], rng_below(&r, 100), ranks(c));
    while (is_auto && strcmp(s->algorithm, "auto") != 0);
    return s;
}

const char *call_algorithm(const call *c)
{
    return set_of(c)->algorithm;
}

static call_side side_of(const side *s)
{
    return (call_side){.buffer = s->buffer,
                       .type = s->type,
                       .count = s->counts ? s->counts[0] : 0,
                       .list = {s->counts, s->displs, s->large_counts, s->large_displs}};
}

static call_args args_of(const call *c)
{
    return (call_args){.send = side_of(&c->send), .recv = side_of(&c->recv), .comm = c->comm};
}

int call_run(const call *c)
{
    call_args a = args_of(c);

    return calls_run(set_of(c), c->large, &a);
}

int call_start(const call *c, MPI_Request *request)
{
    call_args a = args_of(c);

    return calls_start(set_of(c), c->large, &a, request);
}

int call_init(const call *c, MPI_Request *request, void **own)
{
    MPIX_Request made = MPIX_REQUEST_NULL;
    call_args a = args_of(c);
    int code = calls_init(set_of(c), c->large, &a, MPI_INFO_NULL, &made);

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
