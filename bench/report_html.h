/* SPDX-License-Identifier: BSD-3-Clause */
/* report_html.h - what the page of --html is made of; between report_html.c, which collects it, and
 * html_page.c, which writes it. */
#ifndef BENCH_REPORT_HTML_H
#define BENCH_REPORT_HTML_H

#include "claims.h"
#include "machine.h"
#include "report.h"

/* A result, without the repetitions; times in microseconds. */
typedef struct html_entry {
    char name[NAME_SIZE], took[64];
    bool applicable, verified;
    int64_t size, wrong;
    int n;
    double median, low, high, average, least, most;
    double overall, compute, test, overlap;
    summary beside; /* time / native's, repetition by repetition; n is 0: there is none */
} html_entry;

typedef struct html_verdict_copy {
    char collective[32], calls[NAME_SIZE], left[CLAIM_TEXT], right[CLAIM_TEXT];
    bool measured, violated;
    int64_t size, wrong;
    double left_us, right_us;
    summary ratio;
} html_verdict_copy;

struct html_report {
    const options *o;
    int ranks, argc;
    char **argv, *topology, date[32], native[NAME_SIZE]; /* the column that ratios are to */
    machine m;
    html_entry *entries;
    html_verdict_copy *verdicts;
    int n, nverdicts;
    bool lost; /* no memory for all */
};

void html_page(FILE *out, const html_report *h);

/* Its parts: what guidelines are violated; what was run, on what. */
void html_guidelines(FILE *out, const html_report *h);
void html_facts(FILE *out, const html_report *h);
extern const char *const html_style[]; /* lines of the style sheet, NULL at the end */

/* Cells: a size; a number of microseconds, or nothing. */
void html_size(FILE *out, int64_t size);
void html_number(FILE *out, bool known, double us);

enum { HTML_BARS = 200 }; /* at most in a plot */

#endif
