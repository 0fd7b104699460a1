/* SPDX-License-Identifier: BSD-3-Clause */
/* segment_map.c - the file of a node: how long, made or opened, and mapped. See segment.h. */
#define _GNU_SOURCE /* memfd_create, fallocate, MADV_DONTFORK, MADV_DONTDUMP */
#include "nbc/node/segment_inside.h"
#include "nbc/node/shared_heap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U
#endif

enum {
    PAGE = 65536,             /* of any machine */
    NODE_MOST = 1 << 29,      /* bytes of a node's slices */
    NODE_ALLOCATED = 1 << 27, /* the same where memory must be allocated before it is touched */
    SLICE_MOST = 1 << 22,     /* bytes of the slice of one process */
    SLICE_LEAST = 8192,       /* bytes at least: rings of a few communicators */
    HUGE_PAGE = 1 << 21
};

static const size_t heaps_most = (size_t)1 << 40; /* addresses of a node */

/* ---- the file: made by one process, opened by the others through /proc ---- */

/* May this process have files of that length? Beyond its limit the kernel sends a signal. */
static bool file_may_be(size_t bytes)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
           (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= bytes);
}

/* A file without a name, of which nothing is in memory yet; or -1. */
static int make_file(size_t bytes)
{
    int fd;

    if (!file_may_be(bytes))
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

/* What this process has open under that number, or -1. It may be another process of that number (in
 * another container), or another file of it: nothing is done to it before it shows the nonce. */
static int open_file(pid_t pid, int fd, size_t bytes, const uint64_t nonce[2])
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

/* Have these bytes of it in memory. Signals of a profiler may interrupt it. */
static bool allocate_bytes(int fd, size_t from, size_t bytes)
{
    int result = -1;

    errno = EINTR;
    for (int i = 0; i < 100 && result != 0 && errno == EINTR; i++)
        result = fallocate(fd, 0, (off_t)from, (off_t)bytes);
    return result == 0;
}

/* With vm.overcommit_memory 2 the kernel promises no more memory than it has, and sends a signal to
 * who touches what was not promised: then it must be allocated before. */
static bool must_allocate(void)
{
    FILE *f = fopen("/proc/sys/vm/overcommit_memory", "re");
    int c = f ? getc(f) : EOF;

    if (f)
        fclose(f);
    return c != '0' && c != '1';
}

/* ---- how long ---- */

/* Where the shared part of each begins: the same on all processes of the node. */
void segment_divide(int n)
{
    size_t most = must_allocate() ? NODE_ALLOCATED : NODE_MOST;
    size_t share = most / (size_t)n / PAGE * PAGE;
    size_t least = segment_rounded((size_t)n * SLICE_LEAST, PAGE);

    segment_here.processes = n;
    segment_here.slice = share < SLICE_MOST ? share : SLICE_MOST;
    if (segment_here.slice < least)
        segment_here.slice = least;
    segment_here.header = segment_rounded(sizeof(segment_header) + (size_t)n, PAGE);
    segment_here.size = segment_here.header + (size_t)n * segment_here.slice;
}

static size_t with_heaps(size_t one)
{
    return one ? segment_rounded(segment_here.size, HUGE_PAGE) +
                     (size_t)segment_here.processes * one
               : segment_here.size;
}

/* As much for each process as the machine has, as long as addresses suffice; 0: none. */
static size_t choose_heap(int n)
{
    size_t memory = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    size_t most = heaps_most / (size_t)n;
    size_t one = (memory < most ? memory : most) / HUGE_PAGE * HUGE_PAGE;

    return file_may_be(with_heaps(one)) ? one : 0;
}

/* Under a limit the program will want its addresses itself. */
static bool addresses_abound(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY;
}

/* ---- mapped ---- */

static char *map(int fd, size_t bytes, int protection)
{
    void *memory = mmap(NULL, bytes, protection, MAP_SHARED | MAP_NORESERVE, fd, 0);

    if (memory == MAP_FAILED)
        return NULL;
    segment_here.mapped = bytes;
    return memory;
}

/* Closed at first: what can be read or written is in memory at once, all of it, when the
 * program has called mlockall(MCL_FUTURE). NULL: not possible. */
static char *map_with_heaps(int fd, size_t one)
{
    char *memory = map(fd, with_heaps(one), PROT_NONE);

    if (!memory || mprotect(memory, segment_here.size, PROT_READ | PROT_WRITE) == 0)
        return memory;
    munmap(memory, segment_here.mapped);
    return NULL;
}

/* All of it if there are addresses enough, else without the shared heaps. */
static char *map_as_much(int fd, size_t one)
{
    char *memory = NULL;

    if (one == 0)
        segment_here.no_heaps = "a limit on the size of files";
    else if (!addresses_abound())
        segment_here.no_heaps = "a limit on addresses";
    else if (!(memory = map_with_heaps(fd, one)))
        segment_here.no_heaps = "not enough addresses";
    return memory ? memory : map(fd, segment_here.size, PROT_READ | PROT_WRITE);
}

/* Map the file. NULL, or what was not possible. */
static const char *map_file(int fd, int mine, size_t one)
{
    size_t begin = segment_here.header + (size_t)mine * segment_here.slice;

    if ((must_allocate() && !allocate_bytes(fd, begin, segment_here.slice)) ||
        !allocate_bytes(fd, 0, segment_here.header))
        return "no memory for it";
    segment_here.base = map_as_much(fd, one);
    if (!segment_here.base)
        return "mmap failed";
    madvise(segment_here.base, segment_here.size, MADV_DONTFORK);
    madvise(segment_here.base, segment_here.mapped, MADV_DONTDUMP);
    arena_begin(&segment_here.mine, segment_here.base + begin, segment_here.slice);
    segment_here.owner = getpid();
    if (segment_here.mapped != segment_here.size &&
        !shared_heap_begin(segment_here.base, segment_rounded(segment_here.size, HUGE_PAGE),
                           segment_here.mapped,
                           segment_rounded(segment_here.size, HUGE_PAGE) + (size_t)mine * one, one))
        segment_here.no_heaps = "out of memory";
    return NULL;
}

/* The first process makes it. */
const char *segment_begin_file(segment_offer *o)
{
    const char *why;

    o->pid = getpid();
    o->heap = choose_heap(segment_here.processes);
    o->fd = make_file(with_heaps(o->heap));
    if (o->fd < 0)
        return "memfd_create failed, or a limit of this process is too low";
    if (getrandom(o->nonce, sizeof o->nonce, GRND_NONBLOCK) != (ssize_t)sizeof o->nonce) {
        o->nonce[0] = (uint64_t)(uintptr_t)o ^ (uint64_t)getpid() << 32;
        o->nonce[1] = (uint64_t)MPI_Wtime();
    }
    why = map_file(o->fd, 0, o->heap);
    if (!why)
        memcpy(((segment_header *)(void *)segment_here.base)->nonce, o->nonce, sizeof o->nonce);
    return why;
}

/* The others open it. */
const char *segment_join_file(const segment_offer *o, int mine)
{
    const char *why;
    int fd;

    if (o->fd < 0)
        return "the first process of this node could not make it";
    fd = open_file(o->pid, o->fd, with_heaps(o->heap), o->nonce);
    if (fd < 0)
        return "cannot open the file of the first process of this node";
    why = map_file(fd, mine, o->heap);
    close(fd);
    return why;
}
