/* SPDX-License-Identifier: BSD-3-Clause */
/* interpose.c - TUTTI_INTERPOSE, the counts, and the summary at the end. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "pmpi/interpose.h"

#include "nbc/process/right_mpi.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

static const char *const names[COLL_KINDS] = {
#define COLLECTIVE(name, Name, family, send, recv, traits, parameters, arguments, args)            \
    [COLL_##name] = #name,
#include "nbc/sched/collectives.def"
#undef COLLECTIVE
};

static pthread_once_t once = PTHREAD_ONCE_INIT, begun = PTHREAD_ONCE_INIT;
static bool chosen[COLL_KINDS], errs_alone[COLL_KINDS], manual, verbose;
bool interpose_all, interpose_fault_tolerant;
atomic_bool interpose_asked[COLL_KINDS], interpose_ending;
bool interpose_threaded = true;
atomic_llong interpose_taken[COLL_KINDS], interpose_starts;
static atomic_llong left_out[COLL_KINDS], between_groups[COLL_KINDS], of_one_process[COLL_KINDS],
    by_gpu_mpi[COLL_KINDS], not_advanced[COLL_KINDS], not_prepared[COLL_KINDS],
    not_faster[COLL_KINDS], on_new[COLL_KINDS], to_try[COLL_KINDS], fault_tolerant[COLL_KINDS];

/* ---- TUTTI_INTERPOSE ---- */

/* All calls are ours then, and fail: those of other ranks, too: Tutti says so to them. */
static void refuse_all(const char *why)
{
    tutti_interposed_refuse(why);
    for (int k = 0; k < COLL_KINDS; k++)
        chosen[k] = true;
    manual = false;
}

static void refuse_value(const char *value)
{
    char text[COLL_KINDS * 24 + 256];
    size_t n = (size_t)snprintf(
        text, sizeof text, "TUTTI_INTERPOSE=%.200s: must be auto, estimate, all, none or a list of",
        value);

    for (int k = 0; k < COLL_KINDS && n < sizeof text; k++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s %s", k ? "," : "", names[k]);
    refuse_all(text);
}

/* False: there is no such collective. */
static bool choose_collective(const char *name, size_t length)
{
    bool found = false;

    for (int k = 0; k < COLL_KINDS; k++)
        if (strlen(names[k]) == length && memcmp(names[k], name, length) == 0)
            found = chosen[k] = true;
    return found;
}

/* TUTTI_INTERPOSE=all or a list: who names collectives means them. */
static bool names_collectives(const char *value)
{
    return value && *value && strcmp(value, "auto") != 0 && strcmp(value, "estimate") != 0 &&
           strcmp(value, "none") != 0;
}

static void read_interpose(void)
{
    const char *value = getenv("TUTTI_INTERPOSE");
    bool none = value && strcmp(value, "none") == 0, any, right = true;

    interpose_all = names_collectives(value);
    any = interpose_all ? strcmp(value, "all") == 0 : !none;
    for (int k = 0; k < COLL_KINDS; k++)
        chosen[k] = any;
    if (any || none)
        return;
    for (const char *at = value;; at++) {
        size_t n = strcspn(at, ",");
        right &= choose_collective(at, n);
        at += n;
        if (!*at)
            break;
    }
    if (!right)
        refuse_value(value);
}

/* No reduction may be the MPI's then. */
static void check_reproducible(void)
{
    char text[400];

    for (int k = 0; k < COLL_KINDS; k++) {
        if (!tutti_interposed_reproducible(k) || (chosen[k] && !manual))
            continue;
        snprintf(text, sizeof text,
                 "%s=%.200s leaves %s%s to the MPI, and TUTTI_REPRODUCIBLE=topology does not allow "
                 "that",
                 chosen[k] ? "TUTTI_PROGRESS" : "TUTTI_INTERPOSE",
                 chosen[k] ? "manual" : getenv("TUTTI_INTERPOSE"), chosen[k] ? "i" : "", names[k]);
        refuse_all(text);
        return;
    }
}

/* ---- summary ---- */

static int world_rank(void)
{
    int rank = 0;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

/* "3 allgather, 4 allgatherv": returns how many in all. */
static long long list_counters(atomic_llong counters[], char *text, size_t size)
{
    long long sum = 0;
    size_t n = 0;

    text[0] = '\0';
    for (int k = 0; k < COLL_KINDS; k++) {
        long long c = atomic_load(&counters[k]);
        if (c > 0 && n < size)
            n += (size_t)snprintf(text + n, size - n, "%s%lld %s", sum ? ", " : "", c, names[k]);
        sum += c;
    }
    return sum;
}

static const struct {
    atomic_llong *counters;
    const char *reason;
} left[] = {{left_out, "TUTTI_INTERPOSE"},
            {between_groups, "an intercommunicator"},
            {of_one_process, "a communicator of one process"},
            {not_faster, "no gain"},
            {on_new, "a new communicator"},
            {to_try, "a trial of both"},
            {by_gpu_mpi, "an MPI that serves GPU memory"},
            {not_advanced, "the driver manual"},
            {not_prepared, "a communicator that no blocking call has prepared"},
            {fault_tolerant, "fault tolerance"}};

/* Delete callback of our attribute on MPI_COMM_SELF: MPI_Finalize has begun. A wrapper of
 * MPI_Finalize would hide that of a profiling tool behind us. */
static int summary(MPI_Comm comm, int key, void *value, void *extra)
{
    char calls[COLL_KINDS * 48], text[sizeof left / sizeof *left * sizeof calls + 300];
    long long starts = atomic_load(&interpose_starts);
    size_t n;

    atomic_store(&interpose_ending, true);
    if (!verbose)
        return MPI_SUCCESS;
    n = (size_t)snprintf(text, sizeof text, "calls of rank 0 taken over: %s",
                         list_counters(interpose_taken, calls, sizeof calls) ? calls : "none");
    if (starts > 0)
        n += (size_t)snprintf(text + n, sizeof text - n, ", %lld start%s of persistent requests",
                              starts, starts == 1 ? "" : "s");
    for (size_t i = 0; i < sizeof left / sizeof *left && n < sizeof text; i++)
        if (list_counters(left[i].counters, calls, sizeof calls))
            n += (size_t)snprintf(text + n, sizeof text - n, "; left to MPI because of %s: %s",
                                  left[i].reason, calls);
    if (world_rank() == 0)
        fprintf(stderr, "tutti: %s\n", text);
    return MPI_SUCCESS;
}

static void watch_for_the_end(void)
{
    int key;

    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, summary, &key, NULL) != MPI_SUCCESS)
        return;
    PMPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    PMPI_Comm_free_keyval(&key); /* takes effect when the attribute goes */
}

