/* SPDX-License-Identifier: BSD-3-Clause */
/* json.c - the same as JSON (docs/observing.md). */
#include "nbc/stats/print.h"

static void put_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c < 0x20 || *c >= 0x7f) /* of a name that may be cut anywhere */
            fprintf(out, "\\u%04x", *c);
        else
            fputc(*c, out);
    fputc('"', out);
}

static void put_calls(FILE *out, const stats_row *r)
{
    fprintf(out,
            "\"blocking\": %lld, \"nonblocking\": %lld, \"persistent_starts\": %lld, "
            "\"left_to_mpi\": %lld, \"repeated\": %lld",
            (long long)r->most.calls[0], (long long)r->most.calls[1], (long long)r->most.calls[2],
            (long long)r->most.left, (long long)r->most.repeated);
}

static void put_sums(FILE *out, const stats_row *r)
{
    const stats_sums *s = &r->sum;

    fprintf(out,
            "\"bytes\": %lld, \"mpi_messages\": %lld, \"mpi_bytes\": %lld, "
            "\"shared_messages\": %lld, \"shared_bytes\": %lld, ",
            (long long)s->bytes, (long long)s->sent.mpi_messages, (long long)s->sent.mpi_bytes,
            (long long)s->sent.shared_messages, (long long)s->sent.shared_bytes);
    fprintf(out,
            "\"seconds_inside\": %.9g, \"seconds_inside_most\": %.9g, "
            "\"seconds_start_to_end\": %.9g, \"seconds_start_to_end_most\": %.9g, "
            "\"overlapped\": %.4f, ",
            s->inside, r->most.inside, s->seconds, r->most.seconds, stats_overlapped(s));
    fprintf(out, "\"persistent_steps\": %lld, \"persistent_steps_outside_waits\": %lld",
            (long long)s->steps, (long long)(s->steps - s->steps_waited));
}

static void put_algorithm(FILE *out, const stats_row *r)
{
    char text[64];
    int k = r->key.size_class;

    stats_algorithm(r, text, sizeof text);
    fputs("          {\"algorithm\": ", out);
    put_quoted(out, text);
    if (k < 0)
        fputs(", \"size_from\": null, \"size_to\": null, ", out);
    else
        fprintf(out, ", \"size_from\": %lld, \"size_to\": %lld, ", k ? 1LL << (k - 1) : 0LL,
                !k       ? 0LL
                : k < 63 ? (1LL << k) - 1
                         : (long long)INT64_MAX);
    put_calls(out, r);
    fputs(", ", out);
    put_sums(out, r);
    fputc('}', out);
}

/* Returns the row after the collective. */
static int put_collective(FILE *out, const stats_table *t, int first)
{
    stats_row all;
    int next = stats_group(t, first, &all);

    fprintf(out, "      {\"collective\": \"%s\", ", coll_kind_name((coll_kind)all.key.kind));
    put_calls(out, &all);
    fputs(", ", out);
    put_sums(out, &all);
    fputs(",\n        \"algorithms\": [\n", out);
    for (int i = first; i < next; i++) {
        put_algorithm(out, &t->row[i]);
        fputs(i + 1 < next ? ",\n" : "\n        ]}", out);
    }
    return next;
}

static void put_comm(FILE *out, const stats_table *t, int i)
{
    const stats_comm *c = &t->comm[i];
    int at = 0;

    while (t->row[at].key.comm != i)
        at++;
    fprintf(out, "    {\"number\": %d, \"name\": ", i);
    put_quoted(out, c->size ? c->name : "beyond the table");
    fprintf(out, ", \"size\": %d, \"freed\": %s,\n     \"collectives\": [\n", c->size,
            c->freed ? "true" : "false");
    while (at < t->nrows && t->row[at].key.comm == i) {
        at = put_collective(out, t, at);
        fputs(at < t->nrows && t->row[at].key.comm == i ? ",\n" : "\n     ]}", out);
    }
}

static void put_outside(FILE *out, const stats_job *job)
{
    int n = 0;

    fputs("  \"left_to_mpi\": [", out);
    for (int i = 0; i < job->outside->n; i++)
        for (int k = 0; k < COLL_KINDS; k++) {
            if (!job->left[i][k])
                continue;
            fputs(n++ ? ",\n    " : "\n    ", out);
            fprintf(out, "{\"collective\": \"%s\", \"calls\": %lld, \"because_of\": ",
                    coll_kind_name((coll_kind)k), (long long)job->left[i][k]);
            put_quoted(out, job->outside->reason[i]);
            fputc('}', out);
        }
    fputs("],\n", out);
}

void stats_print_json(FILE *out, const stats_job *job, const stats_table *t)
{
    fprintf(out, "{\n  \"format\": \"tutti statistics 1\",\n  \"ranks\": %d,\n  \"of\": \"%s\",\n",
            job->processes, job->whole ? "all ranks" : "rank 0");
    fprintf(out, "  \"seconds\": %.6f,\n", job->seconds);
    put_outside(out, job);
    fprintf(out, "  \"operations_beyond_the_table\": %lld,\n  \"communicators\": [\n",
            (long long)t->without_row);
    for (int i = 0; i < t->ncomms; i++) {
        put_comm(out, t, i);
        fputs(i + 1 < t->ncomms ? ",\n" : "\n", out);
    }
    fputs("  ]\n}\n", out);
}
