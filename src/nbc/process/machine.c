/* SPDX-License-Identifier: BSD-3-Clause */
/* machine.c - see machine.h. */
#include "nbc/process/machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static constants known;
static char source[200];

static bool read_machine_file(const char *name, char *why, size_t size)
{
    struct stat s;
    FILE *in = stat(name, &s) == 0 && !S_ISREG(s.st_mode) ? NULL : fopen(name, "re");
    constants k;
    bool read;

    if (!in) {
        snprintf(why, size, "%s", errno ? strerror(errno) : "not a file");
        return false;
    }
    read = constants_read(in, &k, why, size);
    fclose(in);
    if (read)
        known = k;
    return read;
}

static void take_builtin(const char *name)
{
    known = *constants_builtin(name);
    snprintf(source, sizeof source, "built in: %s", name);
}

static bool take_file(const char *name, char *why, size_t size)
{
    char reason[200];

    errno = 0;
    if (read_machine_file(name, reason, sizeof reason)) {
        snprintf(source, sizeof source, "%s", name);
        return true;
    }
    snprintf(why, size, "%s: %s; used instead: %s", name, reason, source);
    return false;
}

static bool take_if_there(const char *folder, const char *below, char *why, size_t size)
{
    char name[1000];
    struct stat s;
    int n = snprintf(name, sizeof name, "%s%s", folder, below);

    if (n < 0 || (size_t)n >= sizeof name || stat(name, &s) != 0)
        return true;
    return take_file(name, why, size);
}

bool machine_read(const char *setting, char *why, size_t size)
{
    const char *home = getenv("HOME");
    bool read;

    take_builtin("fast");
    if (setting && constants_builtin(setting)) {
        take_builtin(setting);
        return true;
    }
    if (setting)
        return take_file(setting, why, size);
    read = take_if_there(TUTTI_SYSCONFDIR, "/tutti/constants", why, size);
    if (home)
        read &= take_if_there(home, "/.config/tutti/constants", why, size);
    return read;
}

const constants *machine_constants(void)
{
    return &known;
}

const char *machine_source(void)
{
    return source;
}
