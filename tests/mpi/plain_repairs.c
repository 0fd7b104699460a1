/* SPDX-License-Identifier: BSD-3-Clause */
/* plain_repairs.c - which legal collective calls does an MPI get right: every collective, blocking,
 * non-blocking and persistent, in up to ten cases. It knows nothing of Tutti: tests/repairs runs it
 * with the MPI alone and under libtutti_mpi.so, and makes the table of docs/results/repairs.md.
 *
 * plain_repairs [-c COLLECTIVE] [-b FIRST] [-n HOW_MANY] [-f FILE] [-t SECONDS]
 *
 * A unit is a case of a form of a collective. After a line "library NAME" each begins with a line
 * "NUMBER COLLECTIVE FORM CASE begin", in FILE or on stdout, and ends with one that has in the
 * place of begin
 *
 *   right
 *   wrong N     wrong data after the N-th start or call
 *   error N     a call, or the wait for it, returned an error
 *   hang        it has not ended after SECONDS
 *
 * or with none: it has crashed. Behind one that is not right nobody knows what the MPI is still up
 * to, so the program ends there, with 1; -b NUMBER + 1 goes on after it.
 */
#include "mpi/repairs_op.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>

enum { STARTS = 4, CALLS = 2, AT_ONCE = 3 };
enum { BLOCKING, NONBLOCKING, PERSIST, FORMS };

static const char *const forms[FORMS] = {"blocking", "nonblocking", "persistent"};

/* The last four are of neighbors: Cartesian or another graph, each neighbor once or more often. */
typedef enum unit_case {
    BASIC,
    IN_PLACE,
    EMPTY,     /* no data at all */
    TYPES,     /* with gaps */
    OPERATION, /* of the program, that does not commute */
    SEVERAL,   /* three are under way at once */
    GRID,
    GRID_REPEATED,
    GRAPH,
    GRAPH_REPEATED,
    CASES
} unit_case;

static const char *const cases[CASES] = {"basic",     "in_place",      "empty", "types",
                                         "operation", "several",       "grid",  "grid_repeated",
                                         "graph",     "graph_repeated"};

static struct {
    coll_kind only; /* COLL_KINDS: all */
    int first, many, seconds;
    int file;
} options = {.only = COLL_KINDS, .many = 1 << 30, .file = STDOUT_FILENO};

/* ---- what is said ---- */

static char unit[120]; /* NUMBER COLLECTIVE FORM CASE */

static void say(const char *verdict)
{
    dprintf(options.file, "%s %s\n", unit, verdict);
}

/* By the first rank that sees it: the others may wait for ever. */
static void end_with(const char *verdict, int start)
{
    dprintf(options.file, "%s %s %d\n", unit, verdict, start);
    MPI_Abort(MPI_COMM_WORLD, 1);
    _exit(1);
}

static void hangs(int signal)
{
    static const char verdict[] = " hang\n";
    char line[sizeof unit + sizeof verdict];

    (void)signal;
    strcpy(line, unit);
    strcat(line, verdict);
    if (write(options.file, line, strlen(line)) < 0)
        _exit(3);
    _exit(2);
}

/* ---- the three forms of n operations ---- */

static int turn;

static void succeeds(int error, int start)
{
    if (error != MPI_SUCCESS)
        end_with("error", start);
}

static void fill(repairs_op *ops, int n)
{
    for (int i = 0; i < n; i++)
        repairs_op_fill(&ops[i], turn++);
}

static void check(repairs_op *ops, int n, int start)
{
    for (int i = 0; i < n; i++)
        repairs_op_leave(&ops[i]);
    for (int i = 0; i < n; i++)
        if (!repairs_op_is_right(&ops[i]))
            end_with("wrong", start);
}

static void run_blocking(const call_set *s, repairs_op *ops, int n)
{
    for (int call = 1; call <= CALLS; call++) {
        fill(ops, n);
        for (int i = 0; i < n; i++)
            succeeds(calls_run(s, false, &ops[i].args), call);
        check(ops, n, call);
    }
}

static void run_nonblocking(const call_set *s, repairs_op *ops, int n)
{
    MPI_Request r[AT_ONCE];

    for (int call = 1; call <= CALLS; call++) {
        fill(ops, n);
        for (int i = 0; i < n; i++)
            succeeds(calls_start(s, false, &ops[i].args, &r[i]), call);
        succeeds(MPI_Waitall(n, r, MPI_STATUSES_IGNORE), call);
        check(ops, n, call);
    }
}

