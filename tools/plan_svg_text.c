/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_svg_text.c - names in the picture of a collective: as XML wants them, and which of the
 * phases has one. See plan_svg.h.
 */
#include "plan_svg.h"

#include <string.h>

/* Ranks may have different phases: leaders have more. Names are distinguished by their text. */
int picture_find_phase(const picture *p, const char *name)
{
    int k = 0;

    while (k < p->nphases && strcmp(p->phase[k], name) != 0)
        k++;
    return k;
}

void picture_put_text(const picture *p, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '<':
            fputs("&lt;", p->out);
            break;
        case '>':
            fputs("&gt;", p->out);
            break;
        case '&':
            fputs("&amp;", p->out);
            break;
        default:
            fputc((unsigned char)*text < ' ' ? ' ' : *text, p->out);
        }
}
