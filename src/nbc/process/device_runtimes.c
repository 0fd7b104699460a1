/* SPDX-License-Identifier: BSD-3-Clause */
/* device_runtimes.c - the libraries of CUDA, HIP and Level Zero. Constants and layouts are those of
 * their stable interfaces; their headers are not needed to build.
 *
 * Copies go through a stream that waits for no kernel of the program's: MPI wants buffers that are
 * not in use.
 */
#include "nbc/process/device.h"

#include <dlfcn.h>

static bool find_symbol(void *handle, const char *name, void *function)
{
    void *symbol = dlsym(handle, name);

    *(void **)function = symbol;
    return symbol != NULL;
}

#define FIND(table, member, name) find_symbol(handle, name, &(table).member)

/* ---- CUDA's driver ---- */

enum { CU_CONTEXT = 1, CU_MEMORY_TYPE = 2, CU_IS_MANAGED = 8, CU_DEVICE_ORDINAL = 9 };
enum { CU_DEVICE_MEMORY = 2 };
#define CU_STREAM_PER_THREAD ((void *)2)

static struct {
    int (*attribute)(void *data, int attribute, unsigned long long address);
    int (*push)(void *context);
    int (*pop)(void **context);
    int (*retain)(void **context, int device);
    int (*release)(int device);
    int (*copy)(unsigned long long to, unsigned long long from, size_t bytes, void *stream);
    int (*synchronize)(void *stream);
} cu;

static bool cuda_find(void *handle)
{
    return FIND(cu, attribute, "cuPointerGetAttribute") && FIND(cu, push, "cuCtxPushCurrent_v2") &&
           FIND(cu, pop, "cuCtxPopCurrent_v2") && FIND(cu, retain, "cuDevicePrimaryCtxRetain") &&
           FIND(cu, release, "cuDevicePrimaryCtxRelease_v2") && FIND(cu, copy, "cuMemcpyAsync") &&
           FIND(cu, synchronize, "cuStreamSynchronize");
}

static bool cuda_owns(const void *address)
{
    unsigned type = 0, managed = 0;

    return cu.attribute(&type, CU_MEMORY_TYPE, (uintptr_t)address) == 0 &&
           type == CU_DEVICE_MEMORY &&
           (cu.attribute(&managed, CU_IS_MANAGED, (uintptr_t)address) != 0 || !(managed & 0xff));
}

static bool cuda_copy_in_context(const device_copy *c)
{
    int error = 0;

    for (int64_t i = 0; i < c->n && !error; i++)
        error = cu.copy((uintptr_t)(c->to + c->parts[i].at), (uintptr_t)(c->from + c->parts[i].at),
                        (size_t)c->parts[i].bytes, CU_STREAM_PER_THREAD);
    return !error && cu.synchronize(CU_STREAM_PER_THREAD) == 0;
}

/* In the context of the memory, which the calling thread may not have; what comes from a pool has
 * none, and is in the device's primary one. */
static bool cuda_copy(const device_copy *c)
{
    void *context = NULL, *popped;
    int device = -1;
    bool good = false;

    if (cu.attribute(&context, CU_CONTEXT, (uintptr_t)c->device) != 0)
        context = NULL;
    if (!context && (cu.attribute(&device, CU_DEVICE_ORDINAL, (uintptr_t)c->device) != 0 ||
                     cu.retain(&context, device) != 0))
        return false;
    if (cu.push(context) == 0) {
        good = cuda_copy_in_context(c);
        cu.pop(&popped);
    }
    if (device >= 0)
        cu.release(device);
    return good;
}

/* ---- HIP ---- */

enum { HIP_COPY_DEFAULT = 4 };
#define HIP_STREAM_PER_THREAD ((void *)2)

typedef struct hip_attributes {
    int type, device;
    void *device_pointer, *host_pointer;
    int managed;
    unsigned flags;
    void *reserved[8];
} hip_attributes;

static struct {
    int (*attributes)(hip_attributes *result, const void *address);
    int (*version)(int *version);
    int (*peek)(void);
    int (*clear)(void);
    int (*get)(int *device);
    int (*set)(int device);
    int (*copy)(void *to, const void *from, size_t bytes, int kind, void *stream);
    int (*synchronize)(void *stream);
    int device_memory;
} hip;

static bool hip_find(void *handle)
{
    int version = 0;

    if (!(FIND(hip, attributes, "hipPointerGetAttributes") &&
          FIND(hip, version, "hipRuntimeGetVersion") && FIND(hip, peek, "hipPeekAtLastError") &&
          FIND(hip, clear, "hipGetLastError") && FIND(hip, get, "hipGetDevice") &&
          FIND(hip, set, "hipSetDevice") && FIND(hip, copy, "hipMemcpyAsync") &&
          FIND(hip, synchronize, "hipStreamSynchronize")))
        return false;
    hip.version(&version);
    hip.device_memory = version >= 60000000 ? 2 : 1; /* ROCm 6 has renumbered its enum */
    return true;
}

