/* SPDX-License-Identifier: BSD-3-Clause */
/* print.c - the table, and what it shares with JSON. */
#include "nbc/stats/print.h"

int stats_group(const stats_table *t, int first, stats_row *all)
{
    int i = first;

    *all = (stats_row){.key = t->row[first].key};
    for (;
         i < t->nrows && t->row[i].key.comm == all->key.comm && t->row[i].key.kind == all->key.kind;
         i++) {
        const stats_row *r = &t->row[i];
        stats_add(&all->sum, &r->sum);
        all->most.inside += r->most.inside;
        all->most.seconds += r->most.seconds;
        all->most.left += r->most.left;
        all->most.repeated += r->most.repeated;
        for (int f = 0; f < STATS_FORMS; f++)
            all->most.calls[f] += r->most.calls[f];
    }
    return i;
}

double stats_overlapped(const stats_sums *s)
{
    double share = s->seconds > 0 ? 1 - s->inside / s->seconds : 0;

    return share > 0 ? share : 0;
}

void stats_algorithm(const stats_row *r, char *text, size_t size)
{
    choice c = {.algo = r->key.algo,
                .form = (coll_form)r->key.form,
                .parameter = r->key.parameter,
                .variant = r->key.variant,
                .order = (coll_order)r->key.order};

    if (r->most.left)
        snprintf(text, size, "left to the MPI");
    else if (r->key.algo == ALGO_NONE)
        snprintf(text, size, "failed");
    else
        select_print(&c, text, size);
}

/* ---- the table ---- */

/* "1234567", "12.3 M" */
static void print_bytes(FILE *out, int width, int64_t n)
{
    static const char units[] = " kMGTPE";
    double value = (double)n;
    int u = 0;

    if (n < 1000000) {
        fprintf(out, " %*lld", width, (long long)n);
        return;
    }
    for (; value >= 1000 && units[u + 1]; u++)
        value /= 1000;
    fprintf(out, " %*.1f%c", width - 1, value, units[u]);
}

static void print_share(FILE *out, int width, bool known, double share)
{
    if (known)
        fprintf(out, " %*.0f%%", width - 1, 100 * share);
    else
        fprintf(out, " %*s", width, "-");
}

static void print_collective(FILE *out, const stats_row *r)
{
    const stats_sums *s = &r->sum;
    const int64_t *calls = r->most.calls;
    int64_t done = calls[0] + calls[1] + calls[2];

    fprintf(out, "  %-22s %8lld %8lld %8lld %8lld %8lld", coll_kind_name((coll_kind)r->key.kind),
            (long long)calls[0], (long long)calls[1], (long long)calls[2], (long long)r->most.left,
            (long long)r->most.repeated);
    print_bytes(out, 10, s->bytes);
    print_bytes(out, 9, s->sent.mpi_messages);
    print_bytes(out, 9, s->sent.mpi_bytes);
    print_bytes(out, 9, s->sent.shared_messages);
    print_bytes(out, 9, s->sent.shared_bytes);
    fprintf(out, " %9.3g %9.3g", r->most.inside, r->most.seconds);
    print_share(out, 6, done > 0, stats_overlapped(s));
    print_share(out, 7, s->steps > 0,
                s->steps ? 1 - (double)s->steps_waited / (double)s->steps : 0);
    fputc('\n', out);
}

static void print_size_class(FILE *out, int k)
{
    if (k < 0)
        fputs("sizes of ranks differ", out);
    else if (k == 0)
        fputs("no bytes", out);
    else if (k == 1)
        fputs("1 byte", out);
    else
        fprintf(out, "%lld to %lld bytes", 1LL << (k - 1), k < 63 ? (1LL << k) - 1 : INT64_MAX);
}

static void print_algorithm(FILE *out, const stats_row *r)
{
    char text[64];
    int64_t n = r->most.left;

    for (int f = 0; f < STATS_FORMS; f++)
        n += r->most.calls[f];
    stats_algorithm(r, text, sizeof text);
    fprintf(out, "      %s, ", text);
    print_size_class(out, r->key.size_class);
    fprintf(out, ": %lld\n", (long long)n);
}

static void print_comm(FILE *out, const stats_table *t, int i)
{
    const stats_comm *c = &t->comm[i];

    if (!c->size) {
        fprintf(out, "communicators beyond the first %d\n", STATS_COMMS - 1);
        return;
    }
    fprintf(out, "communicator %d%s%s, %d rank%s%s\n", i, *c->name ? ": " : "", c->name, c->size,
            c->size == 1 ? "" : "s", c->freed ? ", freed" : "");
}

static void print_head(FILE *out, const stats_job *job)
{
    fprintf(out, "tutti: statistics of %d rank%s, %.3f s from the first call to MPI_Finalize\n",
            job->processes, job->processes == 1 ? "" : "s", job->seconds);
    if (!job->whole)
        fprintf(out, "of rank 0 alone: %s\n", job->why);
    fputs(
        "calls and seconds: of the rank with most; bytes and messages: summed over the ranks;\n"
        "inside: seconds that the program was in calls and waits; overlap: share of the time from "
        "start to end\nthat it was not; no wait: share of the steps of persistent starts outside "
        "of waits; left: to the MPI; repeated: calls like an earlier one but for the buffers\n",
        out);
    fprintf(out, "  %-22s %8s %8s %8s %8s %8s %10s %9s %9s %9s %9s %9s %9s %6s %7s\n", "",
            "blocking", "nonblock", "persist", "left", "repeated", "bytes", "by MPI", "bytes",
            "shared", "bytes", "inside", "start-end", "overlap", "no wait");
}

static void print_outside(FILE *out, const stats_job *job)
{
    for (int i = 0; i < job->outside->n; i++) {
        int n = 0;
        for (int k = 0; k < COLL_KINDS; k++)
            if (job->left[i][k])
                n += fprintf(out, "%s%lld %s", n ? ", " : "", (long long)job->left[i][k],
                             coll_kind_name((coll_kind)k)) > 0;
        if (n)
            fprintf(out, " left to the MPI because of %s\n", job->outside->reason[i]);
    }
}

void stats_print_table(FILE *out, const stats_job *job, const stats_table *t)
{
    stats_row all;

    print_head(out, job);
    for (int i = 0, next, comm = -1; i < t->nrows; i = next) {
        next = stats_group(t, i, &all);
        if (all.key.comm != comm)
            print_comm(out, t, all.key.comm);
        comm = all.key.comm;
        print_collective(out, &all);
        for (int j = i; j < next; j++)
            print_algorithm(out, &t->row[j]);
    }
    if (!t->nrows)
        fputs("no calls of Tutti's collectives\n", out);
    print_outside(out, job);
    if (t->without_row)
        fprintf(out, "%lld operations more, for which the table was too small\n",
                (long long)t->without_row);
}
