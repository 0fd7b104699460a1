/* SPDX-License-Identifier: BSD-3-Clause */
/* env.c - read the environment. */
#include "nbc/process/env.h"

#include "nbc/process/machine.h"
#include "nbc/process/process_wisdom.h"
#include "nbc/process/settings.h"
#include "nbc/process/trace.h"
#include "tune/number.h"
#include "tune/reproducible.h"
#include "tune/word.h"

#include <mpi.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

enum { TEXT = 1200 };

env_values env_given = {.trace_events = TRACE_EVENTS, .node_wire = NODE_WIRE_ON};
static const char *interpose, *algorithms[COLL_KINDS];
static bool world_differs; /* in TUTTI_REPRODUCIBLE */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char unexplained[2 * TEXT]; /* lines of env_refuse, for env_explain. Mutex */
static char wrong_machine[TEXT];   /* the same of TUTTI_CONSTANTS. Mutex */
static atomic_int failure;         /* the interposition may refuse later, too */

/* One line, for one call of stdio, so that the lines of several ranks do not mix. rank: -1: it is
 * not said. */
static void format_line(char text[TEXT], int rank, const char *format, va_list args)
{
    size_t n = (size_t)snprintf(text, TEXT, "tutti: ");

    if (rank >= 0)
        n += (size_t)snprintf(text + n, TEXT - n, "rank %d: ", rank);
    vsnprintf(text + n, TEXT - n - 1, format, args);
    strcat(text, "\n");
}

void env_say(const char *format, ...)
{
    char text[TEXT];
    va_list args;
    int rank = 0;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0)
        return;
    va_start(args, format);
    format_line(text, -1, format, args);
    va_end(args);
    fputs(text, stderr);
}

void env_say_here(const char *format, ...)
{
    char text[TEXT];
    va_list args;
    int rank = 0;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    va_start(args, format);
    format_line(text, rank, format, args);
    va_end(args);
    fputs(text, stderr);
}

/* Most often all ranks have the same variables. */
void env_refuse(const char *format, ...)
{
    char text[TEXT];
    va_list args;
    int rank = 0;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    va_start(args, format);
    format_line(text, rank, format, args);
    va_end(args);
    pthread_mutex_lock(&mutex);
    if (rank == 0)
        fputs(text, stderr);
    else
        strncat(unexplained, text, sizeof unexplained - strlen(unexplained) - 1);
    pthread_mutex_unlock(&mutex);
    failure = MPI_ERR_ARG;
}

static void say_kept(char *lines)
{
    pthread_mutex_lock(&mutex);
    fputs(lines, stderr);
    lines[0] = '\0';
    pthread_mutex_unlock(&mutex);
}

void env_explain(void)
{
    say_kept(unexplained);
}

void env_explain_machine(void)
{
    say_kept(wrong_machine);
}

