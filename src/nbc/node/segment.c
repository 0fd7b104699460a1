/* segment.c - see segment.h. */
#define _GNU_SOURCE /* memfd_create, fallocate, MADV_DONTFORK */
#include "nbc/node/segment.h"

#include "nbc/process/process.h"
#include "topo/here.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utlist.h>

enum {
    UNIT = 64,
    ALIGN = 128,
    PAGE = 65536,        /* of any machine */
    NODE_MOST = 1 << 27, /* bytes of a node, */
    SLICE_MOST = 1 << 22 /* and of one process */
};

/* What the first process of a node tells the others. */
typedef struct offer {
    uint64_t nonce[2];
    int32_t pid, fd;
} offer;

typedef struct header {
    uint64_t nonce[2];
    _Atomic unsigned char has[]; /* [processes]: it has mapped the file, allocated its slice, and
                                    read the nonce */
} header;

typedef struct extent {
    struct extent *prev, *next;
    size_t at, size;
} extent;

static char *base; /* NULL: there is none */
static size_t size, slice_size, header_size;
static int processes, sharing;
static int32_t *index_of; /* [places]: of a process of this node that shares, or -1 */
static int places;
static const char *absent = "no communicator has been used yet";

/* What is free of my slice, by `at`; library lock. */
static extent *unused;
static char *slice;
static size_t left;

const char *segment_absent(void)
{
    return base ? NULL : absent;
}

int segment_processes(void)
{
    return sharing;
}

size_t segment_slice(void)
{
    return slice_size;
}

bool segment_shared_with(int place)
{
    return base && place >= 0 && place < places && index_of[place] >= 0;
}

uint32_t segment_where(const void *memory)
{
    return memory ? (uint32_t)((size_t)((const char *)memory - base) / UNIT) : 0;
}

void *segment_at(uint32_t where)
{
    return base + (size_t)where * UNIT;
}

/* ---- memory ---- */

static size_t rounded(size_t bytes)
{
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static void add_extent(size_t at, size_t bytes)
{
    extent *e = malloc(sizeof *e), *behind = unused, *before;

    if (!e) /* lost to this process, until it ends */
        return;
    *e = (extent){.at = at, .size = bytes};
    while (behind && behind->at < at)
        behind = behind->next;
    if (behind)
        DL_PREPEND_ELEM(unused, behind, e);
    else
        DL_APPEND(unused, e);
    left += bytes;
    before = e == unused ? NULL : e->prev;
    if (e->next && e->at + e->size == e->next->at) {
        behind = e->next;
        e->size += behind->size;
        DL_DELETE(unused, behind);
        free(behind);
    }
    if (before && before->at + before->size == e->at) {
        before->size += e->size;
        DL_DELETE(unused, e);
        free(e);
    }
}

void *segment_take(size_t bytes)
{
    char *memory = NULL;
    extent *e;

    bytes = rounded(bytes);
    process_lock();
    DL_FOREACH (unused, e)
        if (e->size >= bytes)
            break;
    if (e) {
        memory = slice + e->at;
        e->at += bytes;
        e->size -= bytes;
        left -= bytes;
        if (e->size == 0) {
            DL_DELETE(unused, e);
            free(e);
        }
    }
    process_unlock();
    return memory ? memset(memory, 0, bytes) : NULL;
}

void segment_give(void *memory, size_t bytes)
{
    if (!memory || !base)
        return;
    process_lock();
    add_extent((size_t)((char *)memory - slice), rounded(bytes));
    process_unlock();
}

size_t segment_left(void)
{
    size_t bytes;

    process_lock();
    bytes = left;
    process_unlock();
    return bytes;
}

/* ---- set up ---- */

static void forget(const char *why)
{
    extent *e, *next;

    if (base)
        munmap(base, size);
    free(index_of);
    DL_FOREACH_SAFE (unused, e, next)
        free(e);
    base = slice = NULL;
    index_of = NULL;
    unused = NULL;
    left = size = slice_size = 0;
    processes = sharing = places = 0;
    absent = why;
}

void segment_end(void)
{
    forget("MPI_Finalize has begun");
}

/* Where the shared part of each begins. */
static void divide(int n)
{
    size_t slice_most = (size_t)NODE_MOST / (size_t)n / PAGE * PAGE;

    processes = n;
    slice_size = slice_most < SLICE_MOST ? slice_most : SLICE_MOST;
    if (slice_size < PAGE)
        slice_size = PAGE;
    header_size = (sizeof(header) + (size_t)n + PAGE - 1) / PAGE * PAGE;
    size = header_size + (size_t)n * slice_size;
}

/* A file of that size, or -1. The limit is asked for first: beyond it the kernel sends a signal. */
static int make_file(void)
{
    struct rlimit limit;
    int fd;

    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 ||
        (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < size))
        return -1;
    fd = memfd_create("tutti", MFD_CLOEXEC);
    if (fd >= 0 && ftruncate(fd, (off_t)size) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* It may be another process of that number (in another container), or another file of it. */
static int open_file(const offer *o)
{
    char path[64];
    struct stat s;
    int fd;

    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)o->pid, (int)o->fd);
    fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode) || (size_t)s.st_size != size)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Bytes that MPI packs are those of memory: both ends count on it. */
static bool packs_raw(void)
{
    int32_t value = 0x01020304, packed = 0;
    int at = 0;

    return PMPI_Pack(&value, 1, MPI_INT32_T, &packed, sizeof packed, &at, MPI_COMM_SELF) ==
               MPI_SUCCESS &&
           at == sizeof packed && packed == value;
}

