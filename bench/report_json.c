/* SPDX-License-Identifier: BSD-3-Clause */
/* report_json.c - see report.h. */
#include "claims.h"
#include "nbc/process/whole_file.h"
#include "report.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct json_report {
    json_t *root, *results, *guidelines;
    bool overlap;
};

static void set(json_t *o, const char *key, const char *text)
{
    json_object_set_new(o, key, json_string(text ? text : ""));
}

/* Versions of what runs. */
static json_t *versions(void)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING], tutti[32];
    int length, major, minor, patch;
    const char *driver = "", *reason = "";
    json_t *o = json_object();

    tutti_version(&major, &minor, &patch);
    snprintf(tutti, sizeof tutti, "%d.%d.%d", major, minor, patch);
    set(o, "tutti", tutti);
    MPI_Get_version(&major, &minor);
    snprintf(tutti, sizeof tutti, "%d.%d", major, minor);
    set(o, "mpi_standard", tutti);
    MPI_Get_library_version(library, &length);
    set(o, "mpi_library", library);
    tutti_progress_driver(&driver, &reason);
    set(o, "driver", driver);
    set(o, "compiler", __VERSION__);
    return o;
}

static json_t *machine_facts(void)
{
    machine m;

    machine_look(&m);
    return json_pack("{s:s, s:s, s:s, s:s, s:i}", "mpi", m.mpi, "host", m.host, "processor",
                     m.processor, "system", m.system, "processors", m.processors);
}

/* One line of text for each region. */
static json_t *topology(void)
{
    size_t length = 0;
    char *text, *line, *next;
    json_t *lines = json_array();

    if (tutti_comm_topology(MPI_COMM_WORLD, NULL, 0, &length))
        return lines;
    text = calloc(length + 1, 1);
    tutti_comm_topology(MPI_COMM_WORLD, text, length + 1, NULL);
    for (line = text; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        json_array_append_new(lines, json_string(line));
    }
    free(text);
    return lines;
}

static json_t *settings(const options *o)
{
    static const char *const overlaps[] = {"none", "osu", "imb"};
    json_t *j =
        json_pack("{s:I, s:I, s:I, s:i, s:i, s:i, s:i, s:s, s:f, s:s, s:i, s:b}", "min",
                  (json_int_t)o->min, "max", (json_int_t)o->max, "factor", (json_int_t)o->factor,
                  "iterations", o->iterations, "warmup", o->warmup, "batch", o->batch, "seed",
                  o->seed, "sync", sync_names[o->sync], "seconds", o->seconds, "overlap",
                  overlaps[o->overlap], "progress_calls", o->calls, "verify", o->verify);

    if (coll_has(o->what, COLL_ROOTED))
        json_object_set_new(j, "root", json_integer(o->root));
    return j;
}

static void date(json_t *o)
{
    char text[32];
    time_t now = time(NULL);

    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    set(o, "date", text);
}

json_report *json_open(const options *o, int argc, char **argv)
{
    int rank, p;
    json_t *where = topology(), *command = json_array();
    json_report *j;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    if (rank != 0) {
        json_decref(where);
        json_decref(command);
        return NULL;
    }
    for (int i = 0; i < argc; i++)
        json_array_append_new(command, json_string(argv[i]));
    j = calloc(1, sizeof *j);
    j->root = json_object();
    j->results = json_array();
    j->overlap = o->overlap != OVERLAP_NONE;
    set(j->root, "command", o->command);
    set(j->root, "label", o->label);
    json_object_set_new(j->root, "arguments", command);
    date(j->root);
    json_object_set_new(j->root, "versions", versions());
    json_object_set_new(j->root, "machine", machine_facts());
    json_object_set_new(j->root, "ranks", json_integer(p));
    json_object_set_new(j->root, "topology", where);
    json_object_set_new(j->root, "options", settings(o));
    if (strcmp(o->command, "guidelines") == 0) {
        j->guidelines = json_array();
        json_object_set_new(j->root, "tolerance", json_real(o->tolerance));
        json_object_set_new(j->root, "guidelines", j->guidelines);
    }
    json_object_set_new(j->root, "results", j->results);
    return j;
}

static json_t *phases(const result *r)
{
    json_t *all = json_object();

    for (int f = 0; f < PHASES; f++) {
        json_t *list = json_array();
        double sum = 0;
        for (int k = 0; k < r->n; k++) {
            json_array_append_new(list, json_real(r->times[f][k]));
            sum += r->times[f][k];
        }
        if (sum > 0)
            json_object_set_new(all, phase_names[f], list);
        else
            json_decref(list);
    }
    return all;
}

void json_rows(json_report *j, const result *r, int n)
{
    for (int i = 0; i < n; i++) {
        json_t *o = json_pack("{s:I, s:s, s:b}", "size", (json_int_t)r[i].size, "algorithm",
                              r[i].who->name, "applicable", r[i].applicable);
        json_array_append_new(j->results, o);
        if (!r[i].applicable)
            continue;
        if (*r[i].took)
            set(o, "took", r[i].took);
        json_object_set_new(o, "median", json_real(r[i].total.median));
        json_object_set_new(o, "low", json_real(r[i].total.low));
        json_object_set_new(o, "high", json_real(r[i].total.high));
        json_object_set_new(o, "coverage", json_real(r[i].total.coverage));
        if (j->overlap)
            json_object_set_new(o, "overlap", json_real(r[i].overlap));
        json_object_set_new(o, "late", json_integer(r[i].late));
        json_object_set_new(o, "drift", json_real(r[i].drift));
        json_object_set_new(o, "seconds", phases(&r[i]));
        if (r[i].verified)
            json_object_set_new(o, "wrong", json_integer((json_int_t)r[i].wrong));
    }
}

void json_verdict(json_report *j, const verdict *v)
{
    const claim *c = v->claim;
    json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:b, s:b, s:I}", "rule",
                          rule_table[c->rule].name, "collective", coll_kind_name(v->of->what),
                          "calls", v->of->calls, "left", c->text[0], "right", c->text[1], "source",
                          c->source, "size", (json_int_t)v->size, "measured", v->measured,
                          "violated", v->violated, "wrong", (json_int_t)v->wrong);

    json_array_append_new(j->guidelines, o);
    if (!v->measured)
        return;
    json_object_set_new(o, "left_median", json_real(v->left));
    json_object_set_new(o, "right_median", json_real(v->right));
    json_object_set_new(o, "factor", json_real(v->ratio.median));
    json_object_set_new(o, "low", json_real(v->ratio.low));
    json_object_set_new(o, "high", json_real(v->ratio.high));
    json_object_set_new(o, "coverage", json_real(v->ratio.coverage));
}

/* Whether standard output could be written command_end says. */
static bool write_text(const char *file, char *text, size_t n)
{
    if (strcmp(file, "-") != 0)
        return whole_file_write(file, text, n);
    fwrite(text, 1, n, stdout);
    return true;
}

bool json_close(json_report *j, const char *file)
{
    char *text = json_dumps(j->root, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    size_t n = text ? strlen(text) : 0;
    bool ok = false;

    if (text) {
        text[n] = '\n'; /* in place of the final 0 */
        ok = write_text(file, text, n + 1);
    }
    free(text);
    json_decref(j->root);
    free(j);
    return ok;
}
