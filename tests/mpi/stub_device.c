/* SPDX-License-Identifier: BSD-3-Clause */
/* stub_device.c - libraries that stand for CUDA's, HIP's and Level Zero's (STUB_CUDA, STUB_HIP,
 * STUB_LEVEL_ZERO): they own memory that the processor cannot touch, and answer for it.
 *
 * STUB_NS: nanoseconds that an answer takes for an address that they do not know. STUB_MPI=R: on
 * rank R the MPI says that it serves CUDA's memory; the processor can touch that then. */
#define _GNU_SOURCE
#include "mpi/stub_device.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 256 };

static struct allocation {
    char *at, *view;
    size_t bytes;
    int managed;
} allocations[MOST];
static long asked, copied;
#ifdef STUB_CUDA
static long pinned;
#endif
static __thread int in_context; /* CUDA: the calling thread has one */

static struct allocation *find(const void *address)
{
    for (int i = 0; i < MOST; i++)
        if (allocations[i].at && (const char *)address >= allocations[i].at &&
            (const char *)address < allocations[i].at + allocations[i].bytes)
            return &allocations[i];
    return NULL;
}

static void *alloc_kind(size_t bytes, void *at, int managed)
{
    int fd = memfd_create("stub", 0), i = 0;
    int access = managed || getenv("STUB_MPI") ? PROT_READ | PROT_WRITE : PROT_NONE;

    while (i < MOST && allocations[i].at)
        i++;
    if (i == MOST || fd < 0 || ftruncate(fd, (off_t)bytes) != 0)
        abort();
    allocations[i] = (struct allocation){
        mmap(at, bytes, access, MAP_SHARED | (at ? MAP_FIXED : 0), fd, 0),
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), bytes, managed};
    close(fd);
    return allocations[i].at;
}

static void *device_alloc(size_t bytes, void *at)
{
    return alloc_kind(bytes, at, 0);
}

static void *device_alloc_managed(size_t bytes)
{
    return alloc_kind(bytes, NULL, 1);
}

static void device_free(void *memory)
{
    struct allocation *a = find(memory);

    if (!a)
        abort();
    munmap(a->at, a->bytes);
    munmap(a->view, a->bytes);
    *a = (struct allocation){0};
}

static char *device_view(const void *address)
{
    struct allocation *a = find(address);

    return a ? a->view + ((const char *)address - a->at) : (char *)(uintptr_t)address;
}

static void device_written(const void *address) /* view() is the memory itself */
{
}

stub_device *stub_device_table(void);
stub_device *stub_device_table(void)
{
    static stub_device table = {.alloc = device_alloc,
                                .alloc_managed = device_alloc_managed,
                                .free = device_free,
                                .view = device_view,
                                .written = device_written,
                                .asked = &asked,
                                .copied = &copied};

#ifdef STUB_CUDA
    table.pinned = &pinned;
#endif
    return &table;
}

static struct allocation *ask(const void *address)
{
    struct allocation *a = find(address);
    const char *ns = getenv("STUB_NS");
    struct timespec begin, now;

    asked++;
    if (a || !ns)
        return a;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < atol(ns));
    return NULL;
}

static int transfer(void *to, const void *from, size_t bytes)
{
    char *t = device_view(to);
    const char *f = device_view(from);

    copied++;
    for (size_t i = 0; i < bytes; i++)
        t[i] = f[i];
    return 0;
}

#if defined STUB_CUDA

int cuPointerGetAttribute(void *data, int attribute, unsigned long long address);
int cuPointerGetAttribute(void *data, int attribute, unsigned long long address)
{
    struct allocation *a = ask((void *)(uintptr_t)address);

    if (!a)
        return 1;
    if (attribute == 1)
        *(void **)data = a->bytes % 8192 ? NULL : (void *)a; /* none: as from a pool */
    else if (attribute == 2)
        *(unsigned *)data = 2;
    else if (attribute == 8)
        *(unsigned *)data = (unsigned)a->managed;
    else if (attribute == 9)
        *(int *)data = 3;
    else
        return 1;
    return 0;
}

int cuCtxPushCurrent_v2(void *context);
int cuCtxPushCurrent_v2(void *context)
{
    in_context += context != NULL;
    return context ? 0 : 201;
}

int cuCtxPopCurrent_v2(void **context);
int cuCtxPopCurrent_v2(void **context)
{
    *context = NULL;
    in_context--;
    return 0;
}

int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDevicePrimaryCtxRetain(void **context, int device)
{
    *context = &asked;
    return device == 3 ? 0 : 101;
}

int cuDevicePrimaryCtxRelease_v2(int device);
int cuDevicePrimaryCtxRelease_v2(int device)
{
    return device == 3 ? 0 : 101;
}

