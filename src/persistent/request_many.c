/* SPDX-License-Identifier: BSD-3-Clause */
/* request_many.c - complete several persistent requests: all, any, some. */
#include "persistent/request.h"

#include "nbc/comm/comm.h"
#include "nbc/process/reason.h"
#include "nbc/run/engine.h"
#include "nbc/run/record.h"

/* A bad array, or a request that its native request completes: an MPI error class, else 0. */
static int check_requests(int count, const MPIX_Request requests[])
{
    if (count < 0)
        return reason_set(MPI_ERR_COUNT, "count is %d", count);
    if (count > 0 && !requests)
        return reason_set(MPI_ERR_ARG, "requests is NULL");
    for (int i = 0; i < count; i++)
        if (requests[i] && requests[i]->native)
            return request_refuse(requests[i]);
    return MPI_SUCCESS;
}

static MPI_Status *persistent_status_at(MPI_Status statuses[], int i)
{
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

static bool is_done(MPIX_Request r)
{
    return request_pending(r) && exec_get_state(r->exec) == EXEC_DONE;
}

static int finish_if_pending(MPIX_Request r, MPI_Status *status)
{
    request_empty_status(status);
    return request_pending(r) ? request_finish(r) : MPI_SUCCESS;
}

/* The one at this index. MPI_UNDEFINED: none was pending. */
static int finish_one(const char *call, MPIX_Request requests[], int i, MPI_Status *status)
{
    int error = finish_if_pending(i == MPI_UNDEFINED ? MPIX_REQUEST_NULL : requests[i], status);

    return error ? request_raise(call, requests[i], error) : MPI_SUCCESS;
}

/* So many that are done, by their indices; null: the first ones. With MPI_ERR_IN_STATUS every
 * status has its error, else none. */
static int finish_several(const char *call, int n, MPIX_Request requests[], const int indices[],
                          MPI_Status statuses[])
{
    char text[MPI_MAX_ERROR_STRING];
    int failed = -1, first;

    for (int k = 0; k < n && failed < 0; k++) {
        MPIX_Request r = requests[indices ? indices[k] : k];
        if (request_pending(r) && r->exec->run.error)
            failed = k;
    }
    for (int k = 0; k < n; k++) {
        int error = finish_if_pending(requests[indices ? indices[k] : k],
                                      persistent_status_at(statuses, k));
        if (failed >= 0 && statuses != MPI_STATUSES_IGNORE)
            statuses[k].MPI_ERROR = error;
    }
    if (failed < 0)
        return MPI_SUCCESS;
    first = indices ? indices[failed] : failed;
    reason_of_class(requests[first]->exec->run.error, text);
    reason_set(MPI_ERR_IN_STATUS, "requests[%d]: %s", first, text);
    return request_raise(call, requests[first], MPI_ERR_IN_STATUS);
}

/* Index of the first request that is done, MPI_UNDEFINED if none is, and whether any is pending. */
static int first_done(int count, MPIX_Request requests[], bool *pending)
{
    *pending = false;
    for (int i = 0; i < count; i++) {
        if (is_done(requests[i]))
            return i;
        *pending |= request_pending(requests[i]);
    }
    return MPI_UNDEFINED;
}

/* Around a wait that has to wait: count the steps that retire in it. */
static void wait_begin(int count, MPIX_Request requests[])
{
    for (int i = 0; i < count; i++)
        if (request_pending(requests[i])) {
            requests[i]->left = engine_steps_left(requests[i]->exec);
            request_enter(requests[i]);
        }
}

static void wait_end(int count, MPIX_Request requests[])
{
    for (int i = 0; i < count; i++)
        if (request_pending(requests[i])) {
            requests[i]->steps_waited += requests[i]->left - engine_steps_left(requests[i]->exec);
            request_leave(requests[i]);
        }
}

static void progress_requests(int count, MPIX_Request requests[])
{
    for (int i = 0; i < count; i++)
        if (request_pending(requests[i]))
            request_enter(requests[i]);
    engine_progress(NULL);
    for (int i = 0; i < count; i++)
        if (request_pending(requests[i]))
            request_leave(requests[i]);
}

/* Wait until one is done, and return the index of the first; MPI_UNDEFINED: none is pending. */
static int wait_first(int count, MPIX_Request requests[])
{
    bool pending;
    int64_t begun;
    int idle = 0, i = first_done(count, requests, &pending);

    if (i != MPI_UNDEFINED || !pending)
        return i;
    begun = record_now();
    wait_begin(count, requests);
    while ((i = first_done(count, requests, &pending)) == MPI_UNDEFINED)
        engine_idle_turn(&idle);
    wait_end(count, requests);
    record_wait(NULL, "wait for one of several", begun);
    return i;
}

static int wait_all_persistent(int count, MPIX_Request requests[], MPI_Status statuses[])
{
    int error = check_requests(count, requests);

    if (error)
        return request_raise("Waitall", MPIX_REQUEST_NULL, error);
    wait_begin(count, requests);
    for (int i = 0; i < count; i++)
        if (request_pending(requests[i]))
            engine_wait(requests[i]->exec);
    wait_end(count, requests);
    return finish_several("Waitall", count, requests, NULL, statuses);
}

REQUEST_CALL(Waitall, wait_all_persistent,
             (int count, MPIX_Request requests[], MPI_Status statuses[]),
             (count, requests, statuses))

static int test_all(int count, MPIX_Request requests[], int *flag, MPI_Status statuses[])
{
    int error = check_requests(count, requests);

    if (!error && !flag)
        error = reason_set(MPI_ERR_ARG, "flag is NULL");
    if (error)
        return request_raise("Testall", MPIX_REQUEST_NULL, error);
    progress_requests(count, requests);
    for (int i = 0; i < count; i++)
        if (request_pending(requests[i]) && !is_done(requests[i])) {
            *flag = 0;
            return MPI_SUCCESS;
        }
    *flag = 1;
    return finish_several("Testall", count, requests, NULL, statuses);
}

REQUEST_CALL(Testall, test_all,
             (int count, MPIX_Request requests[], int *flag, MPI_Status statuses[]),
             (count, requests, flag, statuses))

static int wait_any_persistent(int count, MPIX_Request requests[], int *index, MPI_Status *status)
{
    int error = check_requests(count, requests);

    if (!error && !index)
        error = reason_set(MPI_ERR_ARG, "index is NULL");
    if (error)
        return request_raise("Waitany", MPIX_REQUEST_NULL, error);
    *index = wait_first(count, requests);
    return finish_one("Waitany", requests, *index, status);
}

REQUEST_CALL(Waitany, wait_any_persistent,
             (int count, MPIX_Request requests[], int *index, MPI_Status *status),
             (count, requests, index, status))

static int test_any_persistent(int count, MPIX_Request requests[], int *index, int *flag,
                               MPI_Status *status)
{
    int error = check_requests(count, requests);
    bool pending;

    if (!error && (!index || !flag))
        error = reason_set(MPI_ERR_ARG, "%s is NULL", index ? "flag" : "index");
    if (error)
        return request_raise("Testany", MPIX_REQUEST_NULL, error);
    progress_requests(count, requests);
    *index = first_done(count, requests, &pending);
    *flag = *index != MPI_UNDEFINED || !pending;
    return *flag ? finish_one("Testany", requests, *index, status) : MPI_SUCCESS;
}

REQUEST_CALL(Testany, test_any_persistent,
             (int count, MPIX_Request requests[], int *index, int *flag, MPI_Status *status),
             (count, requests, index, flag, status))

static int collect_some(const char *call, int count, MPIX_Request requests[], int *outcount,
                        int indices[], MPI_Status statuses[])
{
    int n = 0;

    for (int i = 0; i < count; i++) /* more may be done later on */
        if (is_done(requests[i]))
            indices[n++] = i;
    *outcount = n;
    return finish_several(call, n, requests, indices, statuses);
}

static int check_some(int count, const MPIX_Request requests[], const int *outcount,
                      const int indices[])
{
    int error = check_requests(count, requests);

    if (!error && (!outcount || (count > 0 && !indices)))
        error = reason_set(MPI_ERR_ARG, "%s is NULL", outcount ? "indices" : "outcount");
    return error;
}

static int wait_some(int count, MPIX_Request requests[], int *outcount, int indices[],
                     MPI_Status statuses[])
{
    int error = check_some(count, requests, outcount, indices);

    if (error)
        return request_raise("Waitsome", MPIX_REQUEST_NULL, error);
    if (wait_first(count, requests) != MPI_UNDEFINED)
        return collect_some("Waitsome", count, requests, outcount, indices, statuses);
    *outcount = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

REQUEST_CALL(Waitsome, wait_some,
             (int count, MPIX_Request requests[], int *outcount, int indices[],
              MPI_Status statuses[]),
             (count, requests, outcount, indices, statuses))

static int test_some_persistent(int count, MPIX_Request requests[], int *outcount, int indices[],
                                MPI_Status statuses[])
{
    int error = check_some(count, requests, outcount, indices);
    bool pending;

    if (error)
        return request_raise("Testsome", MPIX_REQUEST_NULL, error);
    progress_requests(count, requests);
    if (first_done(count, requests, &pending) != MPI_UNDEFINED)
        return collect_some("Testsome", count, requests, outcount, indices, statuses);
    *outcount = pending ? 0 : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

REQUEST_CALL(Testsome, test_some_persistent,
             (int count, MPIX_Request requests[], int *outcount, int indices[],
              MPI_Status statuses[]),
             (count, requests, outcount, indices, statuses))
