/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_svg_rows.c - a row for each rank in the picture of a collective: bars for what the rank's
 * processor does, and bands below them for the phases of the algorithm. See plan_svg.h.
 */
#include "plan_svg.h"

#include <string.h>

/* So that 4 ranks do not look lost, and 64 fit on a page. */
void picture_choose_heights(picture *p)
{
    int n = p->g->p;

    p->bar = n <= 8 ? 18 : n <= 16 ? 13 : n <= 32 ? 9 : 6;
    p->band = n <= 8 ? 13 : n <= 16 ? 10 : n <= 32 ? 5 : 3;
    if (p->nphases > 4)
        p->band = (p->band + 1) / 2;
    p->row = p->bar + p->nphases * p->band + (n <= 16 ? 10 : 5);
}

int picture_top(const picture *p, int rank)
{
    return PICTURE_TOP + rank * p->row;
}

double picture_middle(const picture *p, int rank)
{
    return picture_top(p, rank) + 2 + 0.5 * p->bar;
}

int picture_bottom(const picture *p)
{
    return picture_top(p, p->g->p);
}

static void draw_label(const picture *p, int rank)
{
    const topo *t = p->r->topo;
    int size = p->row >= 14 ? 11 : 9;

    if (t && t->nodes > 1 && t->node[rank] % 2)
        fprintf(p->out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#F3F3F3\"/>\n",
                0, picture_top(p, rank), PICTURE_LEFT + PICTURE_WIDTH, p->row);
    fprintf(p->out, "<text x=\"%d\" y=\"%.1f\" font-size=\"%d\" text-anchor=\"end\">%d",
            PICTURE_LEFT - 8, picture_middle(p, rank) + 0.36 * size, size, rank);
    if (t && t->nodes > 1)
        fprintf(p->out, " <tspan fill=\"#606060\">node %d</tspan>", t->node[rank]);
    fprintf(p->out, "</text>\n");
}

/* Picoseconds. */
typedef struct span {
    int64_t begin, end;
} span;

static void widen_span(span *s, const step_time *t)
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
    double x = picture_x(p, s.begin), width = picture_x(p, s.end) - x;
    int y = picture_top(p, rank) + 3 + p->bar + phase * p->band;
    int size = p->band - 3;

    fprintf(p->out,
            "<rect class=\"phase\" x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%.1f\" "
            "fill=\"%s\"><title>",
            x, y, width < 0.5 ? 0.5 : width, p->band - 0.5, picture_phase_color(phase));
    picture_put_text(p, p->phase[phase]);
    fprintf(p->out, "</title></rect>");
    if (size >= 7 && width > 0.62 * size * (double)strlen(p->phase[phase]) + 6) {
        fprintf(p->out, "<text x=\"%.2f\" y=\"%.1f\" font-size=\"%d\">", x + 3, y + 0.8 * size + 1,
                size);
        picture_put_text(p, p->phase[phase]);
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
        widen_span(&spans[picture_find_phase(p, s->phase[s->steps[i].phase])],
                   &p->times[p->g->base[rank] + i]);
    for (int k = 0; k < p->nphases; k++)
        if (spans[k].begin != STEP_NEVER)
            draw_band(p, rank, k, spans[k]);
}

static void draw_bar(const picture *p, int rank, int i)
{
    const step *st = stepgraph_step(p->g, i);
    const step_time *t = &p->times[i];
    double x = picture_x(p, t->begin), width = picture_x(p, t->end) - x;

    fprintf(p->out,
            "<rect class=\"%s\" x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"%s\"",
            picture_kind_names[st->kind], x, picture_top(p, rank) + 2, width < 0.6 ? 0.6 : width,
            p->bar, picture_kind_colors[st->kind]);
    if (width > 3)
        fprintf(p->out, " stroke=\"#fff\" stroke-width=\"0.5\"");
    fprintf(p->out, "><title>step %d: %s", i - p->g->base[rank], picture_kind_names[st->kind]);
    if (step_is_message(st))
        fprintf(p->out, " %s %d", st->kind == STEP_SEND ? "to" : "from", st->peer);
    fprintf(p->out, ", ");
    picture_put_times(p, t->begin, t->end);
    fprintf(p->out, "</title></rect>\n");
}

/* All steps of one kind in one path: a fifth of the bytes. */
static void draw_dense_bars(const picture *p, int rank, int kind)
{
    bool any = false;

    for (int i = p->g->base[rank]; i < p->g->base[rank + 1]; i++) {
        double x = picture_x(p, p->times[i].begin), width = picture_x(p, p->times[i].end) - x;

        if (p->times[i].begin == STEP_NEVER || (int)stepgraph_step(p->g, i)->kind != kind)
            continue;
        if (!any)
            fprintf(p->out,
                    "<path class=\"%s\" stroke=\"%s\" stroke-width=\"%d\" fill=\"none\" d=\"",
                    picture_kind_names[kind], picture_kind_colors[kind], p->bar);
        any = true;
        fprintf(p->out, "M%.1f %gh%.1f", x, picture_middle(p, rank), width < 0.6 ? 0.6 : width);
    }
    if (any)
        fprintf(p->out, "\"/>\n");
}

void picture_draw_row(const picture *p, int rank)
{
    fprintf(p->out, "<g class=\"rank\" id=\"rank-%d\">\n", rank);
    draw_label(p, rank);
    fprintf(p->out, "<path d=\"M%d %dH%d\" stroke=\"#C8C8C8\" stroke-width=\"0.5\"/>\n",
            PICTURE_LEFT, picture_top(p, rank) + p->row, PICTURE_LEFT + PICTURE_WIDTH);
    draw_bands(p, rank);
    for (int k = 0; p->dense && k < PICTURE_KINDS; k++)
        draw_dense_bars(p, rank, k);
    for (int i = p->g->base[rank]; !p->dense && i < p->g->base[rank + 1]; i++)
        if (p->times[i].begin != STEP_NEVER)
            draw_bar(p, rank, i);
    fprintf(p->out, "</g>\n");
}
