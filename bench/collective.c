/* SPDX-License-Identifier: BSD-3-Clause */
/* collective.c - tutti-bench's measurements of collectives: options, sizes, reports. */
#include "lanes.h"
#include "measure.h"
#include "remaining.h"
#include "report.h"
#include "subcommands.h"
#include "work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KiB = 1024, MiB = 1024 * KiB };

typedef struct session {
    options o;
    command command;
    int rank, p, n;
    int blocks; /* of a side that has one for each: of p, but in lanes and neighborhoods */
    variant *v;
    buffers b;
    reports out;
    double before,
        weight; /* work of the sizes before, and of this one: for the time that is left */
} session;

static session *current; /* for `done` */

/* "iallgatherv_init" and its like. */
static bool parse_command(const char *name, coll_kind *what, form *f)
{
    char text[32];
    size_t n = strlen(name);

    if (n >= sizeof text)
        return false;
    strcpy(text, name);
    *f = BLOCKING;
    if (n > 5 && strcmp(text + n - 5, "_init") == 0) {
        text[n - 5] = '\0';
        *f = PERSISTENT;
    }
    for (int c = 0; c < COLL_KINDS; c++) {
        *what = (coll_kind)c;
        if (strcmp(text, coll_kind_name(*what)) == 0)
            return true;
        if (*f == BLOCKING && text[0] == 'i' && strcmp(text + 1, coll_kind_name(*what)) == 0) {
            *f = NONBLOCKING;
            return true;
        }
    }
    return false;
}

bool bench_collective_known(const char *name)
{
    coll_kind c;
    form f;

    return lanes_command(name) || parse_command(name, &c, &f);
}

/* What a collective has to do with a block: latency and bytes. */
static double weight_of(const options *o, int64_t size)
{
    return (options_iterations(o, size) + options_warmup(o, size)) * ((double)size + 4096);
}

static bool fits(const session *s, int64_t size)
{
    const options *o = &s->o;

    if (coll_is_v(o->what) && size * s->blocks > INT32_MAX)
        return false;
    size = vary_room(o->vary, size);
    return buffers_fold(o->what, s->blocks, size, o->fold) ||
           buffers_need(o->what, s->blocks, size) <= o->memory;
}

static void done(double fraction)
{
    remaining_show(current->before + fraction * current->weight);
}

/* ---- open ---- */

static bool any_threaded(const session *s)
{
    for (int i = 0; i < s->o.nnames; i++)
        if (strstr(s->o.names[i], "_thread"))
            return true;
    return s->o.threads;
}

static int complain(const session *s, const char *what, const char *why)
{
    if (s->rank == 0)
        fprintf(stderr, "tutti-bench %s: %s: %s\n", s->o.command, what, why);
    return 2;
}

/* The name of an algorithm is wrong, or what follows it. */
static int complain_name(session *s, const char *name)
{
    char plain[64];
    word_guess g = {.wrong = plain};

    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(name, ":"), name);
    for (int i = 0; calls_algorithm(s->o.what, i); i++)
        word_try(&g, calls_algorithm(s->o.what, i));
    command_wrong(&s->command, name,
                  "no such algorithm of this collective, or this MPI has no such call",
                  g.distance ? &g : NULL);
    if (s->rank == 0)
        fprintf(stderr, "%s\n", s->command.error);
    return 2;
}

static bool find_variant(session *s, const char *name)
{
    variant *v = &s->v[s->n];

    if (lanes_command(s->o.command))
        return lanes_variant(v, &s->o, name);
    if (!variant_parse(v, &s->o, name))
        return false;
    variant_open(v, &s->o);
    return true;
}

/* Those by hand have been made for the arguments that are given. */
static bool varies(const char *name)
{
    const char *const fixed[] = {"hand", "mock"};

    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (strncmp(name, fixed[i], strlen(fixed[i])) == 0)
            return false;
    return true;
}

static int open_variants(session *s)
{
    variant inner;

    if (s->o.root >= s->p)
        return complain(s, "--root", "must be a rank of the job");
    if (lanes_command(s->o.command) && !variant_parse(&inner, &s->o, s->o.call))
        return complain(s, s->o.call, "no such call of an alltoall (--call)");
#ifdef TUTTI_SIMULATED
    if (coll_has(s->o.what, COLL_NEIGHBORS))
        return complain(s, "SimGrid", "its communicators cannot be asked for their topology");
#endif
    s->v = calloc(MAX_VARIANTS, sizeof *s->v);
    for (int i = 0; i < s->o.nnames; i++) {
        if (!find_variant(s, s->o.names[i]))
            return lanes_command(s->o.command)
                       ? complain(s, s->o.names[i],
                                  "must be a number of lanes up to the ranks of a node")
                       : complain_name(s, s->o.names[i]);
        if (s->o.vary &&
            (s->v[s->n].form == PERSISTENT || !varies(s->v[s->n].words) || s->o.verify))
            return complain(s, "--vary",
                            "not with persistent requests, messages by hand, or --verify");
        s->n++;
    }
    return 0;
}

