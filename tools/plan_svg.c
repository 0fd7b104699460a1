/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_svg.c - a picture of a collective: who does what when, by the estimate.
 *
 *   rank 0  |=s=| . . . . |=r=|            bars: what the rank's processor does
 *            ~~~~\~~~~~~~~~/~~~            lines: messages, coloured by the level they cross
 *   rank 1        \.|=r=|=s=|              bands below the bars: phases of the algorithm
 *            0         10        20 us
 *
 * Colours are those of Okabe and Ito, which the colour-blind tell apart; bars and bands also differ
 * in lightness, lines in how they are dashed, for who prints in grey.
 */
#define _XOPEN_SOURCE 700 /* open_memstream */
#include "nbc/process/whole_file.h"
#include "plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DRAWN = 256, MOST_TIPS = 20000, LEFT = 112, WIDTH = 1100, RIGHT = 28, TOP = 64 };

typedef enum level { INNER, NODE, NETWORK, SWITCHES, LEVELS } level;

static const char *const level_colors[] = {"#009E73", "#0072B2", "#D55E00", "#AA4499"};
static const char *const level_dashes[] = {"2 1.5", "none", "none", "5 2"};
static const char *const level_names[] = {"inside", "node", "network", "switches"};
static const char *const kind_colors[] = {"#404040", "#A8A8A8", "#F0E442", "#E69F00"};
static const char *const kind_names[] = {"send", "receive", "copy", "reduce"};
static const char *const phase_colors[] = {"#BFE0F5", "#F7D9A8", "#C5E8D8", "#EBCBDD",
                                           "#E2E2E2", "#F6EFA6", "#D3D0EE", "#F4C7B4"};

enum { PHASE_COLORS = sizeof phase_colors / sizeof *phase_colors, KINDS = STEP_REDUCE + 1 };

typedef struct picture {
    const request *r;
    const stepgraph *g;
    const step_time *times;
    const topo_level *inner; /* the coarsest level inside nodes, or NULL */
    FILE *out;
    int64_t end;                     /* picoseconds, at least 1 */
    int64_t drawn;                   /* steps: each has a bar, a send a message as well */
    const char *phase[SCHED_PHASES]; /* names, of all ranks */
    int nphases;
    int bar, band, row;                /* heights */
    bool kinds[KINDS], levels[LEVELS]; /* what there is, for the legend */
} picture;

/* ---- what there is ---- */

static const step *step_at(const picture *p, int i)
{
    return stepgraph_step(p->g, i);
}

static bool is_sent(const picture *p, int i)
{
    return step_at(p, i)->kind == STEP_SEND && p->times[i].arrives != STEP_NEVER;
}

static level level_of(const picture *p, int from, int to)
{
    const topo *t = p->r->topo;

    if (t && t->node[from] != t->node[to])
        return topo_distance(t, from, to) > 10 ? SWITCHES : NETWORK;
    return p->inner && p->inner->region[from] == p->inner->region[to] ? INNER : NODE;
}

/* Ranks may have different phases: leaders have more. Names are told apart by what they say. */
static int find_phase(const picture *p, const char *name)
{
    int k = 0;

    while (k < p->nphases && strcmp(p->phase[k], name) != 0)
        k++;
    return k;
}

static void collect(picture *p)
{
    for (int r = 0; r < p->g->p; r++)
        for (int k = 0; k < p->g->of[r]->nphases; k++)
            if (find_phase(p, p->g->of[r]->phase[k]) == p->nphases && p->nphases < SCHED_PHASES)
                p->phase[p->nphases++] = p->g->of[r]->phase[k];
    for (int i = 0; i < p->g->n; i++) {
        const step *st = step_at(p, i);
        if (p->times[i].begin == STEP_NEVER)
            continue;
        p->drawn++;
        p->kinds[st->kind] = true;
        if (is_sent(p, i))
            p->levels[level_of(p, p->g->rank[i], st->peer)] = true;
    }
}