static bool allocate(int fd, size_t from, size_t bytes)
{
    return fallocate(fd, 0, (off_t)from, (off_t)bytes) == 0;
}

/* Map the file and allocate my slice of it. NULL, or what was not possible. */
static const char *map_file(int fd, int mine)
{
    size_t begin = header_size + (size_t)mine * slice_size;
    void *memory;

    if (!allocate(fd, begin, slice_size) || !allocate(fd, 0, header_size))
        return "no memory for it";
    memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED)
        return "mmap failed";
    base = memory;
    madvise(base, size, MADV_DONTFORK);
    madvise(base, size, MADV_DONTDUMP);
    slice = base + begin;
    add_extent(0, slice_size);
    return NULL;
}

/* The first process makes it. */
static const char *begin_file(offer *o)
{
    const char *why;

    o->pid = getpid();
    o->fd = make_file();
    if (o->fd < 0)
        return "memfd_create failed, or a limit of this process is too low";
    if (getrandom(o->nonce, sizeof o->nonce, GRND_NONBLOCK) != (ssize_t)sizeof o->nonce) {
        o->nonce[0] = (uint64_t)(uintptr_t)o ^ (uint64_t)getpid() << 32;
        o->nonce[1] = (uint64_t)MPI_Wtime();
    }
    why = map_file(o->fd, 0);
    if (!why)
        memcpy(((header *)(void *)base)->nonce, o->nonce, sizeof o->nonce);
    return why;
}

/* The others open it. */
static const char *join_file(const offer *o, int mine)
{
    const char *why;
    int fd;

    if (o->fd < 0)
        return "the first process of this node could not make it";
    fd = open_file(o);
    if (fd < 0)
        return "cannot open the file of the first process of this node";
    why = map_file(fd, mine);
    close(fd);
    if (!why && memcmp(((header *)(void *)base)->nonce, o->nonce, sizeof o->nonce) != 0)
        why = "found another file in place of that of the first process of this node";
    return why;
}

/* All have said whether they have it. */
static const char *look_around(int p, const uint64_t *nodes, uint64_t mine)
{
    header *h = (void *)base;

    places = p;
    for (int r = 0, k = 0; r < p; r++) {
        index_of[r] = -1;
        if (nodes[r] != mine)
            continue;
        if (atomic_load_explicit(&h->has[k], memory_order_acquire)) {
            index_of[r] = k;
            sharing++;
        }
        k++;
    }
    return sharing > 1 ? NULL : "no other process of this node has it";
}

/* Arrays for all ranks, and the members of my node. */
typedef struct around {
    int p, rank, n, mine, first; /* n: processes here; I am the mine-th; first: rank of the first */
    uint64_t node, *nodes;       /* [p] */
    offer *offers;               /* [p] */
} around;

static void count_node(around *a)
{
    a->n = a->mine = 0;
    a->first = a->rank;
    for (int r = a->p - 1; r >= 0; r--)
        if (a->nodes[r] == a->node) {
            a->n++;
            a->mine += r < a->rank;
            a->first = r;
        }
}

/* Whatever goes wrong, all processes call the same collectives. */
static const char *set_up(around *a, MPI_Comm all, bool wanted)
{
    char host[TOPO_HOST];
    offer mine = {.fd = -1};
    const char *why = wanted ? NULL : "TUTTI_NODE_WIRE=off";

    a->node = here_node(host);
    if (PMPI_Allgather(wanted ? &a->node : &(uint64_t){0}, 1, MPI_UINT64_T, a->nodes, 1,
                       MPI_UINT64_T, all) != MPI_SUCCESS)
        return "MPI_Allgather failed";
    count_node(a);
    if (!why && a->n < 2)
        why = "no other process on this node";
    if (!why && !packs_raw())
        why = "MPI packs data in a form of its own";
    divide(a->n > 0 ? a->n : 1);
    if (!why && a->rank == a->first)
        why = begin_file(&mine);
    PMPI_Allgather(&mine, sizeof mine, MPI_BYTE, a->offers, sizeof mine, MPI_BYTE, all);
    if (!why && a->rank != a->first)
        why = join_file(&a->offers[a->first], a->mine);
    if (!why)
        atomic_store_explicit(&((header *)(void *)base)->has[a->mine], 1, memory_order_release);
    PMPI_Barrier(all);
    if (mine.fd >= 0)
        close(mine.fd);
    return why ? why : look_around(a->p, a->nodes, a->node);
}

/* A process without memory for the arrays would leave the others alone: it is a handful of bytes
 * for each rank, as the channel itself. */
void segment_make(MPI_Comm all, bool wanted)
{
    around a = {0};
    const char *why = "out of memory";

    forget("no communicator has been used yet");
    PMPI_Comm_size(all, &a.p);
    PMPI_Comm_rank(all, &a.rank);
    if (a.p < 2) {
        absent = "there is one process only";
        return;
    }
    a.nodes = calloc((size_t)a.p, sizeof *a.nodes);
    a.offers = calloc((size_t)a.p, sizeof *a.offers);
    index_of = calloc((size_t)a.p, sizeof *index_of);
    if (a.nodes && a.offers && index_of)
        why = set_up(&a, all, wanted);
    free(a.offers);
    free(a.nodes);
    if (why)
        forget(why);
}
