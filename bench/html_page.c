/* SPDX-License-Identifier: BSD-3-Clause */
/* html_page.c - the page of --html: plots and tables of what report_html.c has collected. */
#include "report_html.h"
#include "svg.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = MAX_VARIANTS, PANELS = 4 };

/* The entries as a table: columns by name, rows by size, in the order they came. */
typedef struct grid {
    const html_report *h;
    const html_entry *first[COLUMNS]; /* of each name */
    int columns, rows;
    int64_t sizes[128];
} grid;

static grid grid_of(const html_report *h)
{
    grid g = {.h = h};

    for (int i = 0; i < h->n; i++) {
        const html_entry *e = &h->entries[i];
        int c = 0, r = 0;
        while (c < g.columns && strcmp(g.first[c]->name, e->name) != 0)
            c++;
        while (r < g.rows && g.sizes[r] != e->size)
            r++;
        if (c == g.columns && c < COLUMNS)
            g.first[g.columns++] = e;
        if (r == g.rows && r < 128)
            g.sizes[g.rows++] = e->size;
    }
    return g;
}

static const html_entry *cell_of(const grid *g, int row, int column)
{
    for (int i = 0; i < g->h->n; i++)
        if (g->h->entries[i].size == g->sizes[row] &&
            strcmp(g->h->entries[i].name, g->first[column]->name) == 0)
            return &g->h->entries[i];
    return NULL;
}

static bool has_sizes(const grid *g)
{
    for (int i = 0; i < g->rows; i++)
        if (g->sizes[i] > 0)
            return true;
    return false;
}

static bool is_imb(const html_report *h)
{
    return h->o->overlap == OVERLAP_IMB;
}

/* ---- plots over size ---- */

static double above_zero(double us)
{
    return us > 1e-3 ? us : 1e-3; /* a nanosecond: logarithms want more than 0 */
}

static void fill_series(const grid *g, int column, bool overlap, svg_series *s)
{
    s->name = g->first[column]->name;
    s->reference = strcmp(s->name, g->h->native) == 0;
    for (int r = 0; s->at && r < g->rows; r++) {
        const html_entry *e = cell_of(g, r, column);
        if (!e || !e->applicable || e->size <= 0)
            continue;
        s->at[s->n++] = overlap ? (svg_point){e->size, e->overlap, e->overlap, e->overlap}
                                : (svg_point){e->size, above_zero(e->median), above_zero(e->low),
                                              above_zero(e->high)};
    }
}

static void plot(FILE *out, const grid *g, bool overlap)
{
    svg_series s[COLUMNS] = {0};
    svg_lines l = {.title = overlap ? "Overlap over size" : "Time over size",
                   .x = "bytes of a block, or of the vector",
                   .y = overlap ? "overlap, %" : "time of the slowest rank, us",
                   .unit = overlap ? "%" : "us",
                   .linear = overlap,
                   .series = s,
                   .n = g->columns};

    for (int c = 0; c < g->columns; c++) {
        s[c].at = calloc((size_t)g->rows, sizeof *s[c].at);
        fill_series(g, c, overlap, &s[c]);
    }
    fputs("<figure style=\"margin:0\">", out);
    svg_plot(out, &l);
    svg_legend(out, s, g->columns);
    fputs("</figure>\n", out);
    for (int c = 0; c < g->columns; c++)
        free(s[c].at);
}

/* ---- tables by size ---- */

typedef enum shown { TIME, OVERLAPPED, BESIDE } shown;

static bool is_shown(const grid *g, int column, shown what)
{
    return what != BESIDE || strcmp(g->first[column]->name, g->h->native) != 0;
}

