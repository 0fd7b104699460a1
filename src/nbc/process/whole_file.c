/* SPDX-License-Identifier: BSD-3-Clause */
/* whole_file.c - see whole_file.h. */
#define _XOPEN_SOURCE 700
#include "nbc/process/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ATTEMPTS = 100 };

bool in_place_wanted(const char *name)
{
    struct stat s;

    return lstat(name, &s) == 0 && !S_ISREG(s.st_mode);
}

FILE *in_place_open(const char *name)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_CLOEXEC, 0666), error;
    FILE *out = NULL;

    if (fd < 0)
        return NULL;
    if (fcntl(fd, F_SETFL, O_WRONLY) == 0)
        out = fdopen(fd, "w");
    if (!out) {
        error = errno;
        close(fd);
        errno = error;
    }
    return out;
}

/* Closes it. out: NULL if it could not be opened; errno says why. */
static bool put_text(FILE *out, const char *text, size_t size, bool sync)
{
    bool good;
    int error;

    if (!out)
        return false;
    errno = 0;
    good = fwrite(text, 1, size, out) == size && fflush(out) == 0 &&
           (!sync || fsync(fileno(out)) == 0);
    error = errno;
    if (fclose(out) != 0 && good) {
        error = errno;
        good = false;
    }
    errno = error;
    return good;
}

FILE *whole_file_beside(const char *name, char *made, size_t size)
{
    FILE *out = NULL;

    for (int k = 0; !out && k < ATTEMPTS; k++) {
        snprintf(made, size, "%s.%ld.%d", name, (long)getpid(), k);
        out = fopen(made, "wxe");
        if (!out && errno != EEXIST)
            break;
    }
    return out;
}

static bool replace(const char *name, const char *text, size_t size)
{
    char made[PATH_MAX + WHOLE_FILE_SUFFIX];
    FILE *out = whole_file_beside(name, made, sizeof made);
    struct stat old;
    int error;

    if (!out)
        return false;
    if (stat(name, &old) == 0)
        (void)!fchmod(fileno(out), old.st_mode & 0777); /* some file systems have no modes */
    if (put_text(out, text, size, true) && rename(made, name) == 0)
        return true;
    error = errno;
    unlink(made);
    errno = error;
    return false;
}

bool whole_file_write(const char *name, const char *text, size_t size)
{
    return in_place_wanted(name) ? put_text(in_place_open(name), text, size, false)
                                 : replace(name, text, size);
}

/* NULL: why errno says. */
static char *get(int fd, size_t size, size_t *got)
{
    char *text = malloc(size + 1);
    ssize_t n = 1;

    for (*got = 0; text && n > 0; *got += (size_t)n)
        n = read(fd, text + *got, size - *got);
    if (text && n == 0) {
        text[*got] = '\0';
        return text;
    }
    free(text);
    return NULL;
}

char *whole_file_read(const char *name, size_t most, size_t *size, const char **why)
{
    int fd = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), error = errno;
    char *text = NULL;
    struct stat s;

    *why = NULL;
    if (fd >= 0) {
        if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode))
            *why = "not a file";
        else if (s.st_size > (off_t)most)
            *why = "too large";
        else
            text = get(fd, (size_t)s.st_size, size);
        error = *why ? EINVAL : errno;
        close(fd);
    }
    errno = error;
    if (!text && !*why)
        *why = strerror(errno);
    return text;
}
