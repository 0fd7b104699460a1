/* SPDX-License-Identifier: BSD-3-Clause */
/* guidelines.c - tutti-bench guidelines: is a collective slower than what could stand in its place?
 *
 * For each way to call (the MPI's own, Tutti's auto), collective and size all sides of all
 * guidelines (guidelines.def) take turns, as in measure.h. A guideline is violated if the 95 %
 * interval of the median of left / right, both of one repetition, is above 1 + tolerance. */
#include "claims.h"
#include "remaining.h"
#include "report.h"
#include "subcommands.h"
#include "work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct session {
    options o;
    int rank, p;
    bool kinds[COLL_KINDS], rules[RULES];
    reports out;
    double before, weight;
    int claimed, measured, violated;
    int64_t wrong;
} session;

static session *current; /* for `done` */

static int complain(const session *s, const char *what, const char *why)
{
    if (s->rank == 0)
        fprintf(stderr, "tutti-bench %s: %s: %s\n", s->o.command, what, why);
    return 2;
}

/* ---- options ---- */

/* Neighborhoods have no guidelines of their own, and no size that other collectives share. */
static bool is_covered(coll_kind c)
{
    return !coll_has(c, COLL_NEIGHBORS);
}

static const char *kind_name(int i)
{
    return is_covered((coll_kind)i) ? coll_kind_name((coll_kind)i) : "";
}

static const char *rule_name(int i)
{
    return rule_table[i].name;
}

/* A list of names with commas; NULL: all that have one. Returns one that is not known. */
static const char *parse_list(char *list, bool *chosen, int n, const char *(*name)(int i))
{
    for (int i = 0; i < n && !list; i++)
        chosen[i] = name(i)[0];
    if (list && strspn(list, ",") == strlen(list))
        return "an empty list";
    for (char *word = list ? strtok(list, ",") : NULL; word; word = strtok(NULL, ",")) {
        bool found = false;
        for (int i = 0; i < n; i++)
            if (strcmp(word, name(i)) == 0)
                found = chosen[i] = true;
        if (!found)
            return word;
    }
    return NULL;
}

static options options_for(const session *s, coll_kind c)
{
    options o = s->o;

    o.what = c;
    options_fit(&o);
    return o;
}

/* Does some collective have such a blocking call? */
static bool calls_known(const session *s, const char *name)
{
    for (int c = 0; c < COLL_KINDS; c++) {
        options o = options_for(s, (coll_kind)c);
        variant v;
        if (s->kinds[c] && variant_parse(&v, &o, name) && v.form == BLOCKING)
            return true;
    }
    return false;
}

static int check_options(session *s)
{
    const options *o = &s->o;
    const char *unknown;

    const struct {
        bool given;
        const char *name;
    } others[] = {{o->overlap, "--overlap"},       {o->calls, "-t"},
                  {o->threads, "--threads"},       {o->fold, "--fold"},
                  {o->shared, "--shared-buffers"}, {o->call, "--call"}};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].given)
            return complain(s, others[i].name, "not an option of guidelines");
#ifndef TUTTI_SIMULATED
    if (o->iterations < 6)
        return complain(s, "-i", "must be at least 6 for an interval of 95 %");
#endif
    if (o->root >= s->p)
        return complain(s, "--root", "must be a rank of the job");
    if ((unknown = parse_list(o->collectives, s->kinds, COLL_KINDS, kind_name)))
        return complain(s, unknown, "no such collective here");
    if ((unknown = parse_list(o->rules, s->rules, RULES, rule_name)))
        return complain(s, unknown, "no such rule");
    for (int i = 0; i < o->nnames; i++)
        if (!calls_known(s, o->names[i]))
            return complain(s, o->names[i], "no blocking call of these collectives");
    return 0;
}

/* ---- one collective ---- */

static bool fits(const session *s, const options *o, int64_t size)
{
    return size * s->p <= INT32_MAX &&
           buffers_need(o->what, s->p, size) + mocks_need(o->what, s->p, size) <= o->memory;
}

/* What it costs, roughly: for the time that is left. */
static double weight_of(const options *o, int64_t size)
{
    return (options_iterations(o, size) + options_warmup(o, size)) * ((double)size + 4096);
}

static void done(double fraction)
{
    remaining_show(current->before + fraction * current->weight);
}

static void report(session *s, const claims *k, const result *r)
{
    for (int i = 0; i < k->n; i++) {
        verdict v = claims_judge(k, i, r, s->o.tolerance);
        if (!v.stated)
            continue;
        s->claimed++;
        s->measured += v.measured;
        s->violated += v.violated;
        if (s->out.table)
            guidelines_row(&s->o, &v);
        if (s->out.json)
            json_verdict(s->out.json, &v);
        if (s->out.html)
            html_verdict(s->out.html, &v);
    }
    if (s->out.csv)
        csv_rows(s->out.csv, &s->o, r, k->nv, s->p, &s->out.m);
    if (s->out.json)
        json_rows(s->out.json, r, k->nv);
    if (s->out.html)
        html_rows(s->out.html, r, k->nv);
}

static void run_size(session *s, const options *o, claims *k, buffers *b, int64_t size)
{
    result r[MAX_VARIANTS];

    s->weight = weight_of(o, size);
    buffers_size(b, s->p, (int)size);
    measure(o, k->v, k->nv, b, size, r, done);
    s->before += s->weight;
    remaining_hide();
    for (int i = 0; i < k->nv; i++)
        s->wrong += r[i].wrong;
    report(s, k, r);
    results_free(r, k->nv);
}

