/* SPDX-License-Identifier: BSD-3-Clause */
/* info_json.c - see info.h. The keys are documented in docs/man/tutti-info.h2m. */
#include "algos/algo.h"
#include "info.h"
#include "words.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

/* ---- algorithms ---- */

static json_t *serves(const algo *a)
{
    json_t *list = json_array();

    for (int k = 0; k < COLL_KINDS; k++)
        if (algo_serves(a, (coll_kind)k))
            json_array_append_new(list, json_string(coll_kind_name((coll_kind)k)));
    return list;
}

static json_t *words(const algo *a)
{
    json_t *list = json_array();

    for (int i = 0; words_of(a, i); i++)
        json_array_append_new(list, json_string(words_of(a, i)));
    return list;
}

static json_t *parameter(const algo *a)
{
    if (!a->parameter.name)
        return json_null();
    return json_pack("{s:s,s:i,s:i}", "name", a->parameter.name, "least", a->parameter.least,
                     "usual", a->parameter.usual);
}

static json_t *algorithms(void)
{
    json_t *list = json_array();

    for (int i = 0; i < algo_count; i++) {
        const algo *a = algo_table[i];
        json_array_append_new(
            list, json_pack("{s:s,s:s,s:o,s:s,s:s,s:s,s:s,s:s,s:o,s:o}", "collective",
                            coll_kind_name(a->kind), "name", a->name, "serves", serves(a),
                            "summary", a->summary, "steps", a->steps, "sent", a->volume, "ranks",
                            a->restriction ? a->restriction : "any", "source", a->source, "words",
                            words(a), "parameter", parameter(a)));
    }
    return list;
}

/* ---- what the library says ---- */

static json_t *library(void)
{
    int major, minor, patch, length;
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING], version[64];

    tutti_version(&major, &minor, &patch);
    snprintf(version, sizeof version, "%d.%d.%d", major, minor, patch);
    MPI_Get_library_version(mpi, &length);
    mpi[strcspn(mpi, "\n")] = '\0';
    return json_pack("{s:s,s:s}", "version", version, "mpi", mpi);
}

static json_t *progress(void)
{
    const char *driver = "", *reason = "";

    tutti_progress_driver(&driver, &reason);
    return json_pack("{s:s,s:s}", "driver", driver, "reason", reason);
}

static json_t *node(void)
{
    const char *reason = "";
    int processes = 0;

    tutti_shared_memory(&processes, &reason);
    return json_pack("{s:i,s:s}", "processes", processes, "reason", reason);
}

static json_t *wisdom(void)
{
    const char *source = "";
    size_t verdicts = 0;

    tutti_wisdom(&verdicts, &source);
    return json_pack("{s:I,s:s}", "verdicts", (json_int_t)verdicts, "source", source);
}

/* Lines of name, number, unit. */
static json_t *values_of(char *text)
{
    json_t *values = json_object();
    char name[64], unit[32];
    double value;

    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (*line != '#' && sscanf(line, "%63s %lf %31s", name, &value, unit) == 3)
            json_object_set_new(values, name, json_pack("{s:f,s:s}", "value", value, "unit", unit));
    return values;
}

static json_t *constants_here(void)
{
    const char *source = "";
    size_t length = 0;
    char *text;
    json_t *result;

    tutti_constants(&source, NULL, 0, &length);
    text = calloc(1, length + 1);
    if (!text)
        return NULL;
    tutti_constants(&source, text, length + 1, NULL);
    result = json_pack("{s:s,s:o}", "source", source, "values", values_of(text));
    free(text);
    return result;
}

/* ---- settings ---- */

static json_t *setting_as_json(const setting *s, const char *name)
{
    char where[120];
    bool set;
    const char *value = info_in_force(s, name, &set);

    setting_print_where(s, where, sizeof where);
    return json_pack("{s:s,s:s,s:s,s:s,s:s,s:b,s:s}", "name", name, "where", where, "values",
                     s->values, "default", s->usual, "value", value, "set", (int)set, "meaning",
                     s->meaning);
}

static json_t *settings(void)
{
    json_t *list = json_array();
    char name[SETTING_NAME];
    const setting *s;

    for (int i = 0; (s = setting_variable(i, name)); i++)
        json_array_append_new(list, setting_as_json(s, name));
    for (int i = 0; i < setting_count; i++)
        if (!(setting_table[i].where & SETTING_VARIABLE))
            json_array_append_new(list, setting_as_json(&setting_table[i], setting_table[i].name));
    return list;
}

/* ---- where the ranks are ---- */

static json_t *level(const char *name, int *regions, int p)
{
    json_t *list = json_array();

    if (tutti_comm_regions(MPI_COMM_WORLD, name, regions, NULL) != MPI_SUCCESS)
        return list;
    for (int r = 0; r < p; r++)
        json_array_append_new(list, json_integer(regions[r]));
    return list;
}

static json_t *topology(void)
{
    static const char *const levels[] = {"switch", "node", "package", "numa", "l3", "core"};
    json_t *result = json_object();
    int p, *regions;

    MPI_Comm_size(MPI_COMM_WORLD, &p);
    regions = malloc((size_t)p * sizeof *regions);
    for (size_t i = 0; regions && i < sizeof levels / sizeof *levels; i++)
        json_object_set_new(result, levels[i], level(levels[i], regions, p));
    json_object_set_new(result, "ranks", json_integer(p));
    free(regions);
    return result;
}

/* ---- */

static bool print(json_t *object)
{
    bool done = object && json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) == 0;

    if (done)
        putchar('\n');
    else if (!object)
        fprintf(stderr, "tutti-info: --json: out of memory, or a text that is not UTF-8\n");
    json_decref(object);
    return done;
}

bool info_print_json_algorithms(void)
{
    return print(json_pack("{s:o}", "algorithms", algorithms()));
}

bool info_print_json(void)
{
    json_t *regions = topology();
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0) {
        json_decref(regions);
        return true;
    }
    return print(json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "library", library(), "progress",
                           progress(), "node", node(), "constants", constants_here(), "wisdom",
                           wisdom(), "topology", regions, "settings", settings(), "algorithms",
                           algorithms()));
}
