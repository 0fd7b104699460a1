/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_dot.c - which steps of one rank wait for which, in the language of Graphviz.
 *
 * Boxes are sends, ellipses receives, notes copies, hexagons reductions; a phase of the algorithm
 * is a cluster. Colours are those of plan_svg_legend.c.
 */
#include "plan.h"

#include <inttypes.h>
#include <stdio.h>

enum { MOST_NODES = 5000 }; /* dot takes minutes beyond */

typedef struct look {
    const char *name, *shape, *fill, *text;
} look;

static const look looks[] = {
    [STEP_SEND] = {"send", "box", "#404040", "#FFFFFF"},
    [STEP_RECV] = {"receive", "ellipse", "#C8C8C8", "#000000"},
    [STEP_COPY] = {"copy", "note", "#F0E442", "#000000"},
    [STEP_REDUCE] = {"reduce", "hexagon", "#E69F00", "#000000"},
    [STEP_FENCE] = {"fence", "octagon", "#FFFFFF", "#000000"},
};

static const char *const spaces[] = {"send", "recv", "scratch"};

static void print_interval(interval i)
{
    printf("%s[%" PRId64, spaces[i.space], (int64_t)i.offset);
    if (i.length > 1)
        printf("..%" PRId64, interval_end(i) - 1);
    printf("]");
}

/* A message may have hundreds of intervals: more than three are counted. */
static void print_data(const sched *s, const step *st)
{
    enum { SHOWN = 3 };

    for (int k = 0; k < st->n && k < SHOWN; k++) {
        printf(k == 0 ? "\\n" : step_is_message(st) ? " " : " to ");
        print_interval(s->list[st->first + k]);
    }
    if (st->n > SHOWN)
        printf(" and %d more", st->n - SHOWN);
}

static void print_node(const sched *s, int i, const char *indent)
{
    const step *st = &s->steps[i];
    const look *l = &looks[st->kind];

    printf("%s%d [shape=%s, fillcolor=\"%s\", fontcolor=\"%s\", label=\"%d %s", indent, i, l->shape,
           l->fill, l->text, i, l->name);
    if (step_is_message(st))
        printf(" %s %d", st->kind == STEP_SEND ? "to" : "from", st->peer);
    print_data(s, st);
    printf("\"];\n");
}

static void print_phase(const sched *s, int phase)
{
    printf("    subgraph cluster_%d {\n        label=\"%s\";\n", phase, s->phase[phase]);
    for (int i = 0; i < s->nsteps; i++)
        if (s->steps[i].phase == phase)
            print_node(s, i, "        ");
    printf("    }\n");
}

static void print_edges(const sched *s)
{
    for (int i = 0; i < s->nsteps; i++)
        for (int k = s->succ_at[i]; k < s->succ_at[i + 1]; k++)
            printf("    %d -> %d;\n", i, s->succ[k]);
}

static void print_graph(const request *r, const sched *s)
{
    printf("digraph tutti {\n    label=\"");
    plan_print_title(r);
    printf(", rank %d; data in %ss\";\n    labelloc=t;\n", r->rank, plan_unit(r, s));
    printf("    node [style=filled, fontname=\"Helvetica\", fontsize=11];\n");
    printf("    edge [color=\"#606060\"];\n");
    printf("    graph [fontname=\"Helvetica\", color=\"#909090\"];\n");
    for (int k = 0; k < s->nphases; k++)
        print_phase(s, k);
    for (int i = 0; !s->nphases && i < s->nsteps; i++)
        print_node(s, i, "    ");
    print_edges(s);
    printf("}\n");
}

int plan_print_dot(const request *r)
{
    sched *s = plan_compile(r, r->rank);
    int failed = 0;

    if (!s)
        return plan_fail("out of memory", "schedule");
    if (s->nsteps > MOST_NODES) {
        fprintf(stderr, "tutti-plan: --dot draws at most %d steps, and this rank has %d\n",
                MOST_NODES, s->nsteps);
        failed = 2;
    } else {
        print_graph(r, s);
    }
    sched_free(s);
    return failed;
}