/* Before ROCm 6 memory that it does not know is an error, which the program would find. */
static bool hip_attributes_of(const void *address, hip_attributes *a)
{
    bool clean = hip.peek() == 0, good = hip.attributes(a, address) == 0;

    if (!good && clean)
        hip.clear();
    return good;
}

static bool hip_owns(const void *address)
{
    hip_attributes a = {0};

    return hip_attributes_of(address, &a) && a.type == hip.device_memory && !a.managed;
}

static bool hip_copy(const device_copy *c)
{
    hip_attributes a = {0};
    int before = 0, error;

    if (!hip_attributes_of(c->device, &a) || hip.get(&before) != 0)
        return false;
    error = hip.set(a.device);
    for (int64_t i = 0; i < c->n && !error; i++)
        error = hip.copy(c->to + c->parts[i].at, c->from + c->parts[i].at,
                         (size_t)c->parts[i].bytes, HIP_COPY_DEFAULT, HIP_STREAM_PER_THREAD);
    if (!error)
        error = hip.synchronize(HIP_STREAM_PER_THREAD);
    hip.set(before);
    return !error;
}

/* ---- Level Zero ---- */

enum { ZE_CONTEXT_DESC = 0xd, ZE_QUEUE_DESC = 0xe, ZE_ALLOCATION = 0x17, ZE_DEVICE_MEMORY = 2 };
enum { ZE_SYNCHRONOUS = 1 };

typedef struct ze_context_desc {
    int type;
    const void *next;
    uint32_t flags;
} ze_context_desc;

typedef struct ze_queue_desc {
    int type;
    const void *next;
    uint32_t ordinal, index, flags;
    int mode, priority;
} ze_queue_desc;

typedef struct ze_allocation {
    int type;
    void *next;
    int memory;
    uint64_t id, page;
} ze_allocation;

static struct {
    int (*init)(uint32_t flags);
    int (*drivers)(uint32_t *n, void **drivers);
    int (*context)(void *driver, const ze_context_desc *desc, void **context);
    int (*properties)(void *context, const void *address, ze_allocation *a, void **device);
    int (*list)(void *context, void *device, const ze_queue_desc *desc, void **list);
    int (*copy)(void *list, void *to, const void *from, size_t bytes, void *signal, uint32_t n,
                void **events);
    int (*destroy)(void *list);
    void *ours; /* a context: the driver knows allocations of all */
} ze;

static bool level_zero_find(void *handle)
{
    ze_context_desc desc = {.type = ZE_CONTEXT_DESC};
    void *driver = NULL;
    uint32_t n = 1;

    return FIND(ze, init, "zeInit") && FIND(ze, drivers, "zeDriverGet") &&
           FIND(ze, context, "zeContextCreate") &&
           FIND(ze, properties, "zeMemGetAllocProperties") &&
           FIND(ze, list, "zeCommandListCreateImmediate") &&
           FIND(ze, copy, "zeCommandListAppendMemoryCopy") &&
           FIND(ze, destroy, "zeCommandListDestroy") && ze.init(0) == 0 &&
           ze.drivers(&n, &driver) == 0 && n > 0 && ze.context(driver, &desc, &ze.ours) == 0;
}

static bool level_zero_owns(const void *address)
{
    ze_allocation a = {.type = ZE_ALLOCATION};
    void *device = NULL;

    return ze.properties(ze.ours, address, &a, &device) == 0 && a.memory == ZE_DEVICE_MEMORY;
}

static bool level_zero_copy(const device_copy *c)
{
    ze_allocation a = {.type = ZE_ALLOCATION};
    ze_queue_desc desc = {.type = ZE_QUEUE_DESC, .mode = ZE_SYNCHRONOUS};
    void *device = NULL, *list = NULL;
    int error;

    if (ze.properties(ze.ours, c->device, &a, &device) != 0 ||
        ze.list(ze.ours, device, &desc, &list) != 0)
        return false;
    error = 0;
    for (int64_t i = 0; i < c->n && !error; i++)
        error = ze.copy(list, c->to + c->parts[i].at, c->from + c->parts[i].at,
                        (size_t)c->parts[i].bytes, NULL, 0, NULL);
    ze.destroy(list);
    return !error;
}

const device_runtime device_runtimes[DEVICE_RUNTIMES] = {
    {"CUDA", "libcuda.so.1", cuda_find, cuda_owns, cuda_copy},
    {"HIP", "libamdhip64.so", hip_find, hip_owns, hip_copy},
    {"Level Zero", "libze_loader.so.1", level_zero_find, level_zero_owns, level_zero_copy}};
