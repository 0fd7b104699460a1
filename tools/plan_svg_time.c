/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_svg_time.c - time in the picture of a collective: where it is, in which unit it is written,
 * and its axis. See plan_svg.h.
 */
#include "plan_svg.h"

picture_unit picture_unit_of_time(const picture *p)
{
    static const picture_unit units[] = {
        {"s", 1e12}, {"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}, {"ps", 1}};
    int i = 0;

    while (units[i].picoseconds > 1 && (double)p->end < units[i].picoseconds)
        i++;
    return units[i];
}

double picture_x(const picture *p, int64_t time)
{
    return PICTURE_LEFT + (double)PICTURE_WIDTH * (double)time / (double)p->end;
}

void picture_put_times(const picture *p, int64_t begin, int64_t end)
{
    picture_unit u = picture_unit_of_time(p);

    fprintf(p->out, "%.4g to %.4g %s", (double)begin / u.picoseconds, (double)end / u.picoseconds,
            u.name);
}

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

void picture_draw_axis(const picture *p, int bottom)
{
    picture_unit u = picture_unit_of_time(p);
    double end = (double)p->end / u.picoseconds, tick = tick_of(end);

    fprintf(p->out, "<g id=\"axis\" font-size=\"11\" fill=\"#404040\" text-anchor=\"middle\">\n");
    for (int k = 0; k * tick <= end * 1.000001; k++) {
        double x = PICTURE_LEFT + PICTURE_WIDTH * (k * tick / end);
        fprintf(p->out, "<path d=\"M%.1f %dV%d\" stroke=\"#D8D8D8\" stroke-width=\"0.6\"/>", x,
                PICTURE_TOP, bottom + 4);
        fprintf(p->out, "<text x=\"%.1f\" y=\"%d\">%.6g</text>\n", x, bottom + 17, k * tick);
    }
    fprintf(p->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", PICTURE_LEFT - 14,
            bottom + 17, u.name);
    fprintf(p->out,
            "<path d=\"M%d %dV%d\" stroke=\"#000\" stroke-width=\"0.8\" stroke-dasharray=\"3 "
            "2\"/>\n</g>\n",
            PICTURE_LEFT + PICTURE_WIDTH, PICTURE_TOP - 4, bottom + 4);
}