/* So that 4 ranks do not look lost, and 64 fit on a page. */
static void choose_heights(picture *p)
{
    int n = p->g->p;

    p->bar = n <= 8 ? 18 : n <= 16 ? 13 : n <= 32 ? 9 : 6;
    p->band = n <= 8 ? 13 : n <= 16 ? 10 : n <= 32 ? 5 : 3;
    if (p->nphases > 4)
        p->band = (p->band + 1) / 2;
    p->row = p->bar + p->nphases * p->band + (n <= 16 ? 10 : 5);
}

/* ---- where things are ---- */

static double x_of(const picture *p, int64_t time)
{
    return LEFT + (double)WIDTH * (double)time / (double)p->end;
}

static int top_of(const picture *p, int rank)
{
    return TOP + rank * p->row;
}

static double middle_of(const picture *p, int rank)
{
    return top_of(p, rank) + 2 + 0.5 * p->bar;
}

static int bottom_of(const picture *p)
{
    return top_of(p, p->g->p);
}

/* ---- text ---- */

static void put_escaped(FILE *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        default:
            fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
        }
}

typedef struct unit {
    const char *name;
    double picoseconds;
} unit;

/* In which the number before the point has at most three digits. */
static unit unit_of(int64_t time)
{
    static const unit units[] = {{"s", 1e12}, {"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}, {"ps", 1}};
    int i = 0;

    while (units[i].picoseconds > 1 && (double)time < units[i].picoseconds)
        i++;
    return units[i];
}

static void put_title(const picture *p, const char *machine)
{
    const request *r = p->r;
    unit u = unit_of(p->end);
    char name[128];

    select_print(&r->choice, name, sizeof name);
    fprintf(p->out, "%s %s, %d rank%s", coll_kind_name(r->kind), name, r->p, r->p == 1 ? "" : "s");
    if (r->regions) {
        fputs(" on ", p->out);
        put_escaped(p->out, r->regions);
    }
    if (coll_shapes[r->kind].recv != COLL_NONE)
        fprintf(p->out, ", %" PRId64 " bytes", r->bytes);
    fputs(", machine ", p->out);
    put_escaped(p->out, machine);
    fprintf(p->out, "; %.4g %s in all", (double)p->end / u.picoseconds, u.name);
}

/* ---- the axis ---- */

/* 1, 2 or 5 times a power of ten, so that there are 5 to 12 of them. */
static double tick_of(double end)
{
    static const double steps[] = {1, 2, 5};
    double power = 1e-6;

    for (;; power *= 10)
        for (int i = 0; i < 3; i++)
            if (end / (power * steps[i]) <= 12)
                return power * steps[i];
}

static void draw_axis(const picture *p)
{
    unit u = unit_of(p->end);
    double end = (double)p->end / u.picoseconds, tick = tick_of(end);
    int bottom = bottom_of(p);

    fprintf(p->out, "<g id=\"axis\" font-size=\"11\" fill=\"#404040\" text-anchor=\"middle\">\n");
    for (int k = 0; k * tick <= end * 1.000001; k++) {
        double x = LEFT + WIDTH * (k * tick / end);
        fprintf(p->out, "<path d=\"M%.1f %dV%d\" stroke=\"#D8D8D8\" stroke-width=\"0.6\"/>", x, TOP,
                bottom + 4);
        fprintf(p->out, "<text x=\"%.1f\" y=\"%d\">%.6g</text>\n", x, bottom + 17, k * tick);
    }
    fprintf(p->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", LEFT - 14,
            bottom + 17, u.name);
    fprintf(p->out,
            "<path d=\"M%d %dV%d\" stroke=\"#000\" stroke-width=\"0.8\" stroke-dasharray=\"3 "
            "2\"/>\n</g>\n",
            LEFT + WIDTH, TOP - 4, bottom + 4);
}

/* ---- rows ---- */

static void draw_label(const picture *p, int rank)
{
    const topo *t = p->r->topo;
    int size = p->row >= 14 ? 11 : 9;

    if (t && t->nodes > 1 && t->node[rank] % 2)
        fprintf(p->out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#F3F3F3\"/>\n",
                0, top_of(p, rank), LEFT + WIDTH, p->row);
    fprintf(p->out, "<text x=\"%d\" y=\"%.1f\" font-size=\"%d\" text-anchor=\"end\">%d", LEFT - 8,
            middle_of(p, rank) + 0.36 * size, size, rank);
    if (t && t->nodes > 1)
        fprintf(p->out, " <tspan fill=\"#606060\">node %d</tspan>", t->node[rank]);
    fprintf(p->out, "</text>\n");
}

typedef struct span {
    int64_t begin, end;
} span;

static void widen(span *s, const step_time *t)
{
    if (t->begin == STEP_NEVER)
        return;
    if (s->begin == STEP_NEVER || t->begin < s->begin)
        s->begin = t->begin;
    if (t->end > s->end)
        s->end = t->end;
}

static void draw_band(const picture *p, int rank, int phase, span s)
{
    double x = x_of(p, s.begin), width = x_of(p, s.end) - x;
    int y = top_of(p, rank) + 3 + p->bar + phase * p->band;
    int size = p->band - 3;

    fprintf(p->out,
            "<rect class=\"phase\" x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%.1f\" "
            "fill=\"%s\"><title>",
            x, y, width < 0.5 ? 0.5 : width, p->band - 0.5, phase_colors[phase % PHASE_COLORS]);
    put_escaped(p->out, p->phase[phase]);
    fprintf(p->out, "</title></rect>");
    if (size >= 7 && width > 0.62 * size * (double)strlen(p->phase[phase]) + 6) {
        fprintf(p->out, "<text x=\"%.2f\" y=\"%.1f\" font-size=\"%d\">", x + 3, y + 0.8 * size + 1,
                size);
        put_escaped(p->out, p->phase[phase]);
        fprintf(p->out, "</text>");
    }
    fputc('\n', p->out);
}

static void draw_bands(const picture *p, int rank)
{
    const sched *s = p->g->of[rank];
    span spans[SCHED_PHASES];

    for (int k = 0; k < p->nphases; k++)
        spans[k] = (span){STEP_NEVER, STEP_NEVER};
    for (int i = 0; s->nphases && i < s->nsteps; i++)
        widen(&spans[find_phase(p, s->phase[s->steps[i].phase])], &p->times[p->g->base[rank] + i]);
    for (int k = 0; k < p->nphases; k++)
        if (spans[k].begin != STEP_NEVER)
            draw_band(p, rank, k, spans[k]);
}

static void put_times(const picture *p, int64_t begin, int64_t end)
{
    unit u = unit_of(p->end);

    fprintf(p->out, "%.4g to %.4g %s", (double)begin / u.picoseconds, (double)end / u.picoseconds,
            u.name);
}

static void draw_bar(const picture *p, int rank, int i)
{
    const step *st = step_at(p, i);
    const step_time *t = &p->times[i];
    double x = x_of(p, t->begin), width = x_of(p, t->end) - x;

    fprintf(p->out,
            "<rect class=\"%s\" x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"%s\"",
            kind_names[st->kind], x, top_of(p, rank) + 2, width < 0.6 ? 0.6 : width, p->bar,
            kind_colors[st->kind]);
    if (width > 3)
        fprintf(p->out, " stroke=\"#fff\" stroke-width=\"0.5\"");
    if (p->drawn > MOST_TIPS) {
        fprintf(p->out, "/>\n");
        return;
    }
    fprintf(p->out, "><title>step %d: %s", i - p->g->base[rank], kind_names[st->kind]);
    if (step_is_message(st))
        fprintf(p->out, " %s %d", st->kind == STEP_SEND ? "to" : "from", st->peer);
    fprintf(p->out, ", ");
    put_times(p, t->begin, t->end);
    fprintf(p->out, "</title></rect>\n");
}

static void draw_row(const picture *p, int rank)
{
    fprintf(p->out, "<g class=\"rank\" id=\"rank-%d\">\n", rank);
    draw_label(p, rank);
    fprintf(p->out, "<path d=\"M%d %dH%d\" stroke=\"#C8C8C8\" stroke-width=\"0.5\"/>\n", LEFT,
            top_of(p, rank) + p->row, LEFT + WIDTH);
    draw_bands(p, rank);
    for (int i = p->g->base[rank]; i < p->g->base[rank + 1]; i++)
        if (p->times[i].begin != STEP_NEVER)
            draw_bar(p, rank, i);
    fprintf(p->out, "</g>\n");
}

/* ---- messages ---- */

static void draw_message(const picture *p, int i)
{
    const step *st = step_at(p, i);
    const step_time *t = &p->times[i];
    int from = p->g->rank[i], to = st->peer;
    level l = level_of(p, from, to);
    bool many = p->drawn > 2000;

    fprintf(p->out,
            "<path class=\"message %s\" d=\"M%.2f %.1fL%.2f %.1f\" stroke=\"%s\" "
            "stroke-width=\"%s\"",
            level_names[l], x_of(p, t->leaves), middle_of(p, from), x_of(p, t->arrives),
            middle_of(p, to), level_colors[l], many ? "0.5" : "1.1");
    if (strcmp(level_dashes[l], "none") != 0)
        fprintf(p->out, " stroke-dasharray=\"%s\"", level_dashes[l]);
    if (!many)
        fprintf(p->out, " marker-end=\"url(#to-%s)\"", level_names[l]);
    if (p->drawn > MOST_TIPS) {
        fprintf(p->out, "/>\n");
        return;
    }
    fprintf(p->out, "><title>%d to %d, %" PRId64 " bytes, ", from, to,
            plan_step_bytes(p->r, p->g->of[from], st));
    put_times(p, t->leaves, t->arrives);
    fprintf(p->out, "</title></path>\n");
}

static void draw_messages(const picture *p)
{
    fprintf(p->out, "<g id=\"messages\" fill=\"none\" opacity=\"%s\">\n",
            p->drawn > 2000 ? "0.6" : "0.9");
    for (int i = 0; i < p->g->n; i++)
        if (is_sent(p, i))
            draw_message(p, i);
    fprintf(p->out, "</g>\n");
}

static void define_heads(const picture *p)
{
    fprintf(p->out, "<defs>\n");
    for (int l = 0; l < LEVELS; l++)
        fprintf(p->out,
                "<marker id=\"to-%s\" viewBox=\"0 0 6 6\" refX=\"5.5\" refY=\"3\" "
                "markerUnits=\"userSpaceOnUse\" markerWidth=\"6\" markerHeight=\"6\" "
                "orient=\"auto\"><path d=\"M0 0.6L6 3L0 5.4z\" fill=\"%s\"/></marker>\n",
                level_names[l], level_colors[l]);
    fprintf(p->out, "</defs>\n");
}

/* ---- legend ---- */

static int after_text(int x, const char *text)
{
    return x + 30 + (int)(6.4 * (double)strlen(text)) + 16;
}

static int put_box(const picture *p, int x, int y, const char *color, const char *text)
{
    fprintf(p->out,
            "<rect x=\"%d\" y=\"%d\" width=\"22\" height=\"10\" fill=\"%s\"/><text x=\"%d\" "
            "y=\"%d\">",
            x, y - 9, color, x + 28, y);
    put_escaped(p->out, text);
    fprintf(p->out, "</text>\n");
    return after_text(x, text);
}

static const char *level_text(const picture *p, level l)
{
    static char text[64];
    const topo *t = p->r->topo;

    switch (l) {
    case INNER:
        snprintf(text, sizeof text, "inside a %s", topo_kind_name(p->inner->kind));
        return text;
    case NODE:
        return !t || t->nodes == 1 ? "inside the node" : "inside a node";
    case NETWORK:
        return "between nodes";
    default:
        return "between nodes, over several switches";
    }
}

static int put_line(const picture *p, int x, int y, level l)
{
    fprintf(p->out,
            "<path d=\"M%d %dh22\" stroke=\"%s\" stroke-width=\"1.6\" stroke-dasharray=\"%s\" "
            "marker-end=\"url(#to-%s)\"/><text x=\"%d\" y=\"%d\">%s</text>\n",
            x, y - 4, level_colors[l], level_dashes[l], level_names[l], x + 28, y,
            level_text(p, l));
    return after_text(x, level_text(p, l));
}

static int put_head(const picture *p, int y, const char *text)
{
    fprintf(p->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"#606060\">%s</text>\n",
            LEFT - 8, y, text);
    return LEFT;
}

static int draw_legend_phases(const picture *p, int y)
{
    int x = put_head(p, y, "phases");

    for (int k = 0; k < p->nphases; k++) {
        if (after_text(x, p->phase[k]) > LEFT + WIDTH) {
            x = LEFT;
            y += 18;
        }
        x = put_box(p, x, y, phase_colors[k % PHASE_COLORS], p->phase[k]);
    }
    return y;
}

/* Returns where it ends. */
static int draw_legend(const picture *p)
{
    int y = bottom_of(p) + 44, x;

    fprintf(p->out, "<g id=\"legend\" font-size=\"12\">\n");
    x = put_head(p, y, "processor");
    for (int k = 0; k < KINDS; k++)
        if (p->kinds[k])
            x = put_box(p, x, y, kind_colors[k], kind_names[k]);
    y += 18;
    x = put_head(p, y, "messages");
    for (int l = 0; l < LEVELS; l++)
        if (p->levels[l])
            x = put_line(p, x, y, (level)l);
    if (p->nphases)
        y = draw_legend_phases(p, y + 18);
    fprintf(p->out, "</g>\n");
    return y;
}

/* ---- all of it ---- */

static int legend_height(const picture *p)
{
    int x = LEFT, lines = p->nphases ? 3 : 2;

    for (int k = 0; k < p->nphases; k++, x = after_text(x, p->phase[k - 1]))
        if (after_text(x, p->phase[k]) > LEFT + WIDTH) {
            x = LEFT;
            lines++;
        }
    return 44 + 18 * lines;
}

static void draw(const picture *p, const char *machine)
{
    int width = LEFT + WIDTH + RIGHT, height = bottom_of(p) + legend_height(p);

    fprintf(p->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\">\n",
            width, height, width, height);
    fprintf(p->out, "<title>");
    put_title(p, machine);
    fprintf(p->out, "</title>\n");
    define_heads(p);
    fprintf(p->out, "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
    fprintf(p->out, "<text x=\"16\" y=\"28\" font-size=\"15\" font-weight=\"bold\">");
    put_title(p, machine);
    fprintf(p->out, "</text>\n");
    fprintf(p->out,
            "<text x=\"%d\" y=\"%d\" font-size=\"11\" text-anchor=\"end\" "
            "fill=\"#606060\">rank</text>\n",
            LEFT - 8, TOP - 8);
    for (int r = 0; r < p->g->p; r++)
        draw_row(p, r);
    draw_axis(p);
    draw_messages(p);
    draw_legend(p);
    fprintf(p->out, "</svg>\n");
}

/* NULL: out of memory. */
static char *draw_to_memory(picture *p, const char *machine, size_t *size)
{
    char *text = NULL;

    p->out = open_memstream(&text, size);
    if (!p->out)
        return NULL;
    draw(p, machine);
    if (fclose(p->out) == 0)
        return text;
    free(text);
    return NULL;
}

static char *draw_times(const request *r, const plan_times *t, size_t *size)
{
    picture p = {.r = r,
                 .g = &t->graph,
                 .times = t->of,
                 .inner = topo_inner(r->topo),
                 .end = t->estimate.time > 0 ? t->estimate.time : 1};

    collect(&p);
    choose_heights(&p);
    return draw_to_memory(&p, plan_machine(), size);
}

static bool put(const char *name, const char *text, size_t size)
{
    if (strcmp(name, "-") != 0)
        return whole_file_write(name, text, size);
    errno = 0;
    return fwrite(text, 1, size, stdout) == size && fflush(stdout) == 0;
}

int plan_draw_svg(const request *r)
{
    constants k;
    plan_times t;
    char *text = NULL;
    size_t size = 0;
    int failed = plan_find_machine(r, &k) ? plan_too_much(r, "--svg") : 2;

    if (failed)
        return failed;
    if (r->p > MOST_DRAWN) {
        fprintf(stderr, "tutti-plan: --svg draws at most %d ranks\n", MOST_DRAWN);
        return 2;
    }
    if (plan_times_make(r, &k, &t))
        text = draw_times(r, &t, &size);
    plan_times_free(r, &t);
    if (!text)
        return plan_fail("out of memory", "picture");
    if (!put(r->svg, text, size)) {
        fprintf(stderr, "tutti-plan: %s: %s\n", r->svg, strerror(errno));
        failed = 2;
    }
    free(text);
    return failed;
}