static void run_persistent(const call_set *s, repairs_op *ops, int n)
{
    MPI_Request r[AT_ONCE];

    for (int i = 0; i < n; i++)
        succeeds(calls_init(s, false, &ops[i].args, MPI_INFO_NULL, &r[i]), 1);
    for (int start = 1; start <= STARTS; start++) {
        fill(ops, n);
        succeeds(MPI_Startall(n, r), start);
        succeeds(MPI_Waitall(n, r, MPI_STATUSES_IGNORE), start);
        check(ops, n, start);
    }
    for (int i = 0; i < n; i++)
        succeeds(MPI_Request_free(&r[i]), STARTS);
}

static void run_ops(const call_set *s, int form, const repairs_what *what, int n)
{
    static void (*const run[FORMS])(const call_set *, repairs_op *,
                                    int) = {run_blocking, run_nonblocking, run_persistent};
    repairs_op ops[AT_ONCE];

    for (int i = 0; i < n; i++)
        repairs_op_open(&ops[i], s->kind, &what[i]);
    run[form](s, ops, n);
    for (int i = 0; i < n; i++)
        repairs_op_close(&ops[i]);
}

/* ---- cases with blocks for all ranks ---- */

static const int counts[AT_ONCE] = {1, 300, 3000};

/* All counts, and the first and the last root; or all counts at once. */
static void run_sizes(const call_set *s, int form, repairs_what w, bool at_once)
{
    int last = coll_has(s->kind, COLL_ROOTED) ? world_size - 1 : 0;
    repairs_what what[AT_ONCE];

    for (w.root = 0; w.root <= last; w.root += last ? last : 1) {
        for (int i = 0; i < AT_ONCE; i++) {
            what[i] = w;
            what[i].count = counts[i];
            if (!at_once)
                run_ops(s, form, &what[i], 1);
        }
        if (at_once)
            run_ops(s, form, what, AT_ONCE);
    }
}

enum { SUM = 1, COMPOSE = 5, COMPOSE_GAPS = 6, ADD_GAPS = 8 }; /* of reductions */

static void run_blocks(const call_set *s, int form, unit_case which)
{
    static const int with_gaps[] = {1, 3, 4, 5}; /* of type_pairs */
    repairs_what w = {.reduction = SUM, .in_place = which == IN_PLACE};

    if (which == EMPTY) {
        run_ops(s, form, &w, 1);
    } else if (which == TYPES && coll_has(s->kind, COLL_REDUCES)) {
        w.reduction = ADD_GAPS;
        run_sizes(s, form, w, false);
    } else if (which == TYPES) {
        for (int i = 0; i < 4; i++) {
            w.types = with_gaps[i];
            run_sizes(s, form, w, false);
        }
    } else if (which == OPERATION) {
        for (w.reduction = COMPOSE; w.reduction <= COMPOSE_GAPS; w.reduction++)
            run_sizes(s, form, w, false);
    } else {
        run_sizes(s, form, w, which == SEVERAL);
    }
}

/* ---- cases with blocks for the edges of a graph ---- */

enum { MOST_GRAPHS = 80 };
static struct {
    int n;
    graph g[MOST_GRAPHS];
    bool repeated[MOST_GRAPHS], cartesian[MOST_GRAPHS]; /* the same on all ranks */
} all;

static bool is_repeated(int n, const int *list)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            if (list[i] == list[k] && list[i] != MPI_PROC_NULL)
                return true;
    return false;
}

static void make_graphs(void)
{
    while (all.n < MOST_GRAPHS && graph_make(all.n, &all.g[all.n])) {
        graph *g = &all.g[all.n];
        bool repeated = is_repeated(g->in, g->sources) || is_repeated(g->out, g->destinations);
        all.repeated[all.n] = repairs_greatest(repeated) > 0;
        all.cartesian[all.n] = repairs_greatest(g->cartesian) > 0;
        all.n++;
    }
}

/* Is this graph of the case? */
static bool is_of_case(int i, unit_case which)
{
    switch (which) {
    case GRID:
    case GRID_REPEATED:
        return all.cartesian[i] && all.repeated[i] == (which == GRID_REPEATED);
    case GRAPH:
    case GRAPH_REPEATED:
        return !all.cartesian[i] && all.repeated[i] == (which == GRAPH_REPEATED);
    default:
        return !all.repeated[i];
    }
}

