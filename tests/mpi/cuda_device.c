/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_device.c - stub_device.h with a real GPU behind it: memory of CUDA's driver, every second
 * allocation from its pool. The host sees a copy. No context is current where the program calls MPI
 * on an odd rank. Needs no header of CUDA's. */
#define _GNU_SOURCE
#include "mpi/stub_device.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 256, ATTACH_GLOBAL = 1 };
typedef unsigned long long address;

static struct allocation {
    address at;
    char *shadow; /* NULL: managed */
    size_t bytes;
} allocations[MOST];

static int (*init)(unsigned flags);
static int (*retain)(void **context, int device);
static int (*push)(void *context);
static int (*pop)(void **context);
static int (*alloc)(address *at, size_t bytes);
static int (*alloc_pool)(address *at, size_t bytes, void *stream);
static int (*alloc_managed)(address *at, size_t bytes, unsigned flags);
static int (*release)(address at);
static int (*synchronize)(void);
static int (*to_host)(void *to, address from, size_t bytes);
static int (*to_device)(address to, const void *from, size_t bytes);
static void *context;

static void need(int error, const char *what)
{
    if (!error)
        return;
    fprintf(stderr, "cuda_device: %s: error %d\n", what, error);
    abort();
}

static void enter(void)
{
    need(push(context), "cuCtxPushCurrent");
}

static void leave(void)
{
    void *popped;

    need(pop(&popped), "cuCtxPopCurrent");
}

static void find_function(void *library, const char *name, void *function)
{
    *(void **)function = dlsym(library, name);
    need(*(void **)function == NULL, name);
}

static int is_odd_rank(void)
{
    const char *rank = getenv("PMI_RANK");

    if (!rank)
        rank = getenv("OMPI_COMM_WORLD_RANK");
    return rank && atoi(rank) % 2;
}

static void open_cuda(void)
{
    void *l = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);

    need(l == NULL, "libcuda.so.1 cannot be opened");
    find_function(l, "cuInit", &init);
    find_function(l, "cuDevicePrimaryCtxRetain", &retain);
    find_function(l, "cuCtxPushCurrent_v2", &push);
    find_function(l, "cuCtxPopCurrent_v2", &pop);
    find_function(l, "cuMemAlloc_v2", &alloc);
    find_function(l, "cuMemAllocAsync", &alloc_pool);
    find_function(l, "cuMemAllocManaged", &alloc_managed);
    find_function(l, "cuMemFree_v2", &release);
    find_function(l, "cuCtxSynchronize", &synchronize);
    find_function(l, "cuMemcpyDtoH_v2", &to_host);
    find_function(l, "cuMemcpyHtoD_v2", &to_device);
    need(init(0), "cuInit");
    need(retain(&context, 0), "cuDevicePrimaryCtxRetain");
    if (!is_odd_rank())
        enter();
}

static struct allocation *find(const void *at)
{
    for (int i = 0; i < MOST; i++)
        if (allocations[i].at && (address)(uintptr_t)at >= allocations[i].at &&
            (address)(uintptr_t)at < allocations[i].at + allocations[i].bytes)
            return &allocations[i];
    return NULL;
}

static void *note(address at, size_t bytes, char *shadow)
{
    int i = 0;

    while (i < MOST && allocations[i].at)
        i++;
    need(i == MOST, "too many allocations");
    allocations[i] = (struct allocation){at, shadow, bytes};
    return (void *)(uintptr_t)at;
}

static void *device_alloc(size_t bytes, void *wanted)
{
    static int count;
    address at = 0;

    if (wanted)
        return NULL;
    enter();
    need(count++ % 2 ? alloc_pool(&at, bytes, NULL) : alloc(&at, bytes), "cuMemAlloc");
    need(synchronize(), "cuCtxSynchronize");
    leave();
    return note(at, bytes, malloc(bytes));
}

static void *device_alloc_managed(size_t bytes)
{
    address at = 0;

    enter();
    need(alloc_managed(&at, bytes, ATTACH_GLOBAL), "cuMemAllocManaged");
    leave();
    return note(at, bytes, NULL);
}

static void device_free(void *memory)
{
    struct allocation *a = find(memory);

    need(a == NULL, "free of what was not allocated");
    enter();
    need(release(a->at), "cuMemFree");
    leave();
    free(a->shadow);
    *a = (struct allocation){0};
}

static char *device_view(const void *at)
{
    struct allocation *a = find(at);

    if (!a || !a->shadow)
        return (char *)(uintptr_t)at;
    enter();
    need(to_host(a->shadow, a->at, a->bytes), "cuMemcpyDtoH");
    leave();
    return a->shadow + ((address)(uintptr_t)at - a->at);
}

static void device_written(const void *at)
{
    struct allocation *a = find(at);

    if (!a || !a->shadow)
        return;
    enter();
    need(to_device(a->at, a->shadow, a->bytes), "cuMemcpyHtoD");
    need(synchronize(), "cuCtxSynchronize");
    leave();
}

stub_device *stub_device_table(void);
stub_device *stub_device_table(void)
{
    static stub_device table = {.alloc = device_alloc,
                                .alloc_managed = device_alloc_managed,
                                .free = device_free,
                                .view = device_view,
                                .written = device_written};

    if (!context)
        open_cuda();
    return &table;
}
