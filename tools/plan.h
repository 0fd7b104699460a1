/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.h - what tutti-plan is asked for, and its parts: the command line (plan_options.c), a
 * schedule of one rank or of all (plan_schedules.c), what would take too long (plan_limits.c), what
 * is printed (plan_print.c), how long it takes (plan_time.c), all algorithms beside each other
 * (plan_why.c), what papers' models say (plan_model.c), and pictures (plan_svg.c, plan_dot.c).
 */
#ifndef TUTTI_PLAN_TOOL_H
#define TUTTI_PLAN_TOOL_H

#include "algos/algo.h"
#include "command.h"
#include "tune/estimate.h"
#include "tune/select.h"

enum {
    MOST_RANKS = 1 << 20,
    PLAN_NEIGHBORS = 4 /* of a rank of a grid of two dimensions */
};

typedef struct request {
    coll_kind kind; /* COLL_KINDS: none was named */
    choice choice;
    int p, rank, root;
    bool root_given, all, in_place, critical_path, time, why, model, list;
    bool said;           /* --help, --version: nothing else is to be done */
    int64_t bytes;       /* --bytes, or -1 */
    const char *regions; /* or NULL */
    const char *machine; /* or NULL */
    const char *svg;     /* file, or NULL */
    bool dot;
    topo *topo; /* of it */
    int64_t *counts, *displs;
    command command;
} request;

/* Take the command line. Returns 0 or the exit status; r->command knows what is wrong. */
int plan_parse(request *r, int argc, char **argv);

/* Say what is wrong. Returns the exit status. */
int plan_fail(const char *what, const char *value);

/* NULL: out of memory. */
sched *plan_compile(const request *r, int rank);

/* The schedules of all ranks, and an end to them. NULL: out of memory. */
sched **plan_compile_all(const request *r);

/* What a rank exchanges before that, to know lengths at other ranks; rounds: 0: nothing. Words have
 * 8 bytes. */
typedef struct plan_exchange {
    int rounds;
    int64_t messages; /* sent and received */
    int64_t words;    /* received */
} plan_exchange;

plan_exchange plan_count_exchange(const request *r, int rank);
void plan_free_all(const request *r, sched **all);

/* The constants of --machine, or those that `auto` goes by here. False: said. And where they are
 * from. */
bool plan_find_machine(const request *r, constants *k);

/* The most of any node. */
int plan_ranks_of_node(const request *r);
const char *plan_machine(void);

/* How long it takes; r->bytes is there. False: out of memory. */
bool plan_estimate(const request *r, const constants *k, estimate *result);

/* The same step by step: `all` and `of` are the graph's. Freed also if it was not made. */
typedef struct plan_times {
    sched **all;
    stepgraph graph;
    step_time *of; /* [graph.n] */
    estimate estimate;
} plan_times;

bool plan_times_make(const request *r, const constants *k, plan_times *t);
void plan_times_free(const request *r, plan_times *t);

/* Bytes of a message, if a block, or a vector, has r->bytes; a token has none. */
int64_t plan_step_bytes(const request *r, const sched *s, const step *st);

/* What an element of the schedule's data is called. */
const char *plan_unit(const request *r, const sched *s);

/* "allgather ring, 8 ranks on node:4" */
void plan_print_title(const request *r);

/* Does it take too long? Said on stderr; returns 0 or the exit status. `option` asks for all ranks.
 */
int plan_too_many_carried(const request *r);
int plan_too_much(const request *r, const char *option);

/* Each returns the exit status. */
int plan_print_rank(const request *r);
int plan_print_all(const request *r);
int plan_print_critical_path(const request *r);
int plan_print_time(const request *r);
int plan_print_machine(const request *r);
int plan_print_why(const request *r);
int plan_print_model(const request *r);
int plan_draw_svg(const request *r);
int plan_print_dot(const request *r);

/* --list: all collectives, or a collective's algorithms with their words, a line each. */
int plan_print_list(const request *r);

#endif