int cuMemcpyAsync(unsigned long long to, unsigned long long from, size_t bytes, void *stream);
int cuMemcpyAsync(unsigned long long to, unsigned long long from, size_t bytes, void *stream)
{
    if (!in_context || stream != (void *)2)
        return 201;
    return transfer((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes);
}

typedef struct rows {
    size_t x, y;
    int type;
    void *host;
    unsigned long long device;
    void *array;
    size_t pitch;
} rows;

typedef struct copy_2d {
    rows from, to;
    size_t width, height;
} copy_2d;

static char *row(const rows *r, size_t i)
{
    char *first = r->type == 2 ? (char *)(uintptr_t)r->device : r->host;

    return r->x || r->y || r->array ? NULL : first + i * r->pitch;
}

int cuMemcpy2DAsync_v2(const copy_2d *c, void *stream);
int cuMemcpy2DAsync_v2(const copy_2d *c, void *stream)
{
    if (!in_context || stream != (void *)2 || c->from.type == c->to.type)
        return 201;
    for (size_t i = 0; i < c->height; i++)
        transfer(row(&c->to, i), row(&c->from, i), c->width);
    return 0;
}

int cuMemHostRegister_v2(void *host, size_t bytes, unsigned flags);
int cuMemHostRegister_v2(void *host, size_t bytes, unsigned flags)
{
    pinned++;
    return !in_context || (uintptr_t)host % 4096 || bytes < 4096 || flags != 1;
}

int cuStreamSynchronize(void *stream);
int cuStreamSynchronize(void *stream)
{
    return stream != (void *)2;
}

static int mpi_rank(void)
{
    const char *rank = getenv("PMI_RANK"), *wanted = getenv("STUB_MPI");

    if (!rank)
        rank = getenv("OMPI_COMM_WORLD_RANK");
    return rank && wanted && atoi(rank) == atoi(wanted);
}

/* The MPI's, instead of its own: this library is preloaded then. */
int MPIX_Query_cuda_support(void);
int MPIX_Query_cuda_support(void)
{
    return mpi_rank();
}

#elif defined STUB_HIP

static int last_error;

typedef struct attributes {
    int type, device;
    void *device_pointer, *host_pointer;
    int managed;
    unsigned flags;
} attributes;

int hipPointerGetAttributes(attributes *result, const void *address);
int hipPointerGetAttributes(attributes *result, const void *address)
{
    struct allocation *a = ask(address);

    if (!a)
        return last_error = 1; /* as before ROCm 6 */
    *result = (attributes){.type = 1, .device = 3, .managed = a->managed};
    return 0;
}

int hipRuntimeGetVersion(int *version);
int hipRuntimeGetVersion(int *version)
{
    *version = 50700000;
    return 0;
}

int hipPeekAtLastError(void);
int hipPeekAtLastError(void)
{
    return last_error;
}

int hipGetLastError(void);
int hipGetLastError(void)
{
    int error = last_error;

    last_error = 0;
    return error;
}

int hipGetDevice(int *device);
int hipGetDevice(int *device)
{
    *device = in_context;
    return 0;
}

int hipSetDevice(int device);
int hipSetDevice(int device)
{
    in_context = device;
    return 0;
}

int hipMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream);
int hipMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream)
{
    if (in_context != 3 || kind != 4 || stream != (void *)2)
        return 1;
    return transfer(to, from, bytes);
}

int hipMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                     size_t height, int kind, void *stream);
int hipMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                     size_t height, int kind, void *stream)
{
    int error = 0;

    for (size_t i = 0; !error && i < height; i++)
        error = hipMemcpyAsync((char *)to + i * to_pitch, (const char *)from + i * from_pitch,
                               width, kind, stream);
    return error;
}

int hipStreamSynchronize(void *stream);
int hipStreamSynchronize(void *stream)
{
    return in_context != 3 || stream != (void *)2;
}

#else /* STUB_LEVEL_ZERO */

typedef struct properties {
    int type;
    void *next;
    int memory;
    uint64_t id, page;
} properties;

static int initialized;

int zeInit(uint32_t flags);
int zeInit(uint32_t flags)
{
    initialized = flags == 0;
    return 0;
}

int zeDriverGet(uint32_t *n, void **drivers);
int zeDriverGet(uint32_t *n, void **drivers)
{
    *n = 1;
    drivers[0] = &asked;
    return !initialized;
}

int zeContextCreate(void *driver, const void *desc, void **context);
int zeContextCreate(void *driver, const void *desc, void **context)
{
    *context = &copied;
    return driver != &asked || *(const int *)desc != 0xd;
}

int zeMemGetAllocProperties(void *context, const void *address, properties *p, void **device);
int zeMemGetAllocProperties(void *context, const void *address, properties *p, void **device)
{
    struct allocation *a = ask(address);

    if (context != &copied || p->type != 0x17)
        return 1;
    p->memory = !a ? 0 : a->managed ? 3 : 2;
    *device = a ? &in_context : NULL;
    return 0;
}

int zeCommandListCreateImmediate(void *context, void *device, const void *desc, void **list);
int zeCommandListCreateImmediate(void *context, void *device, const void *desc, void **list)
{
    *list = malloc(1);
    return context != &copied || device != &in_context || *(const int *)desc != 0xe;
}

int zeCommandListAppendMemoryCopy(void *list, void *to, const void *from, size_t bytes,
                                  void *signal, uint32_t n, void **events);
int zeCommandListAppendMemoryCopy(void *list, void *to, const void *from, size_t bytes,
                                  void *signal, uint32_t n, void **events)
{
    return !list || signal || n || events ? 1 : transfer(to, from, bytes);
}

int zeCommandListDestroy(void *list);
int zeCommandListDestroy(void *list)
{
    free(list);
    return 0;
}

#endif