/* Who is here, and in front of what: also for a program none of whose calls are taken over. */
static void announce(void)
{
    int major, minor, patch;

    tutti_version(&major, &minor, &patch);
    fprintf(stderr, "tutti: libtutti_mpi.so %d.%d.%d is in front of %s\n", major, minor, patch,
            right_mpi_name());
}

/* Over the ABI libtutti does not see failures. */
static bool leaves_all(void)
{
#ifndef TUTTI_MPI_ABI
    if (names_collectives(getenv("TUTTI_INTERPOSE")))
        return false;
#endif
    return tutti_interposed_fault_tolerant();
}

/* libtutti has not read it yet, and does not where all is left to the MPI. */
static bool asks_for_same_bits(void)
{
    const char *value = getenv("TUTTI_REPRODUCIBLE");

    return value && *value && strcmp(value, "off") != 0;
}

static void begin_interposing(void)
{
    const char *value = getenv("TUTTI_VERBOSE");

    verbose = value && strcmp(value, "1") == 0;
    if (verbose && world_rank() == 0)
        announce();
    interpose_fault_tolerant = leaves_all();
    if (interpose_fault_tolerant && world_rank() == 0)
        fprintf(stderr,
                "tutti: fault tolerance is on: libtutti_mpi.so leaves all collectives to %s%s\n",
                right_mpi_name(),
                asks_for_same_bits() ? ", and TUTTI_REPRODUCIBLE has no effect" : "");
    watch_for_the_end();
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        tutti_interposed_counts(left[i].reason, left[i].counters);
}

void interpose_begin(void)
{
    pthread_once(&begun, begin_interposing);
}

/* ---- which calls ---- */

static void read_settings(void)
{
    const char *driver, *reason;

    int level = MPI_THREAD_MULTIPLE;

    interpose_begin();
    read_interpose();
    for (int k = 0; k < COLL_KINDS; k++)
        errs_alone[k] = tutti_interposed_errs_alone(k);
    PMPI_Query_thread(&level);
    interpose_threaded = level == MPI_THREAD_MULTIPLE;
    manual =
        tutti_progress_driver(&driver, &reason) == MPI_SUCCESS && strcmp(driver, "manual") == 0;
    check_reproducible();
}

