/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_svg_legend.c - the legend of the picture of a collective, and the colours that it explains.
 * They are those of Okabe and Ito, which the colour-blind tell apart; bars and bands also differ in
 * lightness, lines in how they are dashed, for who prints in grey. See plan_svg.h.
 */
#include "plan_svg.h"

#include <string.h>

const char *const picture_level_colors[] = {"#009E73", "#0072B2", "#D55E00", "#AA4499"};
const char *const picture_level_dashes[] = {"2 1.5", "none", "none", "5 2"};
const char *const picture_level_names[] = {"inside", "node", "network", "switches"};
const char *const picture_kind_colors[] = {"#404040", "#A8A8A8", "#F0E442", "#E69F00"};
const char *const picture_kind_names[] = {"send", "receive", "copy", "reduce"};
static const char *const phase_colors[] = {"#BFE0F5", "#F7D9A8", "#C5E8D8", "#EBCBDD",
                                           "#E2E2E2", "#F6EFA6", "#D3D0EE", "#F4C7B4"};

const char *picture_phase_color(int phase)
{
    return phase_colors[(size_t)phase % (sizeof phase_colors / sizeof *phase_colors)];
}

static int legend_after_text(int x, const char *text)
{
    return x + 30 + (int)(6.4 * (double)strlen(text)) + 16;
}

static int legend_put_box(const picture *p, int x, int y, const char *color, const char *text)
{
    fprintf(p->out,
            "<rect x=\"%d\" y=\"%d\" width=\"22\" height=\"10\" fill=\"%s\"/><text x=\"%d\" "
            "y=\"%d\">",
            x, y - 9, color, x + 28, y);
    picture_put_text(p, text);
    fprintf(p->out, "</text>\n");
    return legend_after_text(x, text);
}

static const char *legend_level_text(const picture *p, picture_level l)
{
    static char text[64];
    const topo *t = p->r->topo;

    switch (l) {
    case LEVEL_INNER:
        snprintf(text, sizeof text, "inside a %s%s", topo_kind_name(p->inner->kind),
                 p->one_node ? " (drawn for node 0 alone)" : "");
        return text;
    case LEVEL_NODE:
        if (p->one_node)
            return "inside a node (drawn for node 0 alone)";
        return !t || t->nodes == 1 ? "inside the node" : "inside a node";
    case LEVEL_NETWORK:
        return "between nodes";
    default:
        return "between nodes, over several switches";
    }
}

static int legend_put_line(const picture *p, int x, int y, picture_level l)
{
    fprintf(p->out,
            "<path d=\"M%d %dh22\" stroke=\"%s\" stroke-width=\"1.6\" stroke-dasharray=\"%s\" "
            "marker-end=\"url(#to-%s)\"/><text x=\"%d\" y=\"%d\">%s</text>\n",
            x, y - 4, picture_level_colors[l], picture_level_dashes[l], picture_level_names[l],
            x + 28, y, legend_level_text(p, l));
    return legend_after_text(x, legend_level_text(p, l));
}

static int legend_put_head(const picture *p, int y, const char *text)
{
    fprintf(p->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"#606060\">%s</text>\n",
            PICTURE_LEFT - 8, y, text);
    return PICTURE_LEFT;
}

static void legend_put_phases(const picture *p, int y)
{
    int x = legend_put_head(p, y, "phases");

    for (int k = 0; k < p->nphases; k++) {
        if (legend_after_text(x, p->phase[k]) > PICTURE_LEFT + PICTURE_WIDTH) {
            x = PICTURE_LEFT;
            y += 18;
        }
        x = legend_put_box(p, x, y, picture_phase_color(k), p->phase[k]);
    }
}

void picture_draw_legend(const picture *p, int bottom)
{
    int y = bottom + 44, x;

    fprintf(p->out, "<g id=\"legend\" font-size=\"12\">\n");
    x = legend_put_head(p, y, "processor");
    for (int k = 0; k < PICTURE_KINDS; k++)
        if (p->kinds[k])
            x = legend_put_box(p, x, y, picture_kind_colors[k], picture_kind_names[k]);
    y += 18;
    x = legend_put_head(p, y, "messages");
    for (int l = 0; l < PICTURE_LEVELS; l++)
        if (p->levels[l])
            x = legend_put_line(p, x, y, (picture_level)l);
    if (p->nphases)
        legend_put_phases(p, y + 18);
    fprintf(p->out, "</g>\n");
}

int picture_legend_height(const picture *p)
{
    int x = PICTURE_LEFT, lines = p->nphases ? 3 : 2;

    for (int k = 0; k < p->nphases; k++, x = legend_after_text(x, p->phase[k - 1]))
        if (legend_after_text(x, p->phase[k]) > PICTURE_LEFT + PICTURE_WIDTH) {
            x = PICTURE_LEFT;
            lines++;
        }
    return 44 + 18 * lines;
}
