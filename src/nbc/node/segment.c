/* SPDX-License-Identifier: BSD-3-Clause */
/* segment.c - see segment.h. */
#define _GNU_SOURCE /* MADV_DONTFORK, MADV_DONTDUMP, MADV_REMOVE */
#include "nbc/node/segment.h"

#include "nbc/node/arena.h"
#include "nbc/node/node_file.h"
#include "nbc/node/store.h"
#include "nbc/node/vmread.h"
#include "nbc/process/mutex.h"
#include "nbc/process/native_mpi.h"
#include "topo/here.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    UNIT = 64,
    ALIGN = 128,
    PAGE = 65536,             /* of any machine */
    NODE_MOST = 1 << 29,      /* bytes of a node's slices, */
    NODE_ALLOCATED = 1 << 27, /* where memory must be allocated before it is touched, */
    SLICE_MOST = 1 << 22,     /* and of one process; */
    SLICE_LEAST = 8192,       /* for each process of the node: rings of a few communicators */
    HUGE_PAGE = 1 << 21
};

static const size_t stores_most = (size_t)1 << 40; /* addresses of a node */

/* What the first process of a node tells the others. No padding. */
typedef struct offer {
    uint64_t nonce[2];
    uint64_t store; /* bytes of each */
    int32_t pid, fd;
    vmread_offer memory; /* of all processes */
} offer;

typedef struct header {
    uint64_t nonce[2];
    _Atomic unsigned char has[]; /* [processes]: it has mapped the file, and read the nonce */
} header;

/* A lock of its own: memory is given back under that of the library. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static char *base; /* NULL: there is none */
static size_t size, slice_size, header_size;
static size_t mapped;
static int processes, sharing;
static int32_t *index_of; /* [places]: of a process of this node that shares, or -1 */
static int places;
static int64_t *pids;         /* [processes] */
static bool reads, lends_all; /* memory that is not shared */
static const char *absent = "no communicator has been used yet";
static const char *storeless;

static arena slice;
static pid_t owner; /* a child does not have it */
/* What other threads may ask for while one of them sets all this up: told when that is done. */
static _Atomic(const char *) told = "no communicator has been used yet";
static atomic_int told_sharing;

static void tell(void)
{
    atomic_store(&told, base ? storeless : absent);
    atomic_store(&told_sharing, sharing);
    store_allow();
}

const char *segment_absent(void)
{
    return atomic_load(&told);
}

int segment_processes(void)
{
    return atomic_load(&told_sharing);
}

size_t segment_slice(void)
{
    return slice_size;
}

bool segment_shared_with(int place)
{
    return base && place >= 0 && place < places && index_of[place] >= 0;
}

bool segment_reads(void)
{
    return reads;
}

bool segment_lends_all(void)
{
    return lends_all;
}

int64_t segment_pid(int place)
{
    return pids[index_of[place]];
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

static size_t rounded(size_t bytes, size_t to)
{
    return (bytes + to - 1) / to * to;
}

void *segment_take(size_t bytes)
{
    char *memory;

    mutex_lock(&mutex);
    memory = arena_take(&slice, rounded(bytes, ALIGN));
    mutex_unlock(&mutex);
    return memory;
}

void segment_give(void *memory, size_t bytes)
{
    if (!memory || !base)
        return;
    mutex_lock(&mutex);
    arena_give(&slice, memory, rounded(bytes, ALIGN));
    mutex_unlock(&mutex);
}

/* Whole pages go, and are zero when they come again. */
static void return_pages(char *memory, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), at = (size_t)(memory - base);
    size_t begin = rounded(at, page), end = (at + bytes) / page * page;

    if (begin < end && madvise(base + begin, end - begin, MADV_REMOVE) == 0) {
        memset(memory, 0, begin - at);
        memset(base + end, 0, at + bytes - end);
    } else {
        memset(memory, 0, bytes);
    }
}

bool segment_touched(const void *memory)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), at = (size_t)((const char *)memory - base);
    unsigned char there = 1;

    return mincore(base + at / page * page, page, &there) != 0 || there & 1;
}

bool segment_is_mine(void)
{
    return base && getpid() == owner;
}

void segment_retire(void *memory, size_t bytes)
{
    if (memory && segment_is_mine())
        return_pages(memory, bytes);
}

void segment_return(void *memory, size_t bytes)
{
    segment_retire(memory, bytes);
    segment_give(memory, bytes);
}