int interpose_raise(int error)
{
    PMPI_Comm_call_errhandler(MPI_COMM_WORLD, error);
    return error;
}

/* A program with sessions only has no MPI_COMM_WORLD, which Tutti needs. In Open MPI's MPI_Finalize
 * there is none for us either, once callbacks of attributes on MPI_COMM_SELF have been called:
 * those of MPI_COMM_WORLD's come later. */
static bool has_world(void)
{
    static atomic_bool seen;
    int flag = atomic_load_explicit(&seen, memory_order_relaxed), finalized = 0;

    if (atomic_load_explicit(&interpose_ending, memory_order_relaxed))
        PMPI_Finalized(&finalized);
    if (finalized)
        return false;
    if (!flag) {
        PMPI_Initialized(&flag);
        atomic_store_explicit(&seen, flag, memory_order_relaxed);
    }
    return flag;
}

/* What takes nanoseconds in an MPI, and is right there. Persistent ones are not everywhere. */
static bool is_of_one_process(coll_kind kind, interpose_form form, MPI_Comm comm)
{
    int p = 0;

    return !interpose_all && !errs_alone[kind] && form != FORM_PERSISTENT &&
           PMPI_Comm_size(comm, &p) == MPI_SUCCESS && p == 1 && !tutti_interposed_device();
}

/* ---- memory of GPUs ---- */

static bool gpu_mpi;

/* By the names that MPICH and Open MPI have for it. *asked: the MPI has some. */
static int mpi_serves_gpus(bool *asked)
{
    static const char *const queries[] = {"MPIX_Query_cuda_support", "MPIX_Query_rocm_support",
                                          "MPIX_Query_hip_support", "MPIX_Query_ze_support"};
    int yes = 0;

    *asked = false;
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        int (*query)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, queries[i]);
        *asked |= query != NULL;
        yes |= query && query() == 1;
    }
    return yes && tutti_interposed_device();
}

void interpose_find_gpus(void)
{
    bool asked;
    int yes = mpi_serves_gpus(&asked), any = 0;

    if (asked && tutti_interposed_native_mpi()->Allreduce(&yes, &any, 1, MPI_INT, MPI_MAX,
                                                          MPI_COMM_WORLD) == MPI_SUCCESS)
        gpu_mpi = any;
}

/* Who serves the call: `taken` is ours. */
static atomic_llong *served_by(coll_kind kind, interpose_form form, MPI_Comm comm, bool inter,
                               int *error)
{
    int prepared = 1;

    if (inter)
        return between_groups;
    if (!chosen[kind])
        return left_out;
    if (is_of_one_process(kind, form, comm))
        return of_one_process;
    if (gpu_mpi && !interpose_all && form != FORM_PERSISTENT &&
        !tutti_interposed_reproducible_in_world(kind))
        return by_gpu_mpi;
    if (form != FORM_NONBLOCKING)
        return interpose_taken;
    if (manual)
        return not_advanced;
    *error = tutti_comm_prepared(comm, &prepared);
    return *error || prepared ? interpose_taken : not_prepared;
}

void interpose_leave(coll_kind kind, call_native why)
{
    interpose_count(&interpose_taken[kind], -1);
    interpose_count(why == CALL_NEW   ? &on_new[kind]
                    : why == CALL_TRY ? &to_try[kind]
                                      : &not_faster[kind],
                    1);
}

bool interpose_asks(coll_kind kind, interpose_form form, MPI_Comm comm, int *error)
{
    int inter = 0;

    *error = MPI_SUCCESS;
    if (!has_world())
        return false;
    interpose_begin();
    if (interpose_fault_tolerant) {
        interpose_count(&fault_tolerant[kind], 1);
        return false;
    }
    if (comm == MPI_COMM_NULL) /* a clear error from us; Open MPI 4.1 crashes */
        return true;
    if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS)
        return false;
    pthread_once(&once, read_settings);
    atomic_llong *counter = served_by(kind, form, comm, inter, error);
    interpose_count(&counter[kind], 1);
    if (counter == interpose_taken && form != FORM_BLOCKING)
        interpose_need_progress();
    else if (counter == interpose_taken && comm == MPI_COMM_WORLD)
        atomic_store_explicit(&interpose_asked[kind], true, memory_order_relaxed);
    return counter == interpose_taken;
}