static int run_collective(session *s, coll_kind c, const char *calls)
{
    options o = options_for(s, c);
    coll_sides has = coll_sides_of(c, s->rank, o.root, false);
    claims *k = calloc(1, sizeof *k);
    buffers b;
    int64_t largest = -1;

    for (int64_t size = o.min; size <= o.max; size = options_next(&o, size))
        if (fits(s, &o, size))
            largest = size;
    o.max = largest;
    if (!k || (largest >= 0 && !buffers_open(&b, c, has, s->p, largest, (buffers_memory){0})))
        return complain(s, "-m", "out of memory");
    if (largest >= 0 && claims_open(k, &o, calls, s->rules)) {
        for (int64_t size = o.min; size <= o.max; size = options_next(&o, size))
            run_size(s, &o, k, &b, size);
        claims_close(k);
    }
    if (largest >= 0)
        buffers_close(&b);
    free(k);
    return 0;
}

static double weight_of_all(const session *s)
{
    double total = 0;

    for (int c = 0; c < COLL_KINDS; c++) {
        options o = options_for(s, (coll_kind)c);
        for (int64_t size = o.min; s->kinds[c] && size <= o.max; size = options_next(&o, size))
            total += fits(s, &o, size) ? weight_of(&o, size) : 0;
    }
    return total * s->o.nnames;
}

/* ---- all ---- */

static int run_all(session *s)
{
    int status = 0;

    remaining_start(s->rank == 0 && !s->o.quiet, weight_of_all(s));
    work_calibrate();
    if (s->out.table)
        guidelines_head(&s->o, s->p);
    for (int i = 0; i < s->o.nnames; i++)
        for (int c = 0; c < COLL_KINDS && !status; c++)
            if (s->kinds[c])
                status = run_collective(s, (coll_kind)c, s->o.names[i]);
    if (s->out.table)
        printf("# %d of %d violated; %d could not be measured\n", s->violated, s->claimed,
               s->claimed - s->measured);
    return status ? status : s->wrong ? 1 : 0;
}

static int run_session(session *s, int argc, char **argv)
{
    const char *bad;
    int status = check_options(s);

    if (status)
        return status;
    if ((bad = reports_open(&s->out, &s->o, argc, argv)))
        return complain(s, bad, "cannot be written");
    status = run_all(s);
    if ((bad = reports_close(&s->out, &s->o)))
        return complain(s, bad, "could not be written");
    return status;
}

static void usage(void)
{
    printf(
        "usage: mpiexec -n RANKS tutti-bench guidelines [OPTION...]\n"
        "Is a collective slower than what could stand in its place? Shown is what is.\n\n"
        "  -a, --algorithms=NAME,...   how the left side is called (native,auto): native: the "
        "MPI's\n"
        "                              own; mpi: what MPI_ is linked to; auto, ring, ...: "
        "Tutti's.\n"
        "                              The right side is called in the same way; of Tutti's, by "
        "auto\n"
        "      --collectives=NAME,...  (all but those of neighborhoods)\n"
        "      --rules=NAME,...        (all of those below)\n"
        "      --tolerance=PERCENT     by which the left side may be slower (5)\n"
        "  -m, --message-size=[MIN:]MAX  bytes of a block (8:256k), each --factor times the one\n"
        "                              before; of reductions a multiple of 8\n"
        "      --factor=K              (8)\n"
        "      --root=RANK             (0)\n"
        "  -i, --iterations=N          repetitions (100)\n"
        "  -x, --warmup=N              repetitions before, not counted (10)\n"
        "  -M, --mem-limit=BYTES       leave out sizes that need more for buffers in a process "
        "(512M)\n"
        "  -f, --full                  show guidelines that hold, too\n"
        "  -c, --verify                look at the data; a guideline with wrong data is not "
        "judged\n"
        "  -q, --quiet                 do not say on standard error how much time is left\n"
        "  -h, --help                  print this\n\n"
        "--sync, --time-ms, --batch, --seed, --label, --csv, --json, --html are those of a "
        "collective;\n"
        "the CSV has the times.\n\n"
        "Rules:\n");
    for (int i = 0; i < RULES; i++)
        printf("  %-16s %s (%s)\n", rule_table[i].name, rule_table[i].meaning,
               rule_table[i].source);
}

static void set_defaults(options *o, const char *command)
{
    *o = (options){.command = command,
                   .what = COLL_bcast, /* has what options ask for: a root, bytes */
                   .min = 8,
                   .max = 1 << 18,
                   .factor = 8,
                   .iterations = 100,
                   .warmup = 10,
                   .batch = 1,
                   .seed = 1,
                   .sync = SYNC_BARRIER,
                   .memory = (int64_t)512 << 20,
                   .tolerance = 0.05};
}

int bench_guidelines(int argc, char **argv)
{
    session s = {0};
    command c = {.name = "tutti-bench guidelines"};
    int status;

    current = &s;
    set_defaults(&s.o, argv[0]);
    if (!options_parse(&s.o, argc, argv, &c))
        return command_refuse_all(&c, &argc, &argv);
    if (s.o.version)
        command_version("tutti-bench");
    else if (s.o.help && command_speaks())
        usage();
    if (s.o.help || s.o.version)
        return 0;
    if (s.o.nnames == 0) {
        s.o.names[s.o.nnames++] = "native";
        s.o.names[s.o.nnames++] = "auto";
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s.p);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    status = run_session(&s, argc, argv);
    MPI_Finalize();
    return status;
}
