/* SPDX-License-Identifier: BSD-3-Clause */
/* node_file.c - see node_file.h. */
#define _GNU_SOURCE /* memfd_create, fallocate */
#include "nbc/node/node_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U
#endif

bool node_file_may_be(size_t bytes)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
           (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= bytes);
}

int node_file_make(size_t bytes)
{
    int fd;

    if (!node_file_may_be(bytes))
        return -1;
    fd = memfd_create("tutti", MFD_CLOEXEC | MFD_NOEXEC_SEAL);
    if (fd < 0) /* Linux before 6.3 does not know the seal */
        fd = memfd_create("tutti", MFD_CLOEXEC);
    if (fd >= 0 && ftruncate(fd, (off_t)bytes) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static bool is_the_file(int fd, size_t bytes, const uint64_t nonce[2])
{
    uint64_t found[2] = {0};
    struct stat s;

    return fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && (size_t)s.st_size == bytes &&
           pread(fd, found, sizeof found, 0) == (ssize_t)sizeof found &&
           memcmp(found, nonce, sizeof found) == 0;
}

/* It may be another process of that number (in another container), or another file of it: nothing
 * is done to it before it has shown the nonce. */
int node_file_open(pid_t pid, int fd, size_t bytes, const uint64_t nonce[2])
{
    char path[64];
    int own;

    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, fd);
    own = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (own >= 0 && !is_the_file(own, bytes, nonce)) {
        close(own);
        own = -1;
    }
    return own;
}

/* Signals of a profiler may interrupt it. */
bool node_file_allocate(int fd, size_t from, size_t bytes)
{
    int result = -1;

    errno = EINTR;
    for (int i = 0; i < 100 && result != 0 && errno == EINTR; i++)
        result = fallocate(fd, 0, (off_t)from, (off_t)bytes);
    return result == 0;
}

bool node_file_must_allocate(void)
{
    FILE *f = fopen("/proc/sys/vm/overcommit_memory", "re");
    int c = f ? getc(f) : EOF;

    if (f)
        fclose(f);
    return c != '0' && c != '1';
}
