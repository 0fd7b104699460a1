/* SPDX-License-Identifier: BSD-3-Clause */
/* wisdom_file.c - see wisdom_file.h. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "tune/wisdom_file.h"

#include "tune/wisdom_text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char title[] = "tutti wisdom "; /* of any version */

enum { SUFFIX = 32, ATTEMPTS = 1000, LOCK_ATTEMPTS = 400 }; /* two seconds of waiting */

static const char *error_text(void)
{
    return errno ? strerror(errno) : "it cannot be written";
}

/* NULL: *why says why. Without O_NONBLOCK the open of a FIFO would wait for who writes. */
static FILE *open_file(const char *name, const char **why)
{
    int fd = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat s;
    FILE *in = NULL;

    *why = NULL;
    if (fd < 0)
        *why = strerror(errno);
    else if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode))
        *why = "not a file";
    else if (s.st_size > WISDOM_FILE)
        *why = "too large";
    else if (!(in = fdopen(fd, "r")))
        *why = strerror(errno);
    if (!in && fd >= 0)
        close(fd);
    return in;
}

wisdom *wisdom_load(const char *name, const char *mpi, char *why, size_t size)
{
    const char *wrong;
    char reason[200];
    FILE *in = open_file(name, &wrong);
    wisdom *w = in ? wisdom_read(in, mpi, reason, sizeof reason) : NULL;

    if (in)
        fclose(in);
    if (!w)
        snprintf(why, size, "%s: %s", name, in ? reason : wrong);
    return w;
}

/* ---- save ---- */

/* A new file beside `name`, with the permissions that the umask leaves: mkstemp's are others, and
 * the umask cannot be asked for without changing it for all threads. -1: none could be made. */
static int make_beside(const char *name, char *made, size_t size)
{
    int fd = -1;

    for (int k = 0; fd < 0 && k < ATTEMPTS; k++) {
        snprintf(made, size, "%s.%ld.%d", name, (long)getpid(), k);
        fd = open(made, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    return fd;
}

static bool write_to(int fd, wisdom *w, const char *mpi)
{
    FILE *out = fdopen(fd, "w");
    bool good;

    if (!out) {
        close(fd);
        return false;
    }
    good = wisdom_write(out, w, mpi) && fflush(out) == 0 && fsync(fd) == 0;
    if (good && ftell(out) > WISDOM_FILE) { /* nobody would read it */
        errno = EFBIG;
        good = false;
    }
    return fclose(out) == 0 && good;
}

/* What is refused may be of another MPI, or have a slip of the pen: not ours to drop. Nor is what
 * has been kept before. */
static bool keep_refused(const char *name, char *kept, size_t size)
{
    snprintf(kept, size, "%s.refused", name);
    for (int k = 2; link(name, kept) != 0; k++) {
        if (errno != EEXIST || k > ATTEMPTS)
            return false;
        snprintf(kept, size, "%s.refused.%d", name, k);
    }
    return true;
}

/* kept: NULL, or for the name under which the old file is kept. */
static bool replace(const char *name, wisdom *w, const char *mpi, char *kept, size_t size)
{
    char made[PATH_MAX + SUFFIX];
    int fd = make_beside(name, made, sizeof made), error;
    struct stat old;

    if (fd < 0)
        return false;
    if (stat(name, &old) == 0)
        (void)!fchmod(fd, old.st_mode & 0777); /* some file systems have no modes */
    errno = 0;
    if (write_to(fd, w, mpi) && (!kept || keep_refused(name, kept, size)) &&
        rename(made, name) == 0)
        return true;
    error = errno;
    unlink(made);
    errno = error;
    return false;
}

/* ---- one at a time ---- */

/* Is the file of this name still the one that is open? Who has had the lock before has removed it.
 */
static bool is_current(int fd, const char *name)
{
    struct stat mine, there;

    return fstat(fd, &mine) == 0 && stat(name, &there) == 0 && mine.st_ino == there.st_ino &&
           mine.st_dev == there.st_dev;
}

/* A file beside `name` that one process at a time has. -1: there is none, or another one has it for
 * long, or for ever: then one goes on without. */
static int take_lock(const char *name, char *lock, size_t size)
{
    snprintf(lock, size, "%s.lock", name);
    for (int k = 0; k < LOCK_ATTEMPTS; k++) {
        int fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (fd < 0)
            return -1;
        if (flock(fd, LOCK_EX | LOCK_NB) == 0 && is_current(fd, lock))
            return fd;
        close(fd);
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    return -1;
}

static void give_lock(int fd, const char *lock)
{
    if (fd < 0)
        return;
    unlink(lock);
    close(fd);
}

/* Only wisdom, however old or damaged, is replaced, and what is empty: a name may be mistyped. */
static bool is_wisdom(const char *name)
{
    const char *why;
    FILE *in = open_file(name, &why);
    char begin[sizeof title - 1];
    size_t n = in ? fread(begin, 1, sizeof begin, in) : 0;
    bool is = in && memcmp(begin, title, n) == 0 && (n == 0 || n == sizeof begin);

    if (in)
        fclose(in);
    return is;
}

/* What the file will have. Of what is there now nothing, if it cannot be read. NULL: out of memory.
 */
static wisdom *united(const char *name, wisdom *w, const char *mpi, bool *refused)
{
    char reason[PATH_MAX + 300];
    wisdom *all = wisdom_load(name, mpi, reason, sizeof reason);

    *refused = !all;
    all = all ? all : wisdom_make();
    if (all && wisdom_merge(all, w))
        return all;
    wisdom_free(all);
    return NULL;
}

static bool save(const char *name, wisdom *w, const char *mpi, char *kept, size_t size)
{
    char lock[PATH_MAX + SUFFIX];
    int fd = take_lock(name, lock, sizeof lock), error;
    struct stat there;
    bool refused, saved;
    wisdom *all = united(name, w, mpi, &refused);

    errno = all ? errno : ENOMEM;
    *kept = '\0';
    refused = refused && stat(name, &there) == 0 && there.st_size > 0;
    saved = all && replace(name, all, mpi, refused ? kept : NULL, size);
    error = errno;
    wisdom_free(all);
    give_lock(fd, lock);
    errno = error;
    return saved;
}

/* A link is not replaced, but what it points to. */
bool wisdom_save(const char *name, wisdom *w, const char *mpi, char *why, size_t size)
{
    char path[PATH_MAX], kept[PATH_MAX + SUFFIX] = "";
    struct stat s;
    bool exists = stat(name, &s) == 0;
    const char *wrong = NULL;

    if (exists ? !S_ISREG(s.st_mode) : lstat(name, &s) == 0)
        wrong = exists ? "not a file" : "a link to nothing";
    else if (strlen(name) >= sizeof path || (exists && !realpath(name, path)))
        wrong = strerror(ENAMETOOLONG);
    else if (exists && !is_wisdom(path))
        wrong = "there is something else in it than wisdom";
    else if (!save(exists ? path : name, w, mpi, kept, sizeof kept))
        wrong = error_text();
    *why = '\0';
    if (wrong)
        snprintf(why, size, "%s: %s; wisdom is not saved", name, wrong);
    else if (*kept)
        snprintf(why, size, "%s could not be read; it is kept as %s", name, kept);
    return !wrong;
}
