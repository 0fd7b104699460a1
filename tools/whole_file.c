/* SPDX-License-Identifier: BSD-3-Clause */
/* whole_file.c - see whole_file.h. */
#define _XOPEN_SOURCE 700
#include "whole_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_all(FILE *out, const char *text, size_t size)
{
    errno = 0;
    return fwrite(text, 1, size, out) == size && fflush(out) == 0;
}

static bool write_to(const char *name, const char *text, size_t size)
{
    FILE *out = fopen(name, "w");
    bool good = out && write_all(out, text, size);
    int error = errno;

    if (out && fclose(out) != 0 && good) {
        error = errno;
        good = false;
    }
    errno = error;
    return good;
}

/* Under another name first, and renamed. */
static bool replace(const char *name, const char *text, size_t size)
{
    char made[PATH_MAX];
    int error;

    if (snprintf(made, sizeof made, "%s.%ld", name, (long)getpid()) >= (int)sizeof made) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (write_to(made, text, size) && rename(made, name) == 0)
        return true;
    error = errno;
    unlink(made);
    errno = error;
    return false;
}

bool whole_file_write(const char *name, const char *text, size_t size)
{
    struct stat s;

    if (strcmp(name, "-") == 0)
        return write_all(stdout, text, size);
    if (stat(name, &s) == 0 && !S_ISREG(s.st_mode)) /* a pipe, a terminal: nothing to rename over */
        return write_to(name, text, size);
    return replace(name, text, size);
}
