/* SPDX-License-Identifier: BSD-3-Clause */
/* wisdom_file.c - see wisdom_file.h. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "nbc/process/wisdom_file.h"

#include "nbc/process/whole_file.h"
#include "tune/wisdom_text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH = PATH_MAX + 32, KEPT = 1000, LOCK_ATTEMPTS = 400 }; /* two seconds of waiting */

wisdom *wisdom_load(const char *name, const char *mpi, char *why, size_t size)
{
    const char *wrong;
    char reason[200];
    size_t n;
    char *text = whole_file_read(name, WISDOM_FILE, &n, &wrong);
    wisdom *w = text ? wisdom_read(text, n, mpi, reason, sizeof reason) : NULL;

    if (!w)
        snprintf(why, size, "%s: %s", name, text ? reason : wrong);
    free(text);
    return w;
}

/* ---- save ---- */

/* One process at a time has this file, or some go on without it. */
static void take_lock(const char *lock)
{
    int fd = -1;

    for (int k = 0; fd < 0 && k < LOCK_ATTEMPTS; k++) {
        fd = open(lock, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            return;
        if (fd < 0)
            nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    if (fd >= 0)
        close(fd);
}

/* What is refused may be of another MPI, or have a slip of the pen: not ours to drop. Nor is what
 * has been kept before. */
static bool keep_refused(const char *name, char kept[PATH])
{
    snprintf(kept, PATH, "%s.refused", name);
    for (int k = 2; link(name, kept) != 0; k++) {
        if (errno != EEXIST || k > KEPT) {
            *kept = '\0';
            return false;
        }
        snprintf(kept, PATH, "%s.refused.%d", name, k);
    }
    return true;
}

/* What the file will have: of what is there now nothing, if it cannot be read. Only wisdom, however
 * old or damaged, is replaced, and what is empty: a name may be mistyped. NULL: *wrong says why. */
static wisdom *unite(const char *name, wisdom *w, const char *mpi, bool *refused,
                     const char **wrong)
{
    char reason[200];
    size_t n;
    char *text = whole_file_read(name, WISDOM_FILE, &n, wrong);
    bool fresh = text ? n == 0 : errno == ENOENT;
    bool known = text && strncmp(text, WISDOM_TITLE, strlen(WISDOM_TITLE)) == 0;
    wisdom *all = known ? wisdom_read(text, n, mpi, reason, sizeof reason) : NULL;

    *refused = known && !all;
    if (known || fresh)
        *wrong = "out of memory";
    else if (text)
        *wrong = "the file does not begin like a file of wisdom";
    free(text);
    if (*refused || fresh)
        all = wisdom_make();
    if (all && wisdom_merge(all, w))
        return all;
    wisdom_free(all);
    return NULL;
}

/* NULL: it is saved; else why not. */
static const char *save_united(const char *name, wisdom *w, const char *mpi, char kept[PATH])
{
    const char *wrong;
    bool refused;
    wisdom *all = unite(name, w, mpi, &refused, &wrong);
    size_t n;
    char *text;

    if (!all)
        return wrong;
    text = wisdom_write(all, mpi, &n);
    wisdom_free(all);
    if (!text)
        return "out of memory";
    if (n > WISDOM_FILE) /* nobody would read it */
        wrong = strerror(EFBIG);
    else if ((refused && !keep_refused(name, kept)) || !whole_file_write(name, text, n))
        wrong = strerror(errno);
    else
        wrong = NULL;
    if (wrong)
        unlink(kept);
    free(text);
    return wrong;
}

/* The file that a name means. NULL: there is none, or may be none. */
static const char *resolve_name(const char *name, char path[PATH_MAX], const char **wrong)
{
    struct stat s;

    if (realpath(name, path))
        return path;
    if (errno != ENOENT)
        *wrong = strerror(errno);
    else if (lstat(name, &s) == 0)
        *wrong = "a link to a file that does not exist";
    return *wrong ? NULL : name;
}

bool wisdom_save(const char *name, wisdom *w, const char *mpi, char *why, size_t size)
{
    char target[PATH_MAX], lock[PATH], kept[PATH] = "";
    const char *wrong = NULL, *file = resolve_name(name, target, &wrong);

    if (file) {
        snprintf(lock, sizeof lock, "%s.lock", file);
        take_lock(lock);
        wrong = save_united(file, w, mpi, kept);
        unlink(lock);
    }
    *why = '\0';
    if (wrong)
        snprintf(why, size, "%s: %s; wisdom is not saved", name, wrong);
    else if (*kept)
        snprintf(why, size, "%s could not be read; it is kept as %s", name, kept);
    return !wrong;
}
