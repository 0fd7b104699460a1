/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_svg.c - a picture of a collective: who does what when, by the estimate. Its parts are in
 * files of their own: see plan_svg.h.
 *
 *   rank 0  |=s=| . . . . |=r=|            bars: what the rank's processor does
 *            ~~~~\~~~~~~~~~/~~~            lines: messages, coloured by the level they cross
 *   rank 1        \.|=r=|=s=|              bands below the bars: phases of the algorithm
 *            0         10        20 us
 */
#define _XOPEN_SOURCE 700 /* open_memstream */
#include "nbc/process/whole_file.h"
#include "plan_svg.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DRAWN = 256, RIGHT = 28 };

static void picture_collect(picture *p)
{
    for (int r = 0; r < p->g->p; r++)
        for (int k = 0; k < p->g->of[r]->nphases; k++)
            if (picture_find_phase(p, p->g->of[r]->phase[k]) == p->nphases &&
                p->nphases < SCHED_PHASES)
                p->phase[p->nphases++] = p->g->of[r]->phase[k];
    for (int i = 0; i < p->g->n; i++) {
        const step *st = stepgraph_step(p->g, i);
        if (p->times[i].begin == STEP_NEVER)
            continue;
        p->drawn++;
        p->kinds[st->kind] = true;
        if (picture_is_sent(p, i))
            p->levels[picture_level_of(p, p->g->rank[i], st->peer)] = true;
    }
    p->dense = p->drawn > PICTURE_DENSE;
    p->one_node = p->dense && p->r->topo && p->r->topo->nodes > 1;
}

static void picture_put_title(const picture *p, const char *machine)
{
    const request *r = p->r;
    picture_unit u = picture_unit_of_time(p);
    char name[128];

    select_print(&r->choice, name, sizeof name);
    fprintf(p->out, "%s %s, %d rank%s", coll_kind_name(r->kind), name, r->p, r->p == 1 ? "" : "s");
    if (r->regions) {
        fputs(" on ", p->out);
        picture_put_text(p, r->regions);
    }
    if (coll_shapes[r->kind].recv != COLL_NONE)
        fprintf(p->out, ", %" PRId64 " bytes", r->bytes);
    fputs(", machine ", p->out);
    picture_put_text(p, machine);
    fprintf(p->out, "; %.4g %s in all", (double)p->end / u.picoseconds, u.name);
}

static void picture_draw(const picture *p, const char *machine)
{
    int width = PICTURE_LEFT + PICTURE_WIDTH + RIGHT;
    int height = picture_bottom(p) + picture_legend_height(p);

    fprintf(p->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\">\n",
            width, height, width, height);
    fprintf(p->out, "<title>");
    picture_put_title(p, machine);
    fprintf(p->out, "</title>\n");
    picture_define_heads(p);
    fprintf(p->out, "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
    fprintf(p->out, "<text x=\"16\" y=\"28\" font-size=\"15\" font-weight=\"bold\">");
    picture_put_title(p, machine);
    fprintf(p->out, "</text>\n");
    fprintf(p->out,
            "<text x=\"%d\" y=\"%d\" font-size=\"11\" text-anchor=\"end\" "
            "fill=\"#606060\">rank</text>\n",
            PICTURE_LEFT - 8, PICTURE_TOP - 8);
    for (int r = 0; r < p->g->p; r++)
        picture_draw_row(p, r);
    picture_draw_axis(p, picture_bottom(p));
    picture_draw_messages(p);
    picture_draw_legend(p, picture_bottom(p));
    fprintf(p->out, "</svg>\n");
}

/* NULL: out of memory. */
static char *picture_draw_to_memory(picture *p, const char *machine, size_t *size)
{
    char *text = NULL;

    p->out = open_memstream(&text, size);
    if (!p->out)
        return NULL;
    picture_draw(p, machine);
    if (fclose(p->out) == 0)
        return text;
    free(text);
    return NULL;
}

static char *picture_of_times(const request *r, const plan_times *t, size_t *size)
{
    picture p = {.r = r,
                 .g = &t->graph,
                 .times = t->of,
                 .inner = topo_inner(r->topo),
                 .end = t->estimate.time > 0 ? t->estimate.time : 1};

    picture_collect(&p);
    picture_choose_heights(&p);
    return picture_draw_to_memory(&p, plan_machine(), size);
}

static bool picture_write(const char *name, const char *text, size_t size)
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
        text = picture_of_times(r, &t, &size);
    plan_times_free(r, &t);
    if (!text)
        return plan_fail("out of memory", "picture");
    if (!picture_write(r->svg, text, size)) {
        fprintf(stderr, "tutti-plan: %s: %s\n", r->svg, strerror(errno));
        failed = 2;
    }
    free(text);
    return failed;
}
