/* SPDX-License-Identifier: BSD-3-Clause */
/* say.c - put the rows in order, and write the forms that are wanted. */
#define _XOPEN_SOURCE 700 /* open_memstream */
#include "nbc/process/env.h"
#include "nbc/process/whole_file.h"
#include "nbc/stats/print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef void print(FILE *out, const stats_job *job, const stats_table *t);

static void write_to(const char *name, const char *text, size_t n)
{
    if (!*name)
        fwrite(text, 1, n, stderr);
    else if (!whole_file_write(name, text, n))
        env_say_here("TUTTI_STATS: %s: %s", name, strerror(errno));
}

static void say(const stats_job *job, const stats_table *t, print *form, const char *name)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);

    if (!out)
        return;
    form(out, job, t);
    if (fclose(out) == 0)
        write_to(name, text, n);
    free(text);
}

/* ---- order ---- */

typedef struct comm_index {
    stats_comm comm;
    int index; /* in the table */
} comm_index;

/* Those that had no room last. */
static int by_creation(const void *x, const void *y)
{
    const comm_index *a = x, *b = y;

    if (!a->index != !b->index)
        return a->index ? -1 : 1;
    if (a->comm.serial != b->comm.serial)
        return a->comm.serial < b->comm.serial ? -1 : 1;
    return (a->comm.origin > b->comm.origin) - (a->comm.origin < b->comm.origin);
}

static int compare_ints(const int32_t *a, const int32_t *b, int n)
{
    for (int i = 0; i < n; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

static int by_key(const void *x, const void *y)
{
    const stats_key *a = &((const stats_row *)x)->key, *b = &((const stats_row *)y)->key;

    return compare_ints(&a->comm, &b->comm, sizeof *a / sizeof a->comm);
}

/* Those that rows are of, and what they are called there. */
static bool order_comms(stats_table *t)
{
    int to[STATS_COMMS] = {0}, n = 0;
    comm_index *p = calloc((size_t)t->ncomms + 1, sizeof *p);

    if (!p)
        return false;
    for (int i = 0; i < t->nrows; i++)
        to[t->row[i].key.comm] = 1;
    for (int i = 0; i < t->ncomms; i++)
        if (to[i])
            p[n++] = (comm_index){t->comm[i], i};
    qsort(p, (size_t)n, sizeof *p, by_creation);
    for (int i = 0; i < n; i++) {
        t->comm[i] = p[i].comm;
        to[p[i].index] = i;
    }
    for (int i = 0; i < t->nrows; i++)
        t->row[i].key.comm = to[t->row[i].key.comm];
    t->ncomms = n;
    free(p);
    return true;
}

void stats_say(const stats_job *job)
{
    static print *const forms[] = {
        [STATS_TABLE] = stats_print_table, [STATS_JSON] = stats_print_json};
    const stats_wish *wish = &env_given.stats;
    stats_table t;

    if (!stats_all(&t) || !order_comms(&t)) {
        env_say_here("TUTTI_STATS: out of memory; no summary is written");
        stats_free(&t);
        return;
    }
    if (!t.ncomms) /* there was no memory for them */
        t.nrows = 0;
    qsort(t.row, (size_t)t.nrows, sizeof *t.row, by_key);
    for (int k = 0; k < STATS_KINDS; k++)
        if (wish->job[k].wanted)
            say(job, &t, forms[k], wish->job[k].file);
    stats_free(&t);
}
