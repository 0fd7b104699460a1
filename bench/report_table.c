/* SPDX-License-Identifier: BSD-3-Clause */
/* report_table.c - tables for people, see report.h. */
#include "report.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum { SIZE = 10, FIELD = 18, COUNT = 12 }; /* OSU's widths */

static double us(double seconds)
{
    return 1e6 * seconds;
}

/* OSU measures overlap with non-blocking calls. */
static bool overlapped(const options *o)
{
    return o->overlap != OVERLAP_NONE;
}

/* The column #wrong, and the end of the line. */
static void end_row(const options *o, const result *r, int n)
{
    int64_t wrong = 0;
    bool verified = false;

    for (int i = 0; i < n; i++) {
        wrong += r[i].wrong;
        verified = verified || r[i].verified;
    }
    if (o->verify && verified)
        printf("%*" PRId64, COUNT, wrong);
    else if (o->verify)
        printf("%*s", COUNT, "-");
    printf("\n");
}

/* ---- one algorithm: OSU's table ---- */

static void osu_title(const options *o, const variant *v)
{
    char name[64];

    snprintf(name, sizeof name, "%s", coll_kind_name(o->what));
    name[0] = (char)toupper((unsigned char)name[0]);
    printf("\n# Tutti MPI %s%s Latency Test, %s\n",
           v->form == NONBLOCKING || v->form == THREADED ? "Non-blocking "
           : v->form == PERSISTENT                       ? "Persistent "
                                                         : "",
           name, v->name);
}

static void osu_head(const options *o)
{
    static const char *const full[] = {"Compute(us)",  "Coll. Init(us)", "MPI_Test(us)",
                                       "MPI_Wait(us)", "Pure Comm.(us)", "Overlap(%)"};
    static const char *const brief[] = {"Compute(us)", "Pure Comm.(us)", "Overlap(%)"};

    if (overlapped(o)) {
        printf("# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait\n\n%-*s%*s", SIZE, "# Size",
               FIELD, "Overall(us)");
        for (int i = 0; i < (o->full ? 6 : 3); i++)
            printf("%*s", FIELD, o->full ? full[i] : brief[i]);
    } else {
        printf("%-*s%*s", SIZE, "# Size", FIELD, "Avg Latency(us)");
        if (o->full)
            printf("%*s%*s%*s", FIELD, "Min Latency(us)", FIELD, "Max Latency(us)", COUNT,
                   "Iterations");
    }
    printf(o->verify ? "%*s\n" : "\n", COUNT, "#wrong");
}

static void osu_row(const options *o, const result *r)
{
    const double *t = r->average;
    double compute = t[COMPUTE] - t[TEST];

    printf("%-*" PRId64, SIZE, r->size);
    if (overlapped(o) && o->full)
        printf("%*.2f%*.2f%*.2f%*.2f%*.2f%*.2f%*.2f", FIELD, us(t[OVERALL]), FIELD, us(compute),
               FIELD, us(t[OVERALL_START]), FIELD, us(t[TEST]), FIELD, us(t[OVERALL_WAIT]), FIELD,
               us(t[PURE]), FIELD, o->overlap == OVERLAP_IMB ? r->overlap : r->osu_average);
    else if (overlapped(o))
        printf("%*.2f%*.2f%*.2f%*.2f", FIELD, us(t[OVERALL]), FIELD, us(compute), FIELD,
               us(t[PURE]), FIELD, o->overlap == OVERLAP_IMB ? r->overlap : r->osu_average);
    else
        printf("%*.2f", FIELD, us(t[PURE]));
    if (!overlapped(o) && o->full)
        printf("%*.2f%*.2f%*d", FIELD, us(r->least), FIELD, us(r->most), COUNT, r->n);
    end_row(o, r, 1);
}

/* ---- several: a column each ---- */

static int width(const char *name, const options *o)
{
    int n = (int)strlen(name), least = o->full ? 24 : 11;

    return (n > least ? n : least) + 2;
}

static void columns_head(const options *o, const variant *v, int n)
{
    printf("\n# %s: %s\n%-*s", o->command,
           overlapped(o) ? o->overlap == OVERLAP_IMB ? "overlap, % as IMB defines it"
                                                     : "overlap, % as OSU defines it"
           : o->full     ? "us, median of the slowest rank [95 % interval]"
                         : "us, median of the slowest rank",
           SIZE, "# Size");
    for (int i = 0; i < n; i++)
        printf("%*s", width(v[i].name, o), v[i].name);
    printf(o->verify ? "%*s\n" : "\n", COUNT, "#wrong");
}

static void cell(const options *o, const result *r)
{
    char text[80] = "-";

    if (r->applicable && overlapped(o))
        snprintf(text, sizeof text, "%.1f", r->overlap);
    else if (r->applicable && o->full)
        snprintf(text, sizeof text, "%.2f [%.2f, %.2f]", us(r->total.median), us(r->total.low),
                 us(r->total.high));
    else if (r->applicable)
        snprintf(text, sizeof text, "%.2f", us(r->total.median));
    printf("%*s", width(r->who->name, o), text);
}

void table_head(const options *o, const variant *v, int n)
{
    if (n > 1) {
        columns_head(o, v, n);
    } else {
        osu_title(o, v);
        osu_head(o);
    }
    fflush(stdout);
}

void table_row(const options *o, const result *r, int n)
{
    if (n == 1 && r->applicable) {
        osu_row(o, r);
    } else {
        printf("%-*" PRId64, SIZE, r->size);
        for (int i = 0; i < n; i++)
            cell(o, &r[i]);
        end_row(o, r, n);
    }
    fflush(stdout);
}
