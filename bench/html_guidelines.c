/* SPDX-License-Identifier: BSD-3-Clause */
/* html_guidelines.c - the page of tutti-bench guidelines: what is violated, by how much. */
#include "report_html.h"
#include "svg.h"

#include <stdlib.h>

static void verdict_row(FILE *out, const html_verdict_copy *v)
{
    const char *said = v->wrong       ? "wrong data"
                       : !v->measured ? "not possible"
                       : v->violated  ? "violated"
                                      : "holds";

    fputs("<tr>", out);
    html_size(out, v->size);
    fputs("<td class=t>", out);
    html_text(out, v->calls);
    fputs("</td><td class=t>", out);
    html_text(out, v->left);
    fputs("</td><td class=t>", out);
    html_text(out, v->right);
    fputs("</td>", out);
    html_number(out, v->measured, v->left_us);
    html_number(out, v->measured, v->right_us);
    if (v->measured)
        fprintf(out, "<td>%.2f<span class=ci>[%.2f, %.2f]</span></td>", v->ratio.median,
                v->ratio.low, v->ratio.high);
    else
        fputs("<td>-</td>", out);
    fprintf(out, "<td class=\"t%s\">%s</td></tr>\n", v->violated || v->wrong ? " bad" : "", said);
}

static void verdict_table(FILE *out, const html_report *h, const char *id, bool violated)
{
    fprintf(out,
            "<div class=scroll><table id=%s><thead><tr><th>Size</th><th class=t>Calls</th><th "
            "class=t>Left</th><th class=t>Right</th><th>Left, us</th><th>Right, us</th>"
            "<th>Factor</th><th class=t>Guideline</th></tr></thead><tbody>\n",
            id);
    for (int i = 0; i < h->nverdicts; i++)
        if ((h->verdicts[i].violated || h->verdicts[i].wrong) == violated)
            verdict_row(out, &h->verdicts[i]);
    fputs("</tbody></table></div>\n", out);
}

static void verdict_bars(FILE *out, const html_report *h)
{
    svg_bar *b = calloc(HTML_BARS, sizeof *b);
    int n = 0;
    char size[BYTES_TEXT];

    for (int i = 0; b && i < h->nverdicts && n < HTML_BARS; i++) {
        const html_verdict_copy *v = &h->verdicts[i];
        if (!v->violated)
            continue;
        b[n] = (svg_bar){.value = v->ratio.median, .low = v->ratio.low, .high = v->ratio.high};
        snprintf(b[n++].name, sizeof b->name, "%.16s, %.10s: %.12s > %.20s", v->calls,
                 v->size > 0 ? bytes_text(size, v->size) : "no data", v->left, v->right);
    }
    if (n)
        svg_bars(out, "Factors of violated guidelines", b, n);
    free(b);
}

void html_guidelines(FILE *out, const html_report *h)
{
    int violated = 0, wrong = 0, measured = 0;

    for (int i = 0; i < h->nverdicts; i++) {
        violated += h->verdicts[i].violated;
        wrong += h->verdicts[i].wrong != 0;
        measured += h->verdicts[i].measured;
    }
    fprintf(out,
            "<section id=violated><h2>Violated guidelines</h2><p class=soft>%d of %d; %d could not "
            "be measured. Left is not to be slower than right; violated: the 95&nbsp;%% interval "
            "of left / right is above %.4g.</p>\n",
            violated, h->nverdicts, h->nverdicts - measured, 1 + h->o->tolerance);
    verdict_bars(out, h);
    verdict_table(out, h, "violations", true);
    fprintf(out, "</section><section><h2>The others</h2><details><summary>%d</summary>\n",
            h->nverdicts - violated - wrong);
    verdict_table(out, h, "others", false);
    fputs("</details></section>\n", out);
}
