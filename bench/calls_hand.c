/* calls_hand.c - the messages of a collective as a programmer would write them: the floor.
 *
 * allgather: receive from and send to every other rank at once, copy the own block meanwhile, wait.
 * alltoall: pairwise, one partner after the other, the own block copied while the first messages
 * travel. */
#include "calls.h"

#include <string.h>

static char *at(char *buffer, const run *r, int rank)
{
    return buffer + (size_t)rank * (size_t)r->size;
}

static bool pairwise(const run *r)
{
    return coll_shapes[r->what].send != COLL_ONE;
}

/* Step k. In alltoall both are one rank where p is a power of two. */
static int to(const run *r, int k)
{
    return pairwise(r) && !(r->p & (r->p - 1)) ? r->rank ^ k : (r->rank + k) % r->p;
}

static int from(const run *r, int k)
{
    return pairwise(r) && !(r->p & (r->p - 1)) ? r->rank ^ k : (r->rank - k + r->p) % r->p;
}

static char *block_to(const run *r, int rank)
{
    return pairwise(r) ? at(r->send, r, rank) : r->send;
}

static void copy_own(const run *r)
{
    memcpy(at(r->recv, r, r->rank), block_to(r, r->rank), (size_t)r->size);
}

static int post(run *r, int k)
{
    MPI_Request *q = r->messages + 2 * (k - 1);
    int error = MPI_Irecv(at(r->recv, r, from(r, k)), r->size, MPI_BYTE, from(r, k), 0, r->comm, q);

    if (!error)
        error = MPI_Isend(block_to(r, to(r, k)), r->size, MPI_BYTE, to(r, k), 0, r->comm, q + 1);
    return error;
}

static int wait_all(run *r)
{
    return MPI_Waitall(2 * (r->p - 1), r->messages, MPI_STATUSES_IGNORE);
}

/* All at once: nothing is left to do but to wait. */
static int start_plain(run *r)
{
    int error = MPI_SUCCESS;

    for (int k = 1; k < r->p && !error; k++)
        error = post(r, k);
    copy_own(r);
    return error;
}

static int start_persistent(run *r)
{
    int error = MPI_Startall(2 * (r->p - 1), r->messages);

    copy_own(r);
    return error;
}

static int pairwise_plain(run *r)
{
    int error = MPI_SUCCESS;

    for (int k = 1; k < r->p && !error; k++) {
        error = post(r, k);
        if (k == 1)
            copy_own(r);
        if (!error)
            error = MPI_Waitall(2, r->messages + 2 * (k - 1), MPI_STATUSES_IGNORE);
    }
    return error;
}

static int pairwise_persistent(run *r)
{
    int error = MPI_SUCCESS;

    for (int k = 1; k < r->p && !error; k++) {
        MPI_Request *q = r->messages + 2 * (k - 1);
        error = MPI_Startall(2, q);
        if (k == 1)
            copy_own(r);
        if (!error)
            error = MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    }
    return error;
}

static int open_persistent(run *r)
{
    int error = MPI_SUCCESS;

    for (int k = 1; k < r->p && !error; k++) {
        MPI_Request *q = r->messages + 2 * (k - 1);
        error =
            MPI_Recv_init(at(r->recv, r, from(r, k)), r->size, MPI_BYTE, from(r, k), 0, r->comm, q);
        if (!error)
            error = MPI_Send_init(block_to(r, to(r, k)), r->size, MPI_BYTE, to(r, k), 0, r->comm,
                                  q + 1);
    }
    return error;
}

static void close_persistent(run *r)
{
    for (int i = 0; i < 2 * (r->p - 1); i++)
        MPI_Request_free(&r->messages[i]);
}

/* Does every rank receive a block from each rank? */
static bool serves(const coll_shape *shape)
{
    return !shape->traits && shape->send != COLL_NONE &&
           (shape->recv == COLL_EACH || shape->recv == COLL_LISTED);
}

bool calls_find_hand(coll_kind c, form f, way *result)
{
    bool steps = coll_shapes[c].send != COLL_ONE;

#ifdef TUTTI_SIMULATED /* its persistent messages are not to be trusted */
    if (f == PERSISTENT)
        return false;
#endif
    if (f == THREADED || !serves(&coll_shapes[c]))
        return false;
    if (f == PERSISTENT)
        *result = (way){.open = open_persistent,
                        .start = steps ? pairwise_persistent : start_persistent,
                        .wait = steps ? NULL : wait_all,
                        .close = close_persistent};
    else
        *result =
            (way){.start = steps ? pairwise_plain : start_plain, .wait = steps ? NULL : wait_all};
    return true;
}
