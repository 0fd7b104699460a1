/* SPDX-License-Identifier: BSD-3-Clause */
/* svg.h - plots for report_html.c: SVG inside of an HTML page, whose style sheet has the colours
 * (classes s0 to s7, reference; dashes d1, d2). No script, no font, nothing from outside. */
#ifndef BENCH_SVG_H
#define BENCH_SVG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Text of HTML: what has a meaning there is escaped, what is no UTF-8 or may not be there becomes
 * U+FFFD. */
void html_text(FILE *out, const char *text);

/* "256 B", "4 KiB", "1.5 MiB" */
enum { BYTES_TEXT = 32 };
const char *bytes_text(char text[BYTES_TEXT], int64_t bytes);

typedef struct svg_point {
    int64_t x; /* bytes, > 0 */
    double y, low, high;
} svg_point;

typedef struct svg_series {
    const char *name;
    svg_point *at;
    int n;
    bool reference; /* drawn in the colour of text */
} svg_series;

/* Lines over bytes; on logarithmic axes, or (linear) from 0 to at least 100 with no intervals. */
typedef struct svg_lines {
    const char *title, *x, *y, *unit;
    bool linear;
    const svg_series *series;
    int n;
} svg_lines;

void svg_plot(FILE *out, const svg_lines *lines);

/* The list of lines beneath a plot: one colour and dash for each index in the list. */
void svg_legend(FILE *out, const svg_series *series, int n);

typedef struct svg_bar {
    char name[200];
    double value, low, high; /* > 0 */
    bool heading;            /* a line of text above the next ones */
} svg_bar;

/* Horizontal bars that begin at 1, on a logarithmic axis of factors. Left, blue: the interval lies
 * below 1; right, orange: above; grey: 1 is in it. */
void svg_bars(FILE *out, const char *title, const svg_bar *bars, int n);

#endif
