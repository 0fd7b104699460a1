/* number.c - see number.h. */
#define _XOPEN_SOURCE 700 /* newlocale */
#include "tune/number.h"

#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>

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
