/* SPDX-License-Identifier: BSD-3-Clause */
/* requests_many.c - MPI's calls on arrays of requests.
 *
 * Without a persistent collective of ours in it, an array goes to the MPI at once. A mixed one is
 * split into ours and native ones, both are tested in turn, and what is left of one kind alone is
 * waited for in one blocking call. Non-blocking collectives are native requests here. Null requests
 * go to the native side.
 */
#include "api/interposed.h"
#include "nbc/process/layout.h"
#include "pmpi/both_names.h"
#include "pmpi/handles.h"
#include "pmpi/interpose.h"

#include <stdlib.h>
#include <tutti_pmpix.h>

OWN_MPI(Waitall);
OWN_MPI(Testall);
OWN_MPI(Waitany);
OWN_MPI(Testany);
OWN_MPI(Testsome);

/* One kind's part of the array; at[i] is the index of its i-th request. */
typedef struct part {
    int n;
    int *at, *indices;
    MPI_Status *statuses; /* MPI_STATUSES_IGNORE if the caller's are */
} part;

typedef struct split {
    part ours, native;
    MPIX_Request *our_requests;
    MPI_Request *native_requests;
    void *memory;
} split;

/* Statuses begin as the caller's, because the MPI does not always write every field. */
static bool split_make(split *s, int n, const MPI_Request requests[], const MPI_Status *statuses)
{
    int of_status = statuses == MPI_STATUSES_IGNORE ? 0 : n;
    const layout_array arrays[] = {
        LAYOUT(s->our_requests, n),
        LAYOUT(s->native_requests, n),
        LAYOUT(s->ours.at, n),
        LAYOUT(s->ours.indices, n),
        LAYOUT(s->ours.statuses, of_status),
        LAYOUT(s->native.at, n),
        LAYOUT(s->native.indices, n),
        LAYOUT(s->native.statuses, of_status),
    };

    s->ours.n = s->native.n = 0;
    s->memory = layout_make(0, arrays, LAYOUT_LENGTH(arrays));
    if (!s->memory)
        return false;
    if (!of_status)
        s->ours.statuses = s->native.statuses = MPI_STATUSES_IGNORE;
    for (int i = 0; i < n; i++) {
        part *p = handle_persistent(requests[i]) ? &s->ours : &s->native;
        if (p == &s->ours)
            s->our_requests[p->n] = *handle_request(requests[i]);
        else
            s->native_requests[p->n] =
                handle_ours(requests[i]) ? handle_native(requests[i]) : requests[i];
        if (of_status)
            p->statuses[p->n] = statuses[i];
        p->at[p->n++] = i;
    }
    return true;
}

/* Persistent ones stay what they are; native ones may have become null. */
static void put_back(split *s, MPI_Request requests[])
{
    for (int i = 0; i < s->native.n; i++)
        handle_after(&requests[s->native.at[i]], s->native_requests[i]);
    free(s->memory);
}

/* ---- all ---- */

/* With MPI_ERR_IN_STATUS every status has a valid MPI_ERROR: those of one kind do only when the
 * error is among them. */
static void complete_errors(split *s, int our_error, int native_error)
{
    part *without = our_error ? &s->native : &s->ours;

    if (!our_error == !native_error || without->statuses == MPI_STATUSES_IGNORE)
        return;
    for (int i = 0; i < without->n; i++)
        without->statuses[i].MPI_ERROR = MPI_SUCCESS;
}

static int finish_split(split *s, int our_error, int native_error, MPI_Request requests[],
                        MPI_Status statuses[])
{
    const part *parts[] = {&s->ours, &s->native};

    complete_errors(s, our_error, native_error);
    for (int k = 0; k < 2; k++)
        for (int i = 0; statuses != MPI_STATUSES_IGNORE && i < parts[k]->n; i++)
            statuses[parts[k]->at[i]] = parts[k]->statuses[i];
    put_back(s, requests);
    return native_error ? native_error : our_error;
}

