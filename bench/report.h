/* SPDX-License-Identifier: BSD-3-Clause */
/* report.h - results as OSU's table, as a table of algorithms, as CSV, as JSON, as a page of HTML.
 * On rank 0 only.
 *
 * CSV: one line for each size and algorithm; times in microseconds, empty where nothing was
 * measured; took: the algorithm of Tutti's that ran, what `auto` stood for; mpi and host: where.
 * JSON: one object: program, MPI, machine, options, and in "results" one object for each size and
 * algorithm, with all repetitions of all phases, in seconds. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "machine.h"
#include "measure.h"

#include <stdio.h>

/* Could a file be written whole (process/whole_file.h), now? Nothing is changed. False: errno says
 * why not. */
bool file_possible(const char *name);

/* One variant: the table of OSU Micro-Benchmarks 5.7 for blocking or non-blocking collectives, with
 * OSU's averages over ranks and repetitions. Several: a column each, medians of the slowest rank.
 */
void table_head(const options *o, const variant *v, int n);
void table_row(const options *o, const result *r, int n);

void csv_head(FILE *out);
void csv_rows(FILE *out, const options *o, const result *r, int n, int ranks, const machine *m);

typedef struct json_report json_report;

/* Collective, because the topology is asked for; NULL on other ranks than 0. */
json_report *json_open(const options *o, int argc, char **argv);
void json_rows(json_report *j, const result *r, int n);

/* Writes and frees it. False: the file could not be written; for stdout main says so. */
bool json_close(json_report *j, const char *file);

/* A page of HTML by itself: plots, tables, what was measured, and on what. The file is there when
 * it is whole. Collective; NULL on other ranks than 0, and if no such file can be made. */
typedef struct html_report html_report;
html_report *html_open(const options *o, int argc, char **argv);
void html_rows(html_report *h, const result *r, int n);
bool html_close(html_report *h, const char *file); /* as json_close */

/* Verdicts on guidelines (claims.h): a table of those that are violated, or with -f of all; and in
 * JSON "guidelines", one object for each. */
struct verdict;
void guidelines_head(const options *o, int ranks);
void guidelines_row(const options *o, const struct verdict *v);
void json_verdict(json_report *j, const struct verdict *v);
void html_verdict(html_report *h, const struct verdict *v);

/* What o asks for; nothing on other ranks than 0. */
typedef struct reports {
    bool table; /* standard output is not taken by the others */
    machine m;
    FILE *csv;
    json_report *json;
    html_report *html;
} reports;

/* Collective. Each returns the name of a file that cannot be written, or NULL. */
const char *reports_open(reports *r, const options *o, int argc, char **argv);
const char *reports_close(reports *r, const options *o);

#endif