static const char *nonempty(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

const char *env_algorithm(coll_kind kind)
{
    return algorithms[kind];
}

uint32_t env_asked(void)
{
    uint64_t hash = WISDOM_HASH;

    for (int kind = 0; kind < COLL_KINDS; kind++) {
        const char *text = algorithms[kind] ? algorithms[kind] : "auto";
        hash = wisdom_hash(hash, text, strlen(text) + 1);
    }
    hash = wisdom_hash(hash, &env_given.measures, sizeof env_given.measures);
    if (interpose)
        hash = wisdom_hash(hash, interpose, strlen(interpose) + 1);
    return wisdom_digest(hash);
}

bool env_estimates(void)
{
    return interpose && strcmp(interpose, "estimate") == 0;
}

void env_reproducible_differs(int rank)
{
    static atomic_bool said;

    if (!atomic_exchange(&said, true))
        env_say_here("ranks 0 and %d of a communicator have different TUTTI_REPRODUCIBLE; it is "
                     "ignored on that communicator",
                     rank);
}

void env_reproducible_agree(int else_rank)
{
    int rank = 0;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    world_differs = else_rank != 0;
    if (world_differs && rank == 0)
        env_reproducible_differs(else_rank);
}

bool env_reproducible_in_world(void)
{
    return env_given.reproducible && !world_differs;
}

/* Warn of a variable that looks like ours and is not. */
static void check_name(const char *name)
{
    word_guess g = {.wrong = name};
    char known[SETTING_NAME];

    for (int i = 0; setting_variable(i, known); i++)
        word_try(&g, known);
    if (g.distance > 0)
        env_say("unknown variable %s is ignored; did you mean %s?", name, g.nearest);
}

static void check_names(void)
{
    for (char **e = environ; *e; e++) {
        char name[SETTING_NAME];
        size_t n = strcspn(*e, "=");

        if (strncmp(*e, "TUTTI_", 6) != 0 || n >= sizeof name)
            continue;
        memcpy(name, *e, n);
        name[n] = '\0';
        check_name(name);
    }
}

int env_error(void)
{
    return failure;
}

/* Which of the words it is; `usual` if it is not set, or none of them, which is refused. */
static int read_choice(const char *name, const char *const words[], int usual, const char *valid)
{
    const char *value = nonempty(name);

    for (int i = 0; value && words[i]; i++)
        if (strcmp(value, words[i]) == 0)
            return i;
    if (value)
        env_refuse("%s=%s: must be %s", name, value, valid);
    return usual;
}

static double read_number_variable(const char *name, double least, double most, double usual,
                                   const char *valid)
{
    const char *value = nonempty(name);
    double number;

    if (!value)
        return usual;
    if (number_read(value, &number) && number >= least && number <= most)
        return number;
    env_refuse("%s=%s: must be a number %s", name, value, valid);
    return usual;
}

/* "summary", "json:FILE": n characters. */
static bool read_stats_word(const char *word, size_t n, stats_wish *wish)
{
    static const char *const names[] = {[STATS_TABLE] = "summary", [STATS_JSON] = "json"};

    for (int k = 0; k < STATS_KINDS; k++) {
        size_t length = strlen(names[k]);
        if (n < length || memcmp(word, names[k], length) != 0 || wish->job[k].wanted)
            continue;
        if (n > length && (word[length] != ':' || n == length + 1 || n - length > STATS_FILE))
            continue;
        wish->job[k].wanted = true;
        if (n > length)
            memcpy(wish->job[k].file, word + length + 1, n - length - 1);
        return true;
    }
    return false;
}

/* NULL: not set. False: a wrong value, then nothing is asked for. */
static bool read_stats_wish(const char *value, stats_wish *wish)
{
    *wish = (stats_wish){.times = value && strcmp(value, "0") != 0};
    if (!wish->times || strcmp(value, "1") == 0)
        return true;
    for (const char *at = value;; at++) {
        size_t n = strcspn(at, ",");
        if (!read_stats_word(at, n, wish)) {
            *wish = (stats_wish){0};
            return false;
        }
        at += n;
        if (!*at)
            return true;
    }
}

static void read_stats(void)
{
    const char *value = nonempty("TUTTI_STATS");

    if (!read_stats_wish(value, &env_given.stats))
        env_refuse("TUTTI_STATS=%s: must be 0, 1, or one or both of summary and json, each with "
                   ":FILE or without, as in summary,json:stats.json",
                   value);
}

static void read_reproducible_variable(void)
{
    const char *value = nonempty("TUTTI_REPRODUCIBLE");

    if (value && !reproducible_read(value, &env_given.reproducible))
        env_refuse("TUTTI_REPRODUCIBLE=%s: must be topology or off", value);
}

void env_end(void)
{
    char why[1500];

    process_wisdom_save(nonempty("TUTTI_WISDOM"), why, sizeof why);
    if (*why)
        env_say_here("%s", why);
}

/* What choices go by. */
static int read_planner(void)
{
    char why[TEXT - 100];
    int error, rank = 0;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!machine_read(nonempty("TUTTI_CONSTANTS"), why, sizeof why))
        snprintf(wrong_machine, TEXT, "tutti: rank %d: %s\n", rank, why);
    if (rank == 0)
        env_explain_machine();
    error = process_wisdom_read(nonempty("TUTTI_WISDOM"), env_given.measures, why, sizeof why);
    if (*why) /* most often all ranks read the same file */
        env_say("%s; it is not used", why);
    if (env_given.verbose && !error) {
        env_say("constants: %s", machine_source());
        env_say("wisdom: %s", process_wisdom_source());
    }
    return error;
}

int env_read(void)
{
    static const char *const wires[] = {
        [NODE_WIRE_OFF] = "off", [NODE_WIRE_COPY] = "copy", [NODE_WIRE_ON] = "on", NULL};

    check_names();
    env_given.progress = nonempty("TUTTI_PROGRESS");
    env_given.regions = nonempty("TUTTI_REGIONS");
    env_given.switches = nonempty("TUTTI_SWITCHES");
    interpose = nonempty("TUTTI_INTERPOSE");
    for (int kind = 0; kind < COLL_KINDS; kind++) {
        char name[SETTING_NAME];
        setting_name_for("TUTTI_ALGORITHM_*", kind, name);
        algorithms[kind] = nonempty(name);
    }
    env_given.verbose =
        read_choice("TUTTI_VERBOSE", (const char *const[]){"0", "1", NULL}, false, "0 or 1");
    env_given.timeout =
        read_number_variable("TUTTI_TIMEOUT", 0, 1e9, 0, "of seconds, such as 10 or 0.5");
    env_given.node_wire =
        (node_wire)read_choice("TUTTI_NODE_WIRE", wires, NODE_WIRE_ON, "on, copy or off");
    env_given.trace = nonempty("TUTTI_TRACE");
    env_given.trace_events =
        read_number_variable("TUTTI_TRACE_EVENTS", 1, 1e8, TRACE_EVENTS, "from 1 to 100000000");
    env_given.measures =
        read_choice("TUTTI_PLAN", (const char *const[]){"estimate", "measure", NULL}, false,
                    "estimate or measure");
    read_stats();
    read_reproducible_variable();
    return read_planner();
}
