/* SPDX-License-Identifier: BSD-3-Clause */
/* report_guidelines.c - the table of guidelines: see report.h. */
#include "claims.h"
#include "report.h"

#include <inttypes.h>
#include <string.h>

/* The width of the column with the names of calls. */
static int width(const options *o)
{
    int most = 8;

    for (int i = 0; i < o->nnames; i++)
        if ((int)strlen(o->names[i]) > most)
            most = (int)strlen(o->names[i]);
    return most + 2;
}

void guidelines_head(const options *o, int ranks)
{
    printf(
        "# guidelines: %d rank%s; violated: the 95 %% interval of left / right is above %.4g; us\n",
        ranks, ranks == 1 ? "" : "s", 1 + o->tolerance);
    printf("%-9s%-*s%-38s   %-34s%10s%10s%8s  %s\n", "# Size", width(o), "Calls", "Left", "Right",
           "Left", "Right", "Factor", "Interval");
    fflush(stdout);
}

void guidelines_row(const options *o, const verdict *v)
{
    if (!v->violated && !v->wrong && !o->full)
        return;
    printf("%-9" PRId64 "%-*s%-38s<= %-34s", v->size, width(o), v->of->calls, v->claim->text[0],
           v->claim->text[1]);
    if (v->wrong)
        printf("%10s%10s%8s  %" PRId64 " bytes wrong\n", "-", "-", "-", v->wrong);
    else if (!v->measured)
        printf("%10s%10s%8s  not possible\n", "-", "-", "-");
    else
        printf("%10.2f%10.2f%8.2f  [%.2f, %.2f]%s\n", 1e6 * v->left, 1e6 * v->right,
               v->ratio.median, v->ratio.low, v->ratio.high,
               v->violated ? o->full ? " violated" : "" : " holds");
    fflush(stdout);
}