size_t segment_left(void)
{
    size_t bytes;

    mutex_lock(&mutex);
    bytes = slice.left;
    mutex_unlock(&mutex);
    return bytes;
}

uint64_t segment_place(const void *memory)
{
    return (uint64_t)((const char *)memory - base);
}

void *segment_at_place(uint64_t place)
{
    return base + place;
}

/* ---- set up ---- */

static void forget(const char *why)
{
    if (base)
        munmap(base, mapped);
    free(index_of);
    free(pids);
    arena_end(&slice);
    store_end();
    base = NULL;
    index_of = NULL;
    pids = NULL;
    reads = lends_all = false;
    size = mapped = slice_size = 0;
    processes = sharing = places = 0;
    storeless = NULL;
    absent = why;
}

/* Buffers of the program's may be used, and freed, when MPI has gone: then all of it stays. */
void segment_end(void)
{
    if (store_is_used())
        return;
    forget("MPI_Finalize has begun");
    tell();
}

/* Where the shared part of each begins: all processes of the node count alike. */
static void divide(int n)
{
    size_t most = node_file_must_allocate() ? NODE_ALLOCATED : NODE_MOST;
    size_t share = most / (size_t)n / PAGE * PAGE;
    size_t least = rounded((size_t)n * SLICE_LEAST, PAGE);

    processes = n;
    slice_size = share < SLICE_MOST ? share : SLICE_MOST;
    if (slice_size < least)
        slice_size = least;
    header_size = rounded(sizeof(header) + (size_t)n, PAGE);
    size = header_size + (size_t)n * slice_size;
}

static size_t with_stores(size_t one)
{
    return one ? rounded(size, HUGE_PAGE) + (size_t)processes * one : size;
}

