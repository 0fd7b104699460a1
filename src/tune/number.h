/* SPDX-License-Identifier: BSD-3-Clause */
/* number.h - numbers in files, settings and command lines: with a point, whatever the program's
 * locale is.
 */
#ifndef TUTTI_NUMBER_H
#define TUTTI_NUMBER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* False: the text is not one number. */
bool number_read(const char *text, double *result);

/* A size: digits, and after them nothing, B, or K, M, G, T with or without B or iB, in letters of
 * any case. K is 1024, also without the i: messages and caches are counted so. False, and nothing
 * is written: it is something else (a sign, a space, a fraction), or 2^63 and more. */
bool number_size(const char *text, int64_t *result);

/* As fprintf. */
int number_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
