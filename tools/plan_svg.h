/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_svg.h - the picture that tutti-plan --svg draws, as its parts see it: all of it
 * (plan_svg.c), the axis of time (plan_svg_time.c), a row for each rank (plan_svg_rows.c), a line
 * for each message (plan_svg_messages.c), the legend and its colours (plan_svg_legend.c), names
 * (plan_svg_text.c).
 */
#ifndef TUTTI_PLAN_SVG_H
#define TUTTI_PLAN_SVG_H

#include "plan.h"

#include <stdio.h>

enum {
    PICTURE_LEFT = 112,
    PICTURE_WIDTH = 1100, /* of the time from the start to the end */
    PICTURE_TOP = 64,
    PICTURE_DENSE = 1000 /* with more steps than that a picture is dense */
};

/* What a message crosses. */
typedef enum picture_level {
    LEVEL_INNER,
    LEVEL_NODE,
    LEVEL_NETWORK,
    LEVEL_SWITCHES,
    PICTURE_LEVELS
} picture_level;

enum { PICTURE_KINDS = STEP_REDUCE + 1 }; /* of steps that have a bar */

typedef struct picture {
    const request *r;
    const stepgraph *g;
    const step_time *times;
    const topo_level *inner; /* the coarsest level inside nodes, or NULL */
    FILE *out;
    int64_t end;                     /* picoseconds, at least 1 */
    int64_t drawn;                   /* steps that have a bar */
    bool dense;                      /* drawn without heads and times */
    bool one_node;                   /* messages inside nodes are drawn for node 0 alone */
    const char *phase[SCHED_PHASES]; /* names, of all ranks */
    int nphases;
    int bar, band, row;        /* heights */
    bool kinds[PICTURE_KINDS]; /* what there is, for the legend */
    bool levels[PICTURE_LEVELS];
} picture;

/* ---- names (plan_svg_text.c) ---- */

/* Write a text in which characters may stand that XML has a meaning for. */
void picture_put_text(const picture *p, const char *text);

/* Which of p->phase has the name, or p->nphases. */
int picture_find_phase(const picture *p, const char *name);

/* ---- time ---- */

typedef struct picture_unit {
    const char *name;
    double picoseconds;
} picture_unit;

/* In which the time of all has at most three digits before the point. */
picture_unit picture_unit_of_time(const picture *p);

double picture_x(const picture *p, int64_t time);
void picture_put_times(const picture *p, int64_t begin, int64_t end);

/* Below the rows, which end there. */
void picture_draw_axis(const picture *p, int bottom);

/* ---- rows ---- */

/* Needs to know the phases. */
void picture_choose_heights(picture *p);

/* The upper edge of a rank's row; the middle of its bars, where messages begin and end; the lower
 * edge of all rows. */
int picture_top(const picture *p, int rank);
double picture_middle(const picture *p, int rank);
int picture_bottom(const picture *p);
void picture_draw_row(const picture *p, int rank);

/* ---- messages ---- */

/* Is step i a send whose message arrives? */
bool picture_is_sent(const picture *p, int i);
picture_level picture_level_of(const picture *p, int from, int to);

/* Heads of arrows, to be defined before the messages and the legend. */
void picture_define_heads(const picture *p);
void picture_draw_messages(const picture *p);

/* ---- legend ---- */

extern const char *const picture_level_colors[PICTURE_LEVELS];
extern const char *const picture_level_dashes[PICTURE_LEVELS];
extern const char *const picture_level_names[PICTURE_LEVELS];
extern const char *const picture_kind_colors[PICTURE_KINDS];
extern const char *const picture_kind_names[PICTURE_KINDS];
const char *picture_phase_color(int phase);

int picture_legend_height(const picture *p);
void picture_draw_legend(const picture *p, int bottom); /* of the rows */

#endif
