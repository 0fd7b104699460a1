/* SPDX-License-Identifier: BSD-3-Clause */
/* calls_hand.c - the messages of a collective as a programmer would write them: the floor. Which
 * they are says hand.c; here they are sent, plain or persistent, by PMPI_ names: under
 * libtutti_mpi.so they are the MPI's own, too. The first phase is on its way when
 * `start` returns, all else is in `wait`. */
#include "hand.h"

#include <stdlib.h>
#include <string.h>

static hand_phase before(const hand *h, int phase)
{
    return phase ? h->phases[phase - 1] : (hand_phase){0};
}

typedef int post(const run *r, int begin, int end);

static int post_plain(const run *r, int begin, int end)
{
    const hand *h = r->hand;
    int error = MPI_SUCCESS;

    for (int i = begin; i < end && !error; i++) {
        const hand_message *m = &h->messages[i];
        if (m->sends)
            error =
                PMPI_Isend(m->block, r->count, r->type, m->peer, m->tag, r->comm, &h->requests[i]);
        else
            error =
                PMPI_Irecv(m->block, r->count, r->type, m->peer, m->tag, r->comm, &h->requests[i]);
    }
    return error;
}

static int post_persistent(const run *r, int begin, int end)
{
    if (end - begin == 1)
        return PMPI_Start(&r->hand->requests[begin]);
    return end > begin ? PMPI_Startall(end - begin, &r->hand->requests[begin]) : MPI_SUCCESS;
}

static int await(const run *r, int begin, int end)
{
    if (end - begin == 1)
        return PMPI_Wait(&r->hand->requests[begin], MPI_STATUS_IGNORE);
    return end > begin ? PMPI_Waitall(end - begin, &r->hand->requests[begin], MPI_STATUSES_IGNORE)
                       : MPI_SUCCESS;
}

static int begin_phase(const run *r, int phase, post *f)
{
    const hand *h = r->hand;
    int error = f(r, before(h, phase).messages, h->phases[phase].messages);

    for (int i = before(h, phase).copies; i < h->phases[phase].copies; i++)
        memcpy(h->copies[i].to, h->copies[i].from, (size_t)r->size);
    return error;
}

static int end_phase(const run *r, int phase)
{
    const hand *h = r->hand;
    int error = await(r, before(h, phase).messages, h->phases[phase].messages);

    for (int i = before(h, phase).reductions; i < h->phases[phase].reductions && !error; i++)
        error = PMPI_Reduce_local(h->reductions[i].from, h->reductions[i].to, r->count, r->type,
                                  MPI_SUM);
    return error;
}

static inline int start(const run *r, post *f)
{
    return r->hand->nphases ? begin_phase(r, 0, f) : MPI_SUCCESS;
}

static inline int finish(const run *r, post *f)
{
    int error = r->hand->nphases ? end_phase(r, 0) : MPI_SUCCESS;

    for (int i = 1; i < r->hand->nphases && !error; i++) {
        error = begin_phase(r, i, f);
        if (!error)
            error = end_phase(r, i);
    }
    return error;
}

static int start_plain(run *r)
{
    return start(r, post_plain);
}

static int wait_plain(run *r)
{
    return finish(r, post_plain);
}

static int start_persistent(run *r)
{
    return start(r, post_persistent);
}

static int wait_persistent(run *r)
{
    return finish(r, post_persistent);
}

static int messages_of(const hand *h)
{
    return before(h, h->nphases).messages;
}

static int open_plain(run *r)
{
    r->hand = hand_make(r);
    return r->hand ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static void close_plain(run *r)
{
    hand_free(r->hand);
}

static int open_persistent(run *r)
{
    int error = open_plain(r);

    for (int i = 0; !error && i < messages_of(r->hand); i++) {
        const hand_message *m = &r->hand->messages[i];
        MPI_Request *q = &r->hand->requests[i];
        if (m->sends)
            error = PMPI_Send_init(m->block, r->count, r->type, m->peer, m->tag, r->comm, q);
        else
            error = PMPI_Recv_init(m->block, r->count, r->type, m->peer, m->tag, r->comm, q);
    }
    return error;
}

static void close_persistent(run *r)
{
    for (int i = 0; i < messages_of(r->hand); i++)
        PMPI_Request_free(&r->hand->requests[i]);
    hand_free(r->hand);
}

bool calls_find_hand(form f, way *result)
{
#ifdef TUTTI_SIMULATED /* its persistent messages are not to be trusted */
    if (f == PERSISTENT)
        return false;
#endif
    if (f == THREADED)
        return false;
    if (f == PERSISTENT)
        *result = (way){.open = open_persistent,
                        .start = start_persistent,
                        .wait = wait_persistent,
                        .close = close_persistent};
    else
        *result = (way){
            .open = open_plain, .start = start_plain, .wait = wait_plain, .close = close_plain};
    return true;
}