static void cell(FILE *out, const html_entry *e, shown what, double best)
{
    if (!e || !e->applicable || (what == BESIDE && e->beside.n == 0)) {
        fputs("<td>-</td>", out);
        return;
    }
    if (what == OVERLAPPED)
        fprintf(out, "<td>%.1f</td>", e->overlap);
    else if (what == TIME)
        fprintf(out, "<td%s>%.2f<span class=ci>[%.2f, %.2f]</span></td>",
                e->median <= best ? " class=best" : "", e->median, e->low, e->high);
    else
        fprintf(out, "<td>%.2f<span class=ci>[%.2f, %.2f]</span></td>", e->beside.median,
                e->beside.low, e->beside.high);
}

static double best_of(const grid *g, int row)
{
    double best = INFINITY;

    for (int c = 0; c < g->columns; c++) {
        const html_entry *e = cell_of(g, row, c);
        if (e && e->applicable)
            best = fmin(best, e->median);
    }
    return g->columns > 1 ? best : -1;
}

static void table(FILE *out, const grid *g, const char *id, shown what)
{
    fprintf(out, "<div class=scroll><table id=%s><thead><tr><th>Size</th>", id);
    for (int c = 0; c < g->columns; c++)
        if (is_shown(g, c, what)) {
            fputs("<th>", out);
            html_text(out, g->first[c]->name);
            fputs("</th>", out);
        }
    fputs("</tr></thead><tbody>\n", out);
    for (int r = 0; r < g->rows; r++) {
        fputs("<tr>", out);
        html_size(out, g->sizes[r]);
        for (int c = 0; c < g->columns; c++)
            if (is_shown(g, c, what))
                cell(out, cell_of(g, r, c), what, best_of(g, r));
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

/* ---- bars ---- */

static void bars_of_row(const grid *g, int row, svg_bar *b, int *n)
{
    char text[BYTES_TEXT];

    if (*n == HTML_BARS)
        return;
    b[*n].heading = true;
    snprintf(b[*n].name, sizeof b->name, "%s",
             g->sizes[row] > 0 ? bytes_text(text, g->sizes[row]) : "no data");
    (*n)++;
    for (int c = 0; c < g->columns && *n < HTML_BARS; c++) {
        const html_entry *e = cell_of(g, row, c);
        if (!e || e->beside.n == 0)
            continue;
        b[*n] = (svg_bar){.value = e->beside.median, .low = e->beside.low, .high = e->beside.high};
        snprintf(b[*n].name, sizeof b->name, "%s", e->name);
        (*n)++;
    }
}

static void beside_native(FILE *out, const grid *g)
{
    svg_bar *b = calloc(HTML_BARS, sizeof *b);
    int n = 0, last = -1;

    for (int i = 0; b && i < PANELS; i++) {
        int row = (g->rows - 1) * i / (PANELS - 1);
        if (row != last)
            bars_of_row(g, row, b, &n);
        last = row;
    }
    fputs("<section id=beside><h2>Time / time of ", out);
    html_text(out, g->h->native);
    fputs("</h2><p class=soft>Median of the ratio, repetition by repetition, with its 95&nbsp;% "
          "interval. <span class=\"key faster\"></span> faster than ",
          out);
    html_text(out, g->h->native);
    fputs(", <span class=\"key slower\"></span> slower, <span class=\"key even\"></span> 1 is in "
          "the interval. Bars: the smallest size, the largest, and two between.</p><figure "
          "style=\"margin:0\">\n",
          out);
    svg_bars(out, "Time beside the native call", b, n);
    fputs("</figure>\n", out);
    table(out, g, "ratios", BESIDE);
    fputs("</section>\n", out);
    free(b);
}

/* ---- everything ---- */

static void full_row(FILE *out, const html_report *h, const html_entry *e)
{
    bool overlap = h->o->overlap != OVERLAP_NONE;

    fputs("<tr>", out);
    html_size(out, e->size);
    fputs("<td class=t>", out);
    html_text(out, e->name);
    fputs("</td><td class=t>", out);
    html_text(out, e->took);
    fprintf(out, "</td><td>%d</td>", e->n);
    html_number(out, true, e->median);
    html_number(out, true, e->low);
    html_number(out, true, e->high);
    html_number(out, true, e->average);
    html_number(out, true, e->least);
    html_number(out, true, e->most);
    if (overlap) {
        html_number(out, true, e->overall);
        html_number(out, true, e->compute);
        html_number(out, true, e->test);
        html_number(out, true, e->overlap);
    }
    if (e->verified)
        fprintf(out, "<td%s>%" PRId64 "</td></tr>\n", e->wrong ? " class=bad" : "", e->wrong);
    else
        fputs("<td></td></tr>\n", out);
}

static void everything(FILE *out, const html_report *h)
{
    bool overlap = h->o->overlap != OVERLAP_NONE;

    fprintf(out,
            "<section id=everything><h2>All numbers</h2><p class=soft>Microseconds. Average, "
            "least, most: of ranks' averages.</p><details%s><summary>%d results</summary><div "
            "class=scroll><table id=all><thead><tr><th>Size</th><th class=t>Algorithm</th><th "
            "class=t>Took</th><th>Repetitions</th><th>Median</th><th>Low</th><th>High</th>"
            "<th>Average</th><th>Least</th><th>Most</th>%s<th>Wrong</th></tr></thead><tbody>\n",
            h->n <= 80 ? " open" : "", h->n,
            overlap ? "<th>Overall</th><th>Compute</th><th>Tests</th><th>Overlap, %</th>" : "");
    for (int i = 0; i < h->n; i++)
        if (h->entries[i].applicable)
            full_row(out, h, &h->entries[i]);
    fputs("</tbody></table></div></details></section>\n", out);
}

/* ---- the page ---- */

static void head(FILE *out, const html_report *h)
{
    fputs("<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8>\n"
          "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
          "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src "
          "'unsafe-inline'\">\n<title>",
          out);
    html_text(out, h->o->command);
    fprintf(out, ": ");
    html_text(out, h->m.mpi);
    fprintf(out, ", %d rank%s", h->ranks, h->ranks == 1 ? "" : "s");
    if (*h->m.host)
        fputs(", ", out);
    html_text(out, h->m.host);
    fputs("</title>\n<style>\n", out);
    for (int i = 0; html_style[i]; i++)
        fprintf(out, "%s\n", html_style[i]);
    fputs("</style></head><body><main>\n<h1>", out);
    html_text(out, h->o->command);
    fputs("</h1><p class=soft>", out);
    html_text(out, h->m.mpi);
    fprintf(out, ", %d rank%s", h->ranks, h->ranks == 1 ? "" : "s");
    if (*h->m.host)
        fputs(", host ", out);
    html_text(out, h->m.host);
    fprintf(out, ", %s</p>\n", h->date);
}

static void collective(FILE *out, const html_report *h)
{
    grid g = grid_of(h);

    fputs("<section id=time><h2>Time</h2><p class=soft>Microseconds of the slowest rank: median "
          "over the repetitions, with its 95&nbsp;% interval. All took turns in one run.</p>\n",
          out);
    if (has_sizes(&g))
        plot(out, &g, false);
    table(out, &g, "times", TIME);
    fputs("</section>\n", out);
    if (*h->native && g.columns > 1)
        beside_native(out, &g);
    if (h->o->overlap == OVERLAP_NONE)
        return;
    fprintf(out,
            "<section id=overlap><h2>Overlap</h2><p class=soft>Per cent of the time that hides "
            "under a computation as long as the operation, as %s defines it.</p>\n",
            is_imb(h) ? "IMB" : "OSU");
    if (has_sizes(&g))
        plot(out, &g, true);
    table(out, &g, "overlaps", OVERLAPPED);
    fputs("</section>\n", out);
}

void html_page(FILE *out, const html_report *h)
{
    head(out, h);
    if (strcmp(h->o->command, "guidelines") == 0)
        html_guidelines(out, h);
    else
        collective(out, h);
    everything(out, h);
    html_facts(out, h);
    fputs("</main></body></html>\n", out);
}
