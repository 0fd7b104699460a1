/* SPDX-License-Identifier: BSD-3-Clause */
/* library.c - the calls that are about the library itself. */
#define _XOPEN_SOURCE 700 /* open_memstream */
#include "nbc/comm/channel.h"
#include "nbc/comm/meet.h"
#include "nbc/library.h"
#include "nbc/node/segment.h"
#include "nbc/process/env.h"
#include "nbc/process/machine.h"
#include "nbc/process/mpi_calls.h"
#include "nbc/process/process.h"
#include "nbc/process/reason.h"
#include "nbc/run/engine.h"
#include "nbc/stats/gather.h"
#include "topo/pu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

/* Operations advance until all have come: others may wait for them before they do. */
static int make_channel(void)
{
    comm *world;
    hello mine = {.context_id = -1,
                  .error = env_error(),
                  .counts_stats = stats_on,
                  .reproducible = env_reproducible()};
    handshake h = {0};
    int error = comm_get(MPI_COMM_WORLD, &world);

    if (!error && world->p > 1 && channel_comm() == MPI_COMM_NULL) {
        PMPI_Comm_rank(MPI_COMM_WORLD, &mine.world);
        error = comm_start(world, &mine, &h);
        if (!error) {
            comm_explain_error(&h);
            stats_agreed(handshake_other_stats(&h));
            env_reproducible_agree(handshake_other_reproducible(&h));
        }
        handshake_close(&h);
    }
    if (!error && world->p > 1)
        error = channel_make_early();
    return error;
}

/* A wrong setting here must not leave the other processes alone. */
int tutti_init(void)
{
    int error = library_enter(), made;

    if (process_self() == MPI_COMM_NULL) /* MPI does not run */
        return error;
    made = make_channel();
    if (!error)
        error = made ? made : env_error();
    if (error && !made)
        reason_printed(error);
    return error ? comm_raise("tutti_init", NULL, error) : MPI_SUCCESS;
}

static int progress_engine(void)
{
    engine_progress(NULL);
    return MPI_SUCCESS;
}

int tutti_progress(void)
{
    return stats_on && engine_busy() ? STATS_COUNTED(progress_engine()) : progress_engine();
}

/* MPI_ERR_OTHER is not raised: MPI does not run, there is no handler. */
static int enter_library(const char *call)
{
    int error = library_enter();

    if (!error && env_error()) {
        error = reason_printed(env_error());
        reason_wait(); /* most often rank 0 has said it */
        env_explain();
    }
    return error && error != MPI_ERR_OTHER ? comm_raise(call, NULL, error) : error;
}

/* The value of a key of ours; empty: it is not there. */
static int value_of_key(MPI_Info info, const char *key, char text[MPI_MAX_INFO_VAL + 1])
{
    int flag = 0;

    text[0] = '\0';
    if (info == MPI_INFO_NULL)
        return MPI_SUCCESS;
    if (mpi_info_get(info, key, text, &flag) != MPI_SUCCESS)
        return MPI_ERR_INFO;
    return MPI_SUCCESS;
}

/* The unit that info asks for. */
static int unit_from(MPI_Info info, int *pu)
{
    char text[MPI_MAX_INFO_VAL + 1], *end;
    int error = value_of_key(info, "tutti_cpu", text);
    long number;

    *pu = PU_DEFAULT;
    if (error || !*text)
        return error;
    if (strcmp(text, "none") == 0) {
        *pu = PU_NONE;
        return MPI_SUCCESS;
    }
    number = strtol(text, &end, 10);
    if (end == text || *end != '\0' || number < 0 || number > 1000000)
        return reason_set(MPI_ERR_INFO_VALUE,
                          "tutti_cpu=%s: must be the number of a processing unit, or none", text);
    *pu = (int)number;
    return MPI_SUCCESS;
}

static int when_from(MPI_Info info, bool *when_needed)
{
    char text[MPI_MAX_INFO_VAL + 1];
    int error = value_of_key(info, "tutti_when", text);

    *when_needed = strcmp(text, "needed") == 0;
    if (!error && *text && !*when_needed && strcmp(text, "now") != 0)
        error = reason_set(MPI_ERR_INFO_VALUE, "tutti_when=%s: must be now or needed", text);
    return error;
}

static int ops_from(MPI_Info info, bool *runs_ops)
{
    char text[MPI_MAX_INFO_VAL + 1];
    int error = value_of_key(info, "tutti_ops", text);

    *runs_ops = strcmp(text, "true") == 0;
    if (!error && *text && !*runs_ops && strcmp(text, "false") != 0)
        error = reason_set(MPI_ERR_INFO_VALUE, "tutti_ops=%s: must be true or false", text);
    return error;
}

int tutti_progress_thread_start(MPI_Info info)
{
    static const char starting[] = "tutti_progress_thread_start";
    bool when_needed, runs_ops;
    int pu, error = enter_library(starting);

    if (error)
        return error;
    error = unit_from(info, &pu);
    if (!error)
        error = when_from(info, &when_needed);
    if (!error)
        error = ops_from(info, &runs_ops);
    if (!error)
        error = driver_thread_start(pu, when_needed, runs_ops);
    return error ? comm_raise(starting, NULL, error) : MPI_SUCCESS;
}

int tutti_progress_thread_stop(void)
{
    static const char stopping[] = "tutti_progress_thread_stop";
    int error = enter_library(stopping);

    if (error)
        return error;
    error = driver_thread_stop();
    return error ? comm_raise(stopping, NULL, error) : MPI_SUCCESS;
}

void tutti_version(int *major, int *minor, int *patch)
{
    if (major)
        *major = TUTTI_VERSION_MAJOR;
    if (minor)
        *minor = TUTTI_VERSION_MINOR;
    if (patch)
        *patch = TUTTI_VERSION_PATCH;
}

static int raise_null(const char *call, const char *parameter)
{
    return comm_raise(call, NULL, reason_set(MPI_ERR_ARG, "%s is NULL", parameter));
}

int tutti_shared_memory(int *processes, const char **reason)
{
    const char *absent;
    int error = library_enter();

    if (!error && (!processes || !reason))
        error = raise_null("tutti_shared_memory", processes ? "reason" : "processes");
    if (error)
        return error;
    absent = segment_absent();
    *processes = segment_processes();
    *reason = absent ? absent : "";
    return MPI_SUCCESS;
}

int tutti_progress_driver(const char **name, const char **reason)
{
    int error = library_enter();

    if (!error && (!name || !reason))
        error = raise_null("tutti_progress_driver", name ? "reason" : "name");
    if (error)
        return error;
    *name = library_driver()->name;
    *reason = library_driver_reason();
    return MPI_SUCCESS;
}

/* The caller frees it. NULL: out of memory. */
static char *print_constants(size_t *n)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, n);
    bool printed;

    if (!out)
        return NULL;
    constants_print(out, machine_constants(), "", NULL);
    printed = !ferror(out);
    if (fclose(out) == 0 && printed)
        return text;
    free(text);
    return NULL;
}

int tutti_constants(const char **source, char *text, size_t size, size_t *length)
{
    static const char call[] = "tutti_constants";
    int error = enter_library(call);
    char *whole;
    size_t n;

    if (!error && (!source || (!text && size)))
        error = raise_null(call, source ? "text" : "source");
    if (error)
        return error;
    *source = machine_source();
    whole = print_constants(&n);
    if (!whole)
        return comm_raise(call, NULL, MPI_ERR_NO_MEM);
    if (size)
        snprintf(text, size, "%s", whole);
    if (length)
        *length = n;
    free(whole);
    return MPI_SUCCESS;
}