static void run_graph(const call_set *s, int form, unit_case which, const graph *g)
{
    static const int units[AT_ONCE] = {3, 30, 3000};
    repairs_what what[AT_ONCE];
    int n = which == SEVERAL ? AT_ONCE : 1;

    for (int i = 0; i < AT_ONCE; i++)
        what[i] = (repairs_what){.count = units[i], .in_place = which == IN_PLACE, .g = g};
    if (which == EMPTY)
        what[0].count = 0;
    for (int types = which == TYPES; types <= (which == TYPES ? 2 : 0); types++) {
        what[0].types = types;
        run_ops(s, form, what, n);
    }
}

static void run_neighbors(const call_set *s, int form, unit_case which)
{
    if (all.n == 0)
        make_graphs();
    for (int i = 0; i < all.n; i++)
        if (all.g[i].comm != MPI_COMM_NULL && is_of_case(i, which))
            run_graph(s, form, which, &all.g[i]);
}

static void run_typed(const call_set *s, int form, unit_case which)
{
    static graph complete;

    if (!complete.p)
        graph_complete(&complete);
    run_graph(s, form, which, &complete);
}

/* ---- all units ---- */

static bool has_case(coll_kind kind, int form, unit_case which)
{
    if (which == SEVERAL)
        return form != BLOCKING;
    if (coll_has(kind, COLL_NEIGHBORS))
        return which == EMPTY || which == TYPES || which >= GRID;
    if (which == BASIC)
        return true;
    if (kind == COLL_barrier || which >= GRID)
        return false;
    if (which == IN_PLACE)
        return coll_shapes[kind].send != COLL_NONE;
    return which != OPERATION || coll_has(kind, COLL_REDUCES);
}

static void run_unit(const call_set *s, int form, unit_case which, int number)
{
    snprintf(unit, sizeof unit, "%d %s %s %s", number, coll_kind_name(s->kind), forms[form],
             cases[which]);
    if (world_rank == 0)
        say("begin");
    alarm((unsigned)options.seconds);
    repairs_greatest(0); /* it has been said */
    if (coll_has(s->kind, COLL_NEIGHBORS))
        run_neighbors(s, form, which);
    else if (s->kind == COLL_alltoallw)
        run_typed(s, form, which);
    else
        run_blocks(s, form, which);
    repairs_greatest(0); /* all have come so far */
    alarm(0);
    if (world_rank == 0)
        say("right");
}

static void run_units(void)
{
    int number = 0, end = options.first + options.many;

    for (int i = 0; i < call_set_count; i++)
        for (int form = 0; form < FORMS; form++)
            for (int which = 0; which < CASES; which++) {
                coll_kind kind = call_sets[i].kind;
                if (!has_case(kind, form, which) || ++number < options.first || number >= end)
                    continue;
                if (options.only == COLL_KINDS || options.only == kind)
                    run_unit(&call_sets[i], form, which, number);
            }
}

/* "MPICH 4.0.2" */
static void name_library(void)
{
    char text[8192] = ""; /* MPICH's are longer than MPI_MAX_LIBRARY_VERSION_STRING of Open MPI */
    int length;

    MPI_Get_library_version(text, &length);
    text[strcspn(text, ",\n")] = '\0';
    dprintf(options.file, "library %s\n", text);
}

static bool read_options(int argc, char **argv)
{
    const char *collective = NULL;

    for (int c; (c = getopt(argc, argv, "c:b:n:f:t:")) != -1;) {
        if (c == 'c')
            options.only = coll_kind_find(collective = optarg);
        else if (c == 'b')
            options.first = atoi(optarg);
        else if (c == 'n')
            options.many = atoi(optarg);
        else if (c == 't')
            options.seconds = atoi(optarg);
        else if (c == 'f')
            options.file = open(optarg, O_WRONLY | O_APPEND | O_CREAT, 0644);
        else
            return false;
    }
    if (collective && options.only == COLL_KINDS)
        return false; /* there is none of that name */
    if (options.many > (1 << 30) - options.first)
        options.many = (1 << 30) - options.first;
    return options.file >= 0 && optind == argc;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (!read_options(argc, argv)) {
        fprintf(stderr, "plain_repairs: see its first lines\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    type_pairs_make();
    reductions_make();
    signal(SIGALRM, hangs);
    if (world_rank == 0)
        name_library(); /* before run_unit lets another rank say anything */
    run_units();
    if (world_rank == 0)
        dprintf(options.file, "end\n");
    MPI_Finalize();
    return 0;
}
