/* SPDX-License-Identifier: BSD-3-Clause */
/* report_html.c - collects what a page shows, and writes it at the end: see report.h. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "report_html.h"

#include "nbc/process/whole_file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- collect ---- */

static char *topology(void)
{
    size_t length = 0;
    char *text;

    if (tutti_comm_topology(MPI_COMM_WORLD, NULL, 0, &length))
        return NULL;
    text = calloc(length + 1, 1);
    if (text)
        tutti_comm_topology(MPI_COMM_WORLD, text, length + 1, NULL);
    return text;
}

/* Room for one more of n; NULL: lost. */
static void *grow(html_report *h, void **list, int n, size_t size)
{
    bool full = (n & (n - 1)) == 0; /* powers of two */
    void *larger = full ? realloc(*list, size * (n ? 2 * (size_t)n : 1)) : *list;

    if (!larger) {
        h->lost = true;
        return NULL;
    }
    *list = larger;
    return (char *)larger + size * (size_t)n;
}

static void copy_text(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from);
}

static void copy_times(html_entry *e, const result *r)
{
    e->n = r->n;
    e->median = 1e6 * r->total.median;
    e->low = 1e6 * r->total.low;
    e->high = 1e6 * r->total.high;
    e->average = 1e6 * r->average[PURE];
    e->least = 1e6 * r->least;
    e->most = 1e6 * r->most;
    e->overall = 1e6 * r->middle[OVERALL];
    e->compute = 1e6 * r->middle[COMPUTE];
    e->test = 1e6 * r->middle[TEST];
    e->overlap = r->overlap;
}

/* Both took turns: the k-th times of both were taken one after the other. */
static summary beside(const result *r, const result *native)
{
    int n = r->n < native->n ? r->n : native->n;
    double *ratios = n > 0 ? malloc((size_t)n * sizeof *ratios) : NULL;
    summary s = {0};

    if (!ratios)
        return s;
    for (int k = 0; k < n; k++) {
        double a = r->times[PURE][k], b = native->times[PURE][k];
        ratios[k] = (a > 1e-9 ? a : 1e-9) / (b > 1e-9 ? b : 1e-9);
    }
    s = summarize(ratios, n);
    free(ratios);
    return s;
}

static bool is_native(const result *r)
{
    return r->applicable && strncmp(r->who->name, "native", 6) == 0;
}

void html_rows(html_report *h, const result *r, int n)
{
    const result *native = NULL;

    for (int i = n - 1; i >= 0; i--)
        if (is_native(&r[i]) && strcmp(h->o->command, "guidelines") != 0)
            native = &r[i];
    if (native)
        copy_text(h->native, sizeof h->native, native->who->name);
    for (int i = 0; i < n; i++) {
        html_entry *e = grow(h, (void **)&h->entries, h->n, sizeof *e);
        if (!e)
            return;
        h->n++;
        *e = (html_entry){.applicable = r[i].applicable, .size = r[i].size};
        copy_text(e->name, sizeof e->name, r[i].who->name);
        if (!e->applicable)
            continue;
        copy_text(e->took, sizeof e->took, r[i].took);
        copy_times(e, &r[i]);
        e->verified = r[i].verified;
        e->wrong = r[i].wrong;
        if (native && native != &r[i])
            e->beside = beside(&r[i], native);
    }
}

void html_verdict(html_report *h, const verdict *v)
{
    html_verdict_copy *c = grow(h, (void **)&h->verdicts, h->nverdicts, sizeof *c);

    if (!c)
        return;
    h->nverdicts++;
    *c = (html_verdict_copy){.measured = v->measured,
                             .violated = v->violated,
                             .size = v->size,
                             .wrong = v->wrong,
                             .left_us = 1e6 * v->left,
                             .right_us = 1e6 * v->right,
                             .ratio = v->ratio};
    copy_text(c->collective, sizeof c->collective, coll_kind_name(v->of->what));
    copy_text(c->calls, sizeof c->calls, v->of->calls);
    copy_text(c->left, sizeof c->left, v->claim->text[0]);
    copy_text(c->right, sizeof c->right, v->claim->text[1]);
}

/* ---- the file ---- */

/* For what is no regular file. It is not opened if it exists: a pipe's reader would see its end. */
static bool possible_in_place(const char *name)
{
    char target[PATH_MAX];
    struct stat s;
    FILE *out;

    if (stat(name, &s) == 0 && S_ISDIR(s.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (access(name, W_OK) == 0)
        return true;
    if (errno != ENOENT)
        return false;
    out = in_place_open(name); /* a link to nothing: the file is made */
    if (!out)
        return false;
    fclose(out);
    if (realpath(name, target))
        unlink(target);
    return true;
}

bool file_possible(const char *name)
{
    char made[PATH_MAX + WHOLE_FILE_SUFFIX];
    FILE *out;

    if (in_place_wanted(name))
        return possible_in_place(name);
    out = whole_file_beside(name, made, sizeof made);
    if (!out)
        return false;
    fclose(out);
    unlink(made);
    return true;
}

static bool write_file(const char *file, const html_report *h)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out;
    bool ok;

    if (strcmp(file, "-") == 0) {
        html_page(stdout, h);
        return true; /* main looks at stdout */
    }
    out = open_memstream(&text, &size);
    if (!out)
        return false;
    html_page(out, h);
    ok = fclose(out) == 0 && whole_file_write(file, text, size);
    free(text);
    return ok;
}

/* ---- begin and end ---- */

html_report *html_open(const options *o, int argc, char **argv)
{
    int rank;
    char *where = topology();
    time_t now = time(NULL);
    html_report *h;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    h = rank == 0 && (strcmp(o->html, "-") == 0 || file_possible(o->html)) ? calloc(1, sizeof *h)
                                                                           : NULL;
    if (!h) {
        free(where);
        return NULL;
    }
    h->o = o;
    h->argc = argc;
    h->argv = argv;
    h->topology = where;
    MPI_Comm_size(MPI_COMM_WORLD, &h->ranks);
    machine_look(&h->m);
    strftime(h->date, sizeof h->date, "%Y-%m-%d %H:%M:%S UTC", gmtime(&now));
    return h;
}

bool html_close(html_report *h, const char *file)
{
    bool ok = !h->lost && write_file(file, h);

    free(h->topology);
    free(h->entries);
    free(h->verdicts);
    free(h);
    return ok;
}
