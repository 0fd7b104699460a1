/* SPDX-License-Identifier: BSD-3-Clause */
/* calls_tutti.c - Tutti's algorithms: the rows of entries.def, each in its three forms. */
#include "arguments.h"

#include <stdio.h>
#include <string.h>

#define ENTRY(name, Name, algorithm)                                                               \
    static int block_##name##_##algorithm(run *r)                                                  \
    {                                                                                              \
        return call_##name(r, MPIX_##Name##_##algorithm);                                          \
    }                                                                                              \
    static int start_##name##_##algorithm(run *r)                                                  \
    {                                                                                              \
        return start_##name(r, MPIX_I##name##_##algorithm, &r->native);                            \
    }                                                                                              \
    static int open_##name##_##algorithm(run *r)                                                   \
    {                                                                                              \
        return init_##name(r, MPIX_##Name##_##algorithm##_init, MPI_INFO_NULL, &r->tutti);         \
    }
#include "entries.def"
#undef ENTRY

typedef struct row {
    coll_kind what;
    const char *name;
    int (*block)(run *r), (*start)(run *r), (*open)(run *r);
} row;

static const row table[] = {
#define ENTRY(name, Name, algorithm)                                                               \
    {COLL_##name, #algorithm, block_##name##_##algorithm, start_##name##_##algorithm,              \
     open_##name##_##algorithm},
#include "entries.def"
#undef ENTRY
};

static const row *find(coll_kind c, const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].what == c && strlen(table[i].name) == n &&
            strncmp(table[i].name, name, n) == 0)
            return &table[i];
    return NULL;
}

const char *calls_algorithm(coll_kind c, int i)
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

#define COLLECTIVE(name, Name, family, send, recv, traits, parameters, arguments, args)            \
    static int init_auto_##name(run *r, MPI_Info info)                                             \
    {                                                                                              \
        return init_##name(r, MPIX_##Name##_auto_init, info, &r->tutti);                           \
    }
#include "nbc/sched/collectives.def"
#undef COLLECTIVE

static int (*const init_auto[COLL_KINDS])(run *r, MPI_Info info) = {
#define COLLECTIVE(name, Name, family, send, recv, traits, parameters, arguments, args)            \
    [COLL_##name] = init_auto_##name,
#include "nbc/sched/collectives.def"
#undef COLLECTIVE
};

static int set_hints(run *r, MPI_Info info)
{
    return tutti_comm_set_hints(r->comm, info);
}

static int open_words(run *r)
{
    return with_info(r, init_auto[r->what]);
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

/* ---- what ran ---- */

static void took_persistent(run *r, char *text, size_t size)
{
    tutti_stats s;

    if (tutti_get_stats(r->tutti, &s) == MPI_SUCCESS)
        snprintf(text, size, "%s", s.algorithm);
}

/* "... on 4 ranks: ring (why)" */
static void took_auto(run *r, char *text, size_t size)
{
    char call[64], line[400];
    const char *name;

    if (coll_shapes[r->what].recv == COLL_NONE)
        snprintf(call, sizeof call, "%s", coll_kind_name(r->what));
    else
        snprintf(call, sizeof call, "%s %d", coll_kind_name(r->what), r->size);
    if (tutti_comm_explain(r->comm, call, line, sizeof line) != MPI_SUCCESS ||
        !(name = strstr(line, ": ")))
        return;
    name += strlen(": ");
    snprintf(text, size, "%.*s", (int)strcspn(name, " "), name);
}

static void took_named(run *r, char *text, size_t size)
{
    snprintf(text, size, "%s", r->named);
}

bool calls_find_tutti(coll_kind c, const char *name, form f, way *result)
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
                        .close = close_persistent,
                        .took = took_persistent};
        return true;
    }
    *result = (way){.open = colon ? hint_words : NULL, .own_comm = colon != NULL};
    result->took = colon || strcmp(found->name, "auto") == 0 ? took_auto : took_named;
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