/* As much for each process as the machine has, as long as addresses suffice; 0: none. */
static size_t choose_store(int n)
{
    size_t memory = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    size_t most = stores_most / (size_t)n;
    size_t one = (memory < most ? memory : most) / HUGE_PAGE * HUGE_PAGE;

    return node_file_may_be(with_stores(one)) ? one : 0;
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

/* Under a limit the program will want its addresses itself. */
static bool addresses_abound(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY;
}

static char *map(int fd, size_t bytes, int protection)
{
    void *memory = mmap(NULL, bytes, protection, MAP_SHARED | MAP_NORESERVE, fd, 0);

    if (memory == MAP_FAILED)
        return NULL;
    mapped = bytes;
    return memory;
}

/* Closed from the begin: what can be read or written is in memory at once, all of it, when the
 * program has called mlockall(MCL_FUTURE). NULL: not possible. */
static char *map_with_stores(int fd, size_t one)
{
    char *memory = map(fd, with_stores(one), PROT_NONE);

    if (!memory || mprotect(memory, size, PROT_READ | PROT_WRITE) == 0)
        return memory;
    munmap(memory, mapped);
    return NULL;
}

/* All of it if there are addresses enough, else without the stores. */
static char *map_as_much(int fd, size_t one)
{
    char *memory = NULL;

    if (one == 0)
        storeless = "a limit on the size of files";
    else if (!addresses_abound())
        storeless = "a limit on addresses";
    else if (!(memory = map_with_stores(fd, one)))
        storeless = "not enough addresses";
    return memory ? memory : map(fd, size, PROT_READ | PROT_WRITE);
}

/* Map the file. NULL, or what was not possible. */
static const char *map_file(int fd, int mine, size_t one)
{
    size_t begin = header_size + (size_t)mine * slice_size;

    if ((node_file_must_allocate() && !node_file_allocate(fd, begin, slice_size)) ||
        !node_file_allocate(fd, 0, header_size))
        return "no memory for it";
    base = map_as_much(fd, one);
    if (!base)
        return "mmap failed";
    madvise(base, size, MADV_DONTFORK);
    madvise(base, mapped, MADV_DONTDUMP);
    arena_begin(&slice, base + begin, slice_size);
    owner = getpid();
    if (mapped != size && !store_begin(base, rounded(size, HUGE_PAGE), mapped,
                                       rounded(size, HUGE_PAGE) + (size_t)mine * one, one))
        storeless = "out of memory";
    return NULL;
}

/* The first process makes it. */
static const char *begin_file(offer *o)
{
    const char *why;

    o->pid = getpid();
    o->store = choose_store(processes);
    o->fd = node_file_make(with_stores(o->store));
    if (o->fd < 0)
        return "memfd_create failed, or a limit of this process is too low";
    if (getrandom(o->nonce, sizeof o->nonce, GRND_NONBLOCK) != (ssize_t)sizeof o->nonce) {
        o->nonce[0] = (uint64_t)(uintptr_t)o ^ (uint64_t)getpid() << 32;
        o->nonce[1] = (uint64_t)MPI_Wtime();
    }
    why = map_file(o->fd, 0, o->store);
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
    fd = node_file_open(o->pid, o->fd, with_stores(o->store), o->nonce);
    if (fd < 0)
        return "cannot open the file of the first process of this node";
    why = map_file(fd, mine, o->store);
    close(fd);
    return why;
}

/* Arrays for all ranks, and the members of my node. */
typedef struct around {
    int p, rank, n, mine, first; /* n: processes here; I am the mine-th; first: rank of the first */
    uint64_t node, *nodes;       /* [p] */
    offer *offers;               /* [p] */
} around;

/* Read what each of my node shows, while all wait for all. */
static bool reads_all(const around *a)
{
    bool good = true;

    for (int r = 0; good && r < a->p; r++)
        if (r != a->rank && a->nodes[r] == a->node && a->offers[r].memory.at)
            good = vmread_works(&a->offers[r].memory);
    return good;
}

/* All have said whether they have it. */
static const char *look_around(const around *a)
{
    header *h = (void *)base;

    places = a->p;
    for (int r = 0, k = 0; r < a->p; r++) {
        index_of[r] = -1;
        if (a->nodes[r] != a->node)
            continue;
        pids[k] = a->offers[r].memory.pid;
        if (atomic_load_explicit(&h->has[k], memory_order_acquire)) {
            index_of[r] = k;
            sharing++;
        }
        k++;
    }
    return sharing > 1 ? NULL : "no other process of this node has it";
}

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
static const char *set_up(around *a, MPI_Comm all, node_wire wish)
{
    char host[TOPO_HOST];
    offer mine = {.fd = -1};
    bool wanted = wish != NODE_WIRE_OFF;
    const char *why = wanted ? NULL : "TUTTI_NODE_WIRE=off";

    a->node = here_node(host);
    if (native_mpi.Allgather(wanted ? &a->node : &(uint64_t){0}, 1, MPI_UINT64_T, a->nodes, 1,
                             MPI_UINT64_T, all) != MPI_SUCCESS)
        return "MPI_Allgather failed";
    count_node(a);
    if (!why && a->n < 2)
        why = "no other process on this node";
    if (!why && !packs_raw())
        why = "MPI packs data in a form of its own";
    divide(a->n > 0 ? a->n : 1);
    pids = malloc((size_t)processes * sizeof *pids);
    if (!why && !pids)
        why = "out of memory";
    if (!why && a->rank == a->first)
        why = begin_file(&mine);
    if (!why && wish == NODE_WIRE_ON)
        mine.memory = vmread_offer_mine();
    lends_all = mine.memory.at != 0;
    native_mpi.Allgather(&mine, sizeof mine, MPI_BYTE, a->offers, sizeof mine, MPI_BYTE, all);
    if (!why && a->rank != a->first)
        why = join_file(&a->offers[a->first], a->mine);
    reads = !why && wish == NODE_WIRE_ON && reads_all(a);
    if (!why)
        atomic_store_explicit(&((header *)(void *)base)->has[a->mine], 1, memory_order_release);
    native_mpi.Barrier(all);
    if (mine.fd >= 0)
        close(mine.fd);
    if (!why)
        why = look_around(a);
    if (!why && wish == NODE_WIRE_ON && !reads && env_verbose())
        env_say_here(
            "messages inside the node: copied: the kernel does not let this process read the "
            "memory of all others");
    return why;
}

/* A process without memory for the arrays would leave the others alone: it is a handful of bytes
 * for each rank, as the channel itself. */
void segment_make(MPI_Comm all, node_wire wish)
{
    around a = {0};
    const char *why = "out of memory";

    forget("no communicator has been used yet");
    PMPI_Comm_size(all, &a.p);
    PMPI_Comm_rank(all, &a.rank);
    if (a.p < 2) {
        absent = "there is one process only";
        tell();
        return;
    }
    a.nodes = calloc((size_t)a.p, sizeof *a.nodes);
    a.offers = calloc((size_t)a.p, sizeof *a.offers);
    index_of = calloc((size_t)a.p, sizeof *index_of);
    if (a.nodes && a.offers && index_of)
        why = set_up(&a, all, wish);
    free(a.offers);
    free(a.nodes);
    if (why)
        forget(why);
    tell();
}