static int open_buffers(session *s)
{
    int64_t largest = -1;

    for (int64_t size = s->o.min; size <= s->o.max; size = options_next(&s->o, size))
        if (fits(s, size))
            largest = size;
    if (largest < 0)
        return complain(s, "-m", "no size fits the limit of memory (-M)");
    coll_sides has = coll_sides_of(s->o.what, s->rank, s->o.root, false);
    if (s->o.vary) /* the root changes, or a buffer that nobody sends from moves */
        has = (coll_sides){coll_shapes[s->o.what].send, coll_shapes[s->o.what].recv};
    if (!buffers_open(&s->b, s->o.what, has, s->blocks, vary_room(s->o.vary, largest),
                      (buffers_memory){.fold = s->o.fold, .shared = s->o.shared}))
        return complain(s, "-m", "out of memory");
    return 0;
}

/* ---- all sizes ---- */

static void warn_late(const result *r)
{
    if (r->late > 0)
        fprintf(stderr,
                "tutti-bench: %s, %lld bytes: %d of %d repetitions began late on some rank, and "
                "count all the same\n",
                r->who->name, (long long)r->size, r->late, r->n);
}

static int64_t run_size(session *s, int64_t size)
{
    result r[MAX_VARIANTS];
    int64_t wrong = 0;

    current = s;
    s->weight = weight_of(&s->o, size);
    buffers_size(&s->b, s->blocks, (int)size);
    measure(&s->o, s->v, s->n, &s->b, size, r, done);
    s->before += s->weight;
    for (int i = 0; i < s->n; i++)
        wrong += r[i].wrong;
    remaining_hide();
    for (int i = 0; i < s->n && s->rank == 0; i++)
        warn_late(&r[i]);
    if (s->out.table)
        table_row(&s->o, r, s->n);
    if (s->out.csv)
        csv_rows(s->out.csv, &s->o, r, s->n, s->p, &s->out.m);
    if (s->out.json)
        json_rows(s->out.json, r, s->n);
    if (s->out.html)
        html_rows(s->out.html, r, s->n);
    results_free(r, s->n);
    return wrong;
}

static int run_all(session *s)
{
    double total = 0;
    int64_t wrong = 0;

    for (int64_t size = s->o.min; size <= s->o.max; size = options_next(&s->o, size))
        total += fits(s, size) ? weight_of(&s->o, size) : 0;
    remaining_start(s->rank == 0 && !s->o.quiet, total);
    work_calibrate();
    if (s->out.table)
        table_head(&s->o, s->v, s->n);
    for (int64_t size = s->o.min; size <= s->o.max; size = options_next(&s->o, size))
        if (fits(s, size))
            wrong += run_size(s, size);
    return wrong ? 1 : 0;
}

static int close_all(session *s, int status)
{
    const char *bad = reports_close(&s->out, &s->o);

    if (bad)
        status = complain(s, bad, "could not be written");
    for (int i = 0; i < s->n; i++)
        variant_close(&s->v[i]);
    lanes_close();
    buffers_close(&s->b);
    free(s->v);
    return status;
}

static int blocks_of(const session *s)
{
    if (lanes_command(s->o.command))
        return lanes_blocks(s->o.command);
    return coll_has(s->o.what, COLL_NEIGHBORS) ? TORUS_NEIGHBORS : s->p;
}

static int run_session(session *s, int argc, char **argv)
{
    int status = open_variants(s);
    const char *bad;

    s->blocks = blocks_of(s);
    if (!status)
        status = open_buffers(s);
    if (!status && (bad = reports_open(&s->out, &s->o, argc, argv)))
        status = complain(s, bad, "cannot be written");
    if (status)
        return status;
    return close_all(s, run_all(s));
}

static void set_defaults(options *o, const char *command)
{
    *o = (options){.command = command,
                   .min = 1,
                   .max = MiB,
                   .factor = 2,
                   .iterations = -1,
                   .warmup = -1,
                   .batch = 1,
                   .seed = 1,
                   .sync = SYNC_BARRIER,
                   .memory = 512 * (int64_t)MiB,
                   .call = "native"};
    if (lanes_command(command))
        o->what = COLL_alltoall;
    else
        parse_command(command, &o->what, &o->form);
}

static void say(const options *o)
{
    if (o->version)
        command_version("tutti-bench");
    else if (command_speaks())
        options_usage(o->command);
}

int bench_collective(int argc, char **argv)
{
    session s = {0};
    char name[64];
    int level, status;

    snprintf(name, sizeof name, "tutti-bench %s", argv[0]);
    s.command.name = name;
    set_defaults(&s.o, argv[0]);
    if (!options_parse(&s.o, argc, argv, &s.command))
        return command_refuse_all(&s.command, &argc, &argv);
    if (s.o.help || s.o.version) {
        say(&s.o);
        return 0;
    }
    if (s.o.nnames == 0)
        s.o.names[s.o.nnames++] = lanes_command(argv[0]) ? "1" : "auto";
    if (s.o.nnames == 1 && !s.o.overlap && s.o.form == NONBLOCKING)
        s.o.overlap = OVERLAP_OSU; /* as OSU's table has it */
    MPI_Init_thread(&argc, &argv, any_threaded(&s) ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s.p);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    status = run_session(&s, argc, argv);
    MPI_Finalize();
    return status;
}
