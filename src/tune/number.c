/* SPDX-License-Identifier: BSD-3-Clause */
/* number.c - see number.h. */
#define _XOPEN_SOURCE 700 /* newlocale */
#include "tune/number.h"

#include <ctype.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <strings.h>

/* C's locale, in this thread. */
typedef struct plain {
    locale_t own, before;
} plain;

static plain plain_begin(void)
{
    plain p = {.own = newlocale(LC_ALL_MASK, "C", (locale_t)0)};

    p.before = uselocale(p.own); /* without one: nothing is changed */
    return p;
}

static void plain_end(plain p)
{
    uselocale(p.before);
    if (p.own)
        freelocale(p.own);
}

bool number_read(const char *text, double *result)
{
    plain p = plain_begin();
    char *end;

    *result = strtod(text, &end);
    plain_end(p);
    return end != text && *end == '\0';
}

/* By how many bits the unit shifts, or -1. */
static int unit_bits(const char *unit)
{
    static const char letters[] = "kmgt";

    if (!*unit || strcasecmp(unit, "b") == 0)
        return 0;
    for (int i = 0; letters[i]; i++)
        if (tolower((unsigned char)*unit) == letters[i])
            return !unit[1] || strcasecmp(unit + 1, "b") == 0 || strcasecmp(unit + 1, "ib") == 0
                       ? 10 * (i + 1)
                       : -1;
    return -1;
}

bool number_size(const char *text, int64_t *result)
{
    const char *at = text;
    int64_t n = 0;
    int bits;

    for (; *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, *at - '0', &n))
            return false;
    bits = unit_bits(at);
    if (at == text || bits < 0 || n > INT64_MAX >> bits)
        return false;
    *result = n << bits;
    return true;
}

int number_print(FILE *out, const char *format, ...)
{
    plain p = plain_begin();
    va_list args;
    int n;

    va_start(args, format);
    n = vfprintf(out, format, args);
    va_end(args);
    plain_end(p);
    return n;
}
