/* SPDX-License-Identifier: BSD-3-Clause */
/* in_place.c - see in_place.h. */
#define _XOPEN_SOURCE 700
#include "nbc/process/in_place.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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
