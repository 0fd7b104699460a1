/* SPDX-License-Identifier: BSD-3-Clause */
/* svg.c - see svg.h. */
#include "svg.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 680, HEIGHT = 380, LEFT = 68, RIGHT = 14, TOP = 12, BOTTOM = 62 };
enum { COLOURS = 8, DASHES = 3, TICKS = 12 };
enum { BANDS = 6 }; /* more cover each other; the intervals are drawn as lines, too */

/* ---- text ---- */

/* Bytes of the UTF-8 character at s, 0 if there is none; no surrogates, nothing overlong. */
static int utf8_length(const unsigned char *s)
{
    int n = *s < 0x80                 ? 1
            : *s >= 0xc2 && *s < 0xe0 ? 2
            : (*s & 0xf0) == 0xe0     ? 3
            : *s >= 0xf0 && *s < 0xf5 ? 4
                                      : 0;

    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) || (*s == 0xf0 && s[1] < 0x90) ||
        (*s == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

void html_text(FILE *out, const char *text)
{
    static const char special[] = "&<>\"'";
    const unsigned char *s = (const unsigned char *)(text ? text : "");

    while (*s) {
        int n = utf8_length(s);
        bool control = (*s < 0x20 && !strchr("\t\n", *s)) || *s == 0x7f;
        if (n == 0 || control)
            fputs("&#xFFFD;", out);
        else if (n == 1 && strchr(special, *s))
            fprintf(out, "&#%d;", *s);
        else
            fwrite(s, 1, (size_t)n, out);
        s += n ? n : 1;
    }
}

const char *bytes_text(char text[BYTES_TEXT], int64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    double n = (double)bytes;
    int u = 0;

    for (; n >= 1024 && u < 3; u++)
        n /= 1024;
    snprintf(text, BYTES_TEXT, "%.4g %s", n, units[u]);
    return text;
}

/* ---- axes ---- */

typedef struct axis {
    double low, high; /* in the scale: logarithms, but where it is linear */
    double from, to;  /* coordinates */
} axis;

static double position(const axis *a, double x)
{
    return a->from + (a->to - a->from) * (x - a->low) / (a->high - a->low);
}

static void widen(axis *a, double least)
{
    double middle = (a->low + a->high) / 2, half = fmax((a->high - a->low) / 2, least / 2);

    a->low = middle - half;
    a->high = middle + half;
}

static void find_axes(const svg_lines *l, axis *x, axis *y)
{
    *x = (axis){INFINITY, -INFINITY, LEFT + 10, WIDTH - RIGHT - 10};
    *y = (axis){INFINITY, -INFINITY, HEIGHT - BOTTOM, TOP};
    for (int i = 0; i < l->n; i++)
        for (int k = 0; k < l->series[i].n; k++) {
            const svg_point *p = &l->series[i].at[k];
            x->low = fmin(x->low, log2((double)p->x));
            x->high = fmax(x->high, log2((double)p->x));
            y->low = fmin(y->low, l->linear ? 0 : log10(p->low));
            y->high = fmax(y->high, l->linear ? fmax(100, p->y) : log10(p->high));
        }
    widen(x, 1);
    if (!l->linear)
        widen(y, 0.4);
}

static void tick(FILE *out, bool vertical, double at, const char *text)
{
    if (vertical)
        fprintf(out,
                "<line class=grid x1=%d x2=%d y1=%.1f y2=%.1f /><text x=%d y=%.1f "
                "text-anchor=end>%s</text>\n",
                LEFT, WIDTH - RIGHT, at, at, LEFT - 6, at + 4, text);
    else
        fprintf(out,
                "<line class=grid x1=%.1f x2=%.1f y1=%d y2=%d /><text x=%.1f y=%d "
                "text-anchor=middle>%s</text>\n",
                at, at, TOP, HEIGHT - BOTTOM, at, HEIGHT - BOTTOM + 18, text);
}

/* 1, 2, 5 of each decade, or decades alone where these are many. */
static void y_ticks(FILE *out, const axis *y, bool linear)
{
    char text[32];
    bool many = y->high - y->low > 2.5;

    for (int t = 0; linear && t <= y->high; t += 20) {
        snprintf(text, sizeof text, "%d", t);
        tick(out, true, position(y, t), text);
    }
    for (int d = (int)floor(y->low); !linear && d <= y->high; d++)
        for (int k = 0; k < (many ? 1 : 3); k++) {
            double value = (double[]){1, 2, 5}[k] * pow(10, d);
            if (log10(value) < y->low || log10(value) > y->high)
                continue;
            snprintf(text, sizeof text, "%.10g", value);
            tick(out, true, position(y, log10(value)), text);
        }
}

/* Powers of two, as many as have room. */
static void x_ticks(FILE *out, const axis *x)
{
    char text[BYTES_TEXT];
    int first = (int)ceil(x->low - 1e-9), last = (int)floor(x->high + 1e-9);
    int step = (last - first) / TICKS + 1;

    for (int e = first; e <= last; e += step)
        if (e >= 0)
            tick(out, false, position(x, e), bytes_text(text, (int64_t)1 << e));
}

/* ---- lines ---- */

/* What is in the group has the colour of the i-th line. */
static void open_group(FILE *out, const svg_series *s, int i)
{
    fprintf(out, s->reference ? "<g class=\"reference\">" : "<g class=\"s%d d%d\">", i % COLOURS,
            i / COLOURS % DASHES);
}

static double height(const svg_lines *l, const axis *y, double value)
{
    return position(y, l->linear ? value : log10(value));
}

static void band(FILE *out, const svg_lines *l, const svg_series *s, const axis *x, const axis *y)
{
    fputs("<polygon class=band points=\"", out);
    for (int k = 0; k < s->n; k++)
        fprintf(out, "%.1f,%.1f ", position(x, log2((double)s->at[k].x)),
                height(l, y, s->at[k].low));
    for (int k = s->n - 1; k >= 0; k--)
        fprintf(out, "%.1f,%.1f ", position(x, log2((double)s->at[k].x)),
                height(l, y, s->at[k].high));
    fputs("\" />\n", out);
}

static void whisker(FILE *out, const svg_lines *l, const svg_point *p, const axis *x, const axis *y)
{
    double at = position(x, log2((double)p->x));

    fprintf(out, "<line class=whisker x1=%.1f x2=%.1f y1=%.1f y2=%.1f />\n", at, at,
            height(l, y, p->low), height(l, y, p->high));
}

static void mark(FILE *out, const svg_lines *l, const char *name, const svg_point *p, const axis *x,
                 const axis *y)
{
    char size[BYTES_TEXT];

    fprintf(out, "<circle class=mark cx=%.1f cy=%.1f r=3><title>", position(x, log2((double)p->x)),
            height(l, y, p->y));
    html_text(out, name);
    fprintf(out, ", %s: %.2f %s", bytes_text(size, p->x), p->y, l->unit);
    if (!l->linear)
        fprintf(out, " [%.2f, %.2f]", p->low, p->high);
    fputs("</title></circle>\n", out);
}

static void line(FILE *out, const svg_lines *l, int i, const axis *x, const axis *y)
{
    const svg_series *s = &l->series[i];

    open_group(out, s, i);
    if (!l->linear && l->n <= BANDS)
        band(out, l, s, x, y);
    fputs("<polyline class=line points=\"", out);
    for (int k = 0; k < s->n; k++)
        fprintf(out, "%.1f,%.1f ", position(x, log2((double)s->at[k].x)), height(l, y, s->at[k].y));
    fputs("\" />\n", out);
    for (int k = 0; k < s->n; k++) {
        if (!l->linear)
            whisker(out, l, &s->at[k], x, y);
        mark(out, l, s->name, &s->at[k], x, y);
    }
    fputs("</g>\n", out);
}

static void open_svg(FILE *out, const char *title, int height_of)
{
    fprintf(out, "<div class=scroll><svg class=plot viewBox=\"0 0 %d %d\" role=img><title>", WIDTH,
            height_of);
    html_text(out, title);
    fputs("</title>\n", out);
}

void svg_plot(FILE *out, const svg_lines *l)
{
    axis x, y;

    find_axes(l, &x, &y);
    open_svg(out, l->title, HEIGHT);
    y_ticks(out, &y, l->linear);
    x_ticks(out, &x);
    fprintf(out, "<rect class=frame x=%d y=%d width=%d height=%d />\n", LEFT, TOP,
            WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
    fprintf(out, "<text x=%d y=%d text-anchor=middle>", (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14);
    html_text(out, l->x);
    fprintf(out, "</text><text transform=\"translate(15 %d) rotate(-90)\" text-anchor=middle>",
            (TOP + HEIGHT - BOTTOM) / 2);
    html_text(out, l->y);
    fputs("</text>\n", out);
    for (int i = 0; i < l->n; i++)
        if (l->series[i].n > 0)
            line(out, l, i, &x, &y);
    fputs("</svg></div>\n", out);
}

void svg_legend(FILE *out, const svg_series *series, int n)
{
    fputs("<ul class=legend>", out);
    for (int i = 0; i < n; i++) {
        fputs("<li><svg width=30 height=10 aria-hidden=true>", out);
        open_group(out, &series[i], i);
        fputs("<line class=line x1=0 x2=30 y1=5 y2=5 /><circle class=mark cx=15 cy=5 r=3 /></g>"
              "</svg> ",
              out);
        html_text(out, series[i].name);
        fputs("</li>", out);
    }
    fputs("</ul>\n", out);
}

/* ---- bars ---- */

enum { ROW = 20, NAMES = 270, VALUES = 160 };

static void bar_axis(const svg_bar *bars, int n, axis *x)
{
    *x = (axis){-0.5, 0.5, NAMES, WIDTH - VALUES};
    for (int i = 0; i < n; i++)
        if (!bars[i].heading) {
            x->low = fmin(x->low, log2(bars[i].low));
            x->high = fmax(x->high, log2(bars[i].high));
        }
}

static void bar_tick(FILE *out, const axis *x, double factor, int bottom)
{
    double at = position(x, log2(factor));

    if (log2(factor) < x->low || log2(factor) > x->high)
        return;
    fprintf(out,
            "<line class=%s x1=%.1f x2=%.1f y1=4 y2=%d /><text x=%.1f y=%d "
            "text-anchor=middle>%.10g</text>\n",
            factor == 1 ? "one" : "grid", at, at, bottom, at, bottom + 16, factor);
}

/* Plain factors, as many as have room. */
static void bar_ticks(FILE *out, const axis *x, int bottom)
{
    static const double near[] = {0.25, 0.4, 0.5, 0.7, 1, 1.4, 2, 2.5, 4}, far[] = {1, 2, 5};
    bool wide = x->high - x->low > 3.5, decades = x->high - x->low > 12;

    for (size_t i = 0; !wide && i < sizeof near / sizeof *near; i++)
        bar_tick(out, x, near[i], bottom);
    for (int d = -9; wide && d <= 9; d++)
        for (size_t i = 0; i < (decades ? 1 : sizeof far / sizeof *far); i++)
            bar_tick(out, x, far[i] * pow(10, d), bottom);
}

static void bar(FILE *out, const svg_bar *b, const axis *x, int top)
{
    double from = position(x, fmin(0, log2(b->value))), to = position(x, fmax(0, log2(b->value)));
    const char *kind = b->high < 1 ? "faster" : b->low > 1 ? "slower" : "even";

    fprintf(out, "<text x=%d y=%d text-anchor=end>", NAMES - 8, top + 14);
    html_text(out, b->name);
    fprintf(out, "</text><rect class=\"bar %s\" x=%.1f y=%d width=%.1f height=%d />", kind, from,
            top + 3, fmax(to - from, 1), ROW - 6);
    fprintf(out, "<line class=whisker x1=%.1f x2=%.1f y1=%d y2=%d />", position(x, log2(b->low)),
            position(x, log2(b->high)), top + ROW / 2, top + ROW / 2);
    fprintf(out, "<text x=%d y=%d>%.2f [%.2f, %.2f]</text>\n", WIDTH - VALUES + 8, top + 14,
            b->value, b->low, b->high);
}

void svg_bars(FILE *out, const char *title, const svg_bar *bars, int n)
{
    axis x;
    int bottom = 6 + n * ROW;

    bar_axis(bars, n, &x);
    open_svg(out, title, bottom + 24);
    bar_ticks(out, &x, bottom);
    for (int i = 0; i < n; i++) {
        int top = 4 + i * ROW;
        if (!bars[i].heading) {
            bar(out, &bars[i], &x, top);
            continue;
        }
        fprintf(out, "<text class=heading x=0 y=%d>", top + 15);
        html_text(out, bars[i].name);
        fputs("</text>\n", out);
    }
    fputs("</svg></div>\n", out);
}
