/* SPDX-License-Identifier: BSD-3-Clause */
/* extend.c - see extend.h. */
#include "tune/extend.h"

/* Never so long that its double is no int64_t. */
int64_t extend_rounded(double value)
{
    return value < (double)(INT64_MAX / 8) ? (int64_t)(value + 0.5) : INT64_MAX / 8;
}

/* a, b, c: of three machines. No functions of the C library: they differ from one to another. */
static int64_t grown(int64_t a, int64_t b, int64_t c, double times)
{
    double first = (double)(b - a), second = (double)(c - b), value = (double)c;
    double factor = first > 0 && second > 0 ? second / first : 1;

    for (; times >= 2; times /= 2)
        value += second *= factor;
    value += second * factor * (times - 1); /* a part of a doubling */
    return value < (double)c ? c : extend_rounded(value);
}

/* What falls falls by less and less, or not at all; what jumps once does not do so again. */
int64_t extend_growth(int64_t a, int64_t b, int64_t c, double times)
{
    double first = (double)(b - a), second = (double)(c - b), factor = 1, value = (double)(c - a);

    if ((first > 0 && second > 0) || (first < 0 && second < 0))
        factor = second / first;
    if (second < 0)
        factor = first < 0 && factor < 1 ? factor : 0;
    if (factor > 2)
        factor = 2;
    for (; times >= 2; times /= 2)
        value += second *= factor;
    value += second * factor * (times - 1);
    return value < 0 ? -extend_rounded(-value) : extend_rounded(value);
}

closed_form extend_form(const closed_form f[3], double times)
{
    return (closed_form){.steps = grown(f[0].steps, f[1].steps, f[2].steps, times),
                         .bytes = grown(f[0].bytes, f[1].bytes, f[2].bytes, times)};
}

bool extend_is_regular(const closed_form f[3])
{
    int64_t first = f[1].steps - f[0].steps, second = f[2].steps - f[1].steps;

    return second == first || second == 2 * first;
}

/* What a step and what a byte costs, so that the last two take as long as they do. False: no such
 * costs. */
static bool by_costs(const closed_form f[3], const int64_t time[3], const closed_form *whole,
                     int64_t *result)
{
    double a = (double)f[1].steps, b = (double)f[1].bytes, c = (double)f[2].steps,
           d = (double)f[2].bytes, x = (double)time[1], y = (double)time[2], det = a * d - b * c;
    double step = det != 0 ? (x * d - b * y) / det : -1;
    double byte = det != 0 ? (a * y - x * c) / det : -1;

    if (step < 0 || byte < 0)
        return false;
    *result = extend_rounded(step * (double)whole->steps + byte * (double)whole->bytes);
    return true;
}

/* As the times grow; not where they jump. */
static bool by_growth(const int64_t time[3], double times, int64_t *result)
{
    int64_t first = time[1] - time[0], second = time[2] - time[1];

    if (time[0] < 0 || first < 0 || second < 0 || 2 * second > 5 * first)
        return false;
    *result = grown(time[0], time[1], time[2], times);
    return true;
}

int64_t extend_time(const closed_form f[3], const int64_t time[3], const closed_form *whole,
                    double times)
{
    double last = (double)time[2];
    int64_t result;

    if (by_costs(f, time, whole, &result) || by_growth(time, times, &result))
        return result;
    if (f[2].steps > f[1].steps)
        return extend_rounded(last * (double)whole->steps / (double)f[2].steps);
    if (f[2].bytes > f[1].bytes)
        return extend_rounded(last * (double)whole->bytes / (double)f[2].bytes);
    return time[2] > time[1] ? extend_rounded(last + 2 * (last - (double)time[1]) * (times - 1))
                             : time[2]; /* a pipeline: as long as there are ranks */
}
