/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_svg_messages.c - the messages in the picture of a collective: a line for each, from its
 * sender's row to its receiver's, whose colour and dashes show what it crosses. Where there are
 * many, those of a level are one path. See plan_svg.h.
 */
#include "plan_svg.h"

#include <inttypes.h>
#include <string.h>

bool picture_is_sent(const picture *p, int i)
{
    return stepgraph_step(p->g, i)->kind == STEP_SEND && p->times[i].arrives != STEP_NEVER;
}

picture_level picture_level_of(const picture *p, int from, int to)
{
    const topo *t = p->r->topo;

    if (t && t->node[from] != t->node[to])
        return topo_distance(t, from, to) > 10 ? LEVEL_SWITCHES : LEVEL_NETWORK;
    return p->inner && p->inner->region[from] == p->inner->region[to] ? LEVEL_INNER : LEVEL_NODE;
}

static void draw_message(const picture *p, int i)
{
    const step *st = stepgraph_step(p->g, i);
    const step_time *t = &p->times[i];
    int from = p->g->rank[i], to = st->peer;
    picture_level l = picture_level_of(p, from, to);

    fprintf(p->out,
            "<path class=\"message %s\" d=\"M%.2f %.1fL%.2f %.1f\" stroke=\"%s\" "
            "stroke-width=\"1.1\"",
            picture_level_names[l], picture_x(p, t->leaves), picture_middle(p, from),
            picture_x(p, t->arrives), picture_middle(p, to), picture_level_colors[l]);
    if (strcmp(picture_level_dashes[l], "none") != 0)
        fprintf(p->out, " stroke-dasharray=\"%s\"", picture_level_dashes[l]);
    fprintf(p->out, " marker-end=\"url(#to-%s)\"><title>%d to %d, %" PRId64 " bytes, ",
            picture_level_names[l], from, to, plan_step_bytes(p->r, p->g->of[from], st));
    picture_put_times(p, t->leaves, t->arrives);
    fprintf(p->out, "</title></path>\n");
}

static void draw_level(const picture *p, picture_level l)
{
    bool between = l == LEVEL_NETWORK || l == LEVEL_SWITCHES;

    fprintf(p->out,
            "<path class=\"messages %s\" stroke=\"%s\" stroke-width=\"%s\" "
            "stroke-dasharray=\"%s\" d=\"",
            picture_level_names[l], picture_level_colors[l], between ? "0.8" : "0.4",
            picture_level_dashes[l]);
    for (int i = 0; i < p->g->n; i++) {
        int from = p->g->rank[i], to = stepgraph_step(p->g, i)->peer;

        if (!picture_is_sent(p, i) || picture_level_of(p, from, to) != l ||
            (!between && p->one_node && p->r->topo->node[from] != 0))
            continue;
        fprintf(p->out, "M%.1f %.1fL%.1f %.1f", picture_x(p, p->times[i].leaves),
                picture_middle(p, from), picture_x(p, p->times[i].arrives), picture_middle(p, to));
    }
    fprintf(p->out, "\"/>\n");
}

void picture_draw_messages(const picture *p)
{
    fprintf(p->out, "<g id=\"messages\" fill=\"none\" opacity=\"%s\">\n", p->dense ? "0.6" : "0.9");
    for (int l = 0; p->dense && l < PICTURE_LEVELS; l++)
        if (p->levels[l])
            draw_level(p, (picture_level)l);
    for (int i = 0; !p->dense && i < p->g->n; i++)
        if (picture_is_sent(p, i))
            draw_message(p, i);
    fprintf(p->out, "</g>\n");
}

void picture_define_heads(const picture *p)
{
    fprintf(p->out, "<defs>\n");
    for (int l = 0; l < PICTURE_LEVELS; l++)
        fprintf(p->out,
                "<marker id=\"to-%s\" viewBox=\"0 0 6 6\" refX=\"5.5\" refY=\"3\" "
                "markerUnits=\"userSpaceOnUse\" markerWidth=\"6\" markerHeight=\"6\" "
                "orient=\"auto\"><path d=\"M0 0.6L6 3L0 5.4z\" fill=\"%s\"/></marker>\n",
                picture_level_names[l], picture_level_colors[l]);
    fprintf(p->out, "</defs>\n");
}
