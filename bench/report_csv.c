/* SPDX-License-Identifier: BSD-3-Clause */
/* report_csv.c - see report.h. */
#include "report.h"

#include <inttypes.h>
#include <string.h>

void csv_head(FILE *out)
{
    fprintf(out,
            "command,label,ranks,size,algorithm,repetitions,median_us,low_us,high_us,mean_us,"
            "min_us,max_us,overall_us,compute_us,test_us,overlap_percent,wrong,took,mpi,host\n");
    fflush(out); /* a full disk is better known before the measurements */
}

/* Quoted where it has to be: names with words have commas. */
static void text(FILE *out, const char *s)
{
    if (!s || !strpbrk(s, ",\"\n")) {
        fprintf(out, "%s,", s ? s : "");
        return;
    }
    fputc('"', out);
    for (; *s; s++)
        fprintf(out, *s == '"' ? "\"%c" : "%c", *s);
    fputs("\",", out);
}

static void number(FILE *out, bool known, double x)
{
    if (known)
        fprintf(out, "%.9g", x);
    fputc(',', out);
}

static void row(FILE *out, const options *o, const result *r, int ranks, const machine *m)
{
    bool overlap = r->applicable && o->overlap;

    text(out, o->command);
    text(out, o->label);
    fprintf(out, "%d,%" PRId64 ",", ranks, r->size);
    text(out, r->who->name);
    fprintf(out, "%d,", r->applicable ? r->n : 0);
    number(out, r->applicable, 1e6 * r->total.median);
    number(out, r->applicable, 1e6 * r->total.low);
    number(out, r->applicable, 1e6 * r->total.high);
    number(out, r->applicable, 1e6 * r->average[PURE]);
    number(out, r->applicable, 1e6 * r->least);
    number(out, r->applicable, 1e6 * r->most);
    number(out, overlap, 1e6 * r->middle[OVERALL]);
    number(out, overlap, 1e6 * r->middle[COMPUTE]);
    number(out, overlap, 1e6 * r->middle[TEST]);
    number(out, overlap, r->overlap);
    if (r->verified)
        fprintf(out, "%" PRId64, r->wrong);
    fputc(',', out);
    text(out, r->took);
    text(out, m->mpi);
    fprintf(out, "%s\n", m->host);
}

void csv_rows(FILE *out, const options *o, const result *r, int n, int ranks, const machine *m)
{
    for (int i = 0; i < n; i++)
        row(out, o, &r[i], ranks, m);
    fflush(out);
}
