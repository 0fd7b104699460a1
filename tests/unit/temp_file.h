/* SPDX-License-Identifier: BSD-3-Clause */
/* temp_file.h - a temporary file whose text a test gives. */
#ifndef TUTTI_TEMP_FILE_H
#define TUTTI_TEMP_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char temp_file[] = "/tmp/tutti-test-XXXXXX"; /* its name */

/* The test removes it, before it asks for another one. */
static inline void temp_file_write(const char *text)
{
    FILE *file;

    strcpy(temp_file, "/tmp/tutti-test-XXXXXX");
    file = fdopen(mkstemp(temp_file), "w");
    fputs(text, file);
    fclose(file);
}

#endif
