/* number.h - numbers in files and settings: with a point, whatever the program's locale is. */
#ifndef TUTTI_NUMBER_H
#define TUTTI_NUMBER_H

#include <stdbool.h>
#include <stdio.h>

/* False: the text is not one number. */
bool number_read(const char *text, double *result);

/* As fprintf. */
int number_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