static int wait_all_split(split *s, MPI_Request requests[], MPI_Status statuses[])
{
    int ours = 0, native = s->native.n == 0, our_error = MPI_SUCCESS, native_error = MPI_SUCCESS;

    for (int idle = 0; !ours && !native; tutti_interposed_rest(&idle)) {
        our_error = PMPIX_Testall(s->ours.n, s->our_requests, &ours, s->ours.statuses);
        native_error =
            own_MPI_Testall(s->native.n, s->native_requests, &native, s->native.statuses);
        ours |= our_error != MPI_SUCCESS;
        native |= native_error != MPI_SUCCESS;
    }
    if (!ours)
        our_error = PMPIX_Waitall(s->ours.n, s->our_requests, s->ours.statuses);
    if (!native)
        native_error = own_MPI_Waitall(s->native.n, s->native_requests, s->native.statuses);
    return finish_split(s, our_error, native_error, requests, statuses);
}

BOTH_NAMES(Waitall, (int count, MPI_Request requests[], MPI_Status statuses[]),
           (count, requests, statuses))
{
    split s;

    if (!handle_any_ours(count, requests))
        return own_MPI_Waitall(count, requests, statuses);
    if (!split_make(&s, count, requests, statuses))
        return interpose_raise(MPI_ERR_NO_MEM);
    return wait_all_split(&s, requests, statuses);
}

static bool all_done(const split *s)
{
    for (int i = 0; i < s->ours.n; i++) {
        int done = 0;
        PMPIX_Request_get_status(s->our_requests[i], &done, MPI_STATUS_IGNORE);
        if (!done)
            return false;
    }
    return true;
}

/* All or none: ours are completed only when the native ones have been. */
BOTH_NAMES(Testall, (int count, MPI_Request requests[], int *flag, MPI_Status statuses[]),
           (count, requests, flag, statuses))
{
    split s;
    int error = MPI_SUCCESS, our_error = MPI_SUCCESS;

    if (!flag || !handle_any_ours(count, requests))
        return own_MPI_Testall(count, requests, flag, statuses);
    if (!split_make(&s, count, requests, statuses))
        return interpose_raise(MPI_ERR_NO_MEM);
    *flag = all_done(&s);
    if (*flag && s.native.n > 0)
        error = own_MPI_Testall(s.native.n, s.native_requests, flag, s.native.statuses);
    if (*flag || error)
        our_error = PMPIX_Testall(s.ours.n, s.our_requests, flag, s.ours.statuses);
    if (*flag || error)
        return finish_split(&s, our_error, error, requests, statuses);
    put_back(&s, requests);
    return MPI_SUCCESS;
}

/* ---- any ---- */

/* Test both kinds. *active: which of them have something to wait for (1: ours, 2: native). */
static int test_any_split(split *s, int *index, int *active, MPI_Status *status)
{
    int flag, i, error = PMPIX_Testany(s->ours.n, s->our_requests, &i, &flag, status);

    *active = flag ? 0 : 1;
    *index = MPI_UNDEFINED;
    if (error || (flag && i != MPI_UNDEFINED)) {
        *index = i == MPI_UNDEFINED ? i : s->ours.at[i];
        return error;
    }
    if (s->native.n == 0)
        return MPI_SUCCESS;
    error = own_MPI_Testany(s->native.n, s->native_requests, &i, &flag, status);
    if (error || (flag && i != MPI_UNDEFINED))
        *index = i >= 0 && i < s->native.n ? s->native.at[i] : MPI_UNDEFINED;
    *active |= flag ? 0 : 2;
    return error;
}

/* Only one kind is left to wait for. */
static int wait_any_split(split *s, int active, int *index, MPI_Status *status)
{
    int error, i = MPI_UNDEFINED;
    const part *p = active == 1 ? &s->ours : &s->native;

    if (active == 1)
        error = PMPIX_Waitany(p->n, s->our_requests, &i, status);
    else
        error = own_MPI_Waitany(p->n, s->native_requests, &i, status);
    *index = i >= 0 && i < p->n ? p->at[i] : MPI_UNDEFINED;
    return error;
}

