/* interpose.c - TUTTI_INTERPOSE, the counts, and the summary at the end. */
#include "pmpi/interpose.h"

#include "pmpi/handles.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[KINDS] = {
#define COLLECTIVE(name, Name, parameters, arguments) [KIND_##name] = #name,
#include "pmpi/collectives.def"
#undef COLLECTIVE
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool chosen[KINDS], wrong;
static atomic_llong taken[KINDS], left_out[KINDS], between[KINDS]; /* calls; between groups */

/* ---- TUTTI_INTERPOSE ---- */

static void say(const char *text)
{
    int rank = 0;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        fprintf(stderr, "tutti: %s\n", text);
}

static void say_wrong(const char *value)
{
    char text[512];
    size_t n = (size_t)snprintf(text, sizeof text,
                                "TUTTI_INTERPOSE=%.200s: must be all, none or a list of", value);

    for (int k = 0; k < KINDS && n < sizeof text; k++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s %s", k ? "," : "", names[k]);
    say(text);
}

static void choose(const char *name, size_t length)
{
    bool found = false;

    for (int k = 0; k < KINDS; k++)
        if (strlen(names[k]) == length && memcmp(names[k], name, length) == 0)
            found = chosen[k] = true;
    wrong |= !found;
}

static void read_settings(void)
{
    const char *value = getenv("TUTTI_INTERPOSE");
    bool all = !value || !*value || strcmp(value, "all") == 0;

    for (int k = 0; k < KINDS; k++)
        chosen[k] = all;
    if (all || strcmp(value, "none") == 0)
        return;
    for (const char *at = value;; at++) {
        size_t n = strcspn(at, ",");
        choose(at, n);
        at += n;
        if (!*at)
            break;
    }
    if (wrong)
        say_wrong(value);
}

/* ---- which calls ---- */

static void count(atomic_llong *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

int interpose_raise(int error)
{
    PMPI_Comm_call_errhandler(MPI_COMM_WORLD, error);
    return error;
}

bool interpose_takes(interpose_kind kind, interpose_form form, MPI_Comm comm, int *error)
{
    int inter = 0;

    *error = MPI_SUCCESS;
    if (comm == MPI_COMM_NULL) /* a clear error from us; Open MPI 4.1 crashes */
        return true;
    if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS)
        return false;
    pthread_once(&once, read_settings);
    if (wrong) {
        *error = MPI_ERR_ARG;
        PMPI_Comm_call_errhandler(comm, MPI_ERR_ARG);
        return true;
    }
    if (inter || !chosen[kind]) {
        count(inter ? &between[kind] : &left_out[kind]);
        return false;
    }
    count(&taken[kind]);
    if (form == FORM_REQUEST)
        interpose_need_progress();
    return true;
}

/* ---- summary ---- */

/* "3 allgather, 4 allgatherv": returns how many in all. */
static long long list(atomic_llong counters[], char *text, size_t size)
{
    long long sum = 0;
    size_t n = 0;

    text[0] = '\0';
    for (int k = 0; k < KINDS; k++) {
        long long c = atomic_load(&counters[k]);
        if (c > 0 && n < size)
            n += (size_t)snprintf(text + n, size - n, "%s%lld %s", sum ? ", " : "", c, names[k]);
        sum += c;
    }
    return sum;
}

static void summary(void)
{
    const char *verbose = getenv("TUTTI_VERBOSE");
    char over[256], setting[256], inter[256], text[1024];
    int n;

    if (!verbose || !*verbose || strcmp(verbose, "0") == 0)
        return;
    n = snprintf(text, sizeof text, "calls of rank 0 taken over: %s",
                 list(taken, over, sizeof over) ? over : "none");
    if (list(left_out, setting, sizeof setting))
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "; left to MPI because of TUTTI_INTERPOSE: %s", setting);
    if (list(between, inter, sizeof inter))
        snprintf(text + n, sizeof text - (size_t)n,
                 "; left to MPI because of an intercommunicator: %s", inter);
    say(text);
}

int MPI_Finalize(void)
{
    int initialized = 0, finalized = 0;

    PMPI_Initialized(&initialized);
    PMPI_Finalized(&finalized);
    if (initialized && !finalized) {
        summary();
        handles_end();
    }
    return PMPI_Finalize();
}