BOTH_NAMES(Waitany, (int count, MPI_Request requests[], int *index, MPI_Status *status),
           (count, requests, index, status))
{
    split s;
    int error, active, idle = 0;

    if (!index || !handle_any_ours(count, requests))
        return own_MPI_Waitany(count, requests, index, status);
    if (!split_make(&s, count, requests, MPI_STATUSES_IGNORE))
        return interpose_raise(MPI_ERR_NO_MEM);
    for (;; tutti_interposed_rest(&idle)) {
        error = test_any_split(&s, index, &active, status);
        if (error || *index != MPI_UNDEFINED || active == 0)
            break;
        if (active != 3) {
            error = wait_any_split(&s, active, index, status);
            break;
        }
    }
    put_back(&s, requests);
    return error;
}

/* Apart: programs test in loops, most often what is the MPI's. */
__attribute__((noinline)) static int test_any_of_ours(int count, MPI_Request requests[], int *index,
                                                      int *flag, MPI_Status *status)
{
    split s;
    int error, active;

    if (!split_make(&s, count, requests, MPI_STATUSES_IGNORE))
        return interpose_raise(MPI_ERR_NO_MEM);
    error = test_any_split(&s, index, &active, status);
    *flag = *index != MPI_UNDEFINED || active == 0;
    put_back(&s, requests);
    return error;
}

BOTH_NAMES(Testany, (int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status),
           (count, requests, index, flag, status))
{
    if (!index || !flag || !handle_any_ours(count, requests))
        return own_MPI_Testany(count, requests, index, flag, status);
    return test_any_of_ours(count, requests, index, flag, status);
}

/* ---- some ---- */

/* has_errors: MPI_ERROR has been written. */
static int collect_part(const part *p, int n, bool has_errors, int at, int indices[],
                        MPI_Status statuses[])
{
    for (int k = 0; k < n; k++) {
        indices[at + k] = p->at[p->indices[k]];
        if (statuses == MPI_STATUSES_IGNORE)
            continue;
        int error = statuses[at + k].MPI_ERROR;
        statuses[at + k] = p->statuses[k];
        if (!has_errors)
            statuses[at + k].MPI_ERROR = error;
    }
    return at + (n > 0 ? n : 0);
}

/* Test both kinds; *outcount as from MPI_Testsome. */
static int test_some_split(split *s, int *outcount, int indices[], MPI_Status statuses[])
{
    int ours = MPI_UNDEFINED, native = MPI_UNDEFINED, native_error = MPI_SUCCESS;
    int our_error =
        PMPIX_Testsome(s->ours.n, s->our_requests, &ours, s->ours.indices, s->ours.statuses);

    if (s->native.n > 0)
        native_error = own_MPI_Testsome(s->native.n, s->native_requests, &native, s->native.indices,
                                        s->native.statuses);
    *outcount = ours == MPI_UNDEFINED && native == MPI_UNDEFINED ? MPI_UNDEFINED : 0;
    if (*outcount == MPI_UNDEFINED)
        return native_error ? native_error : our_error;
    complete_errors(s, our_error, native_error);
    bool has_errors = our_error || native_error;
    *outcount = collect_part(&s->ours, ours, has_errors, 0, indices, statuses);
    *outcount = collect_part(&s->native, native, has_errors, *outcount, indices, statuses);
    return native_error ? native_error : our_error;
}

static int some(int count, MPI_Request requests[], int *outcount, int indices[],
                MPI_Status statuses[], bool wait)
{
    split s;
    int error, idle = 0;

    if (!split_make(&s, count, requests, statuses))
        return interpose_raise(MPI_ERR_NO_MEM);
    for (;; tutti_interposed_rest(&idle)) {
        error = test_some_split(&s, outcount, indices, statuses);
        if (error || *outcount != 0 || !wait)
            break;
    }
    put_back(&s, requests);
    return error;
}

BOTH_NAMES(Waitsome,
           (int count, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]),
           (count, requests, outcount, indices, statuses))
{
    if (!outcount || !indices || !handle_any_ours(count, requests))
        return own_MPI_Waitsome(count, requests, outcount, indices, statuses);
    return some(count, requests, outcount, indices, statuses, true);
}

BOTH_NAMES(Testsome,
           (int count, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]),
           (count, requests, outcount, indices, statuses))
{
    if (!outcount || !indices || !handle_any_ours(count, requests))
        return own_MPI_Testsome(count, requests, outcount, indices, statuses);
    return some(count, requests, outcount, indices, statuses, false);
}
