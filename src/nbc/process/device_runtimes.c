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
enum { CU_HOST = 1, CU_DEVICE = 2, CU_PITCH_MOST = 0x7fffffff, CU_PORTABLE = 1 };
#define CU_STREAM_PER_THREAD ((void *)2)

/* One side of a copy of rows, CUDA_MEMCPY2D's. */
typedef struct cu_rows {
    size_t x, y;
    int memory_type;
    const void *host;
    unsigned long long device;
    void *array;
    size_t pitch;
} cu_rows;

typedef struct cu_copy_2d {
    cu_rows from, to;
    size_t width, height;
} cu_copy_2d;

static struct {
    int (*attribute)(void *data, int attribute, unsigned long long address);
    int (*push)(void *context);
    int (*pop)(void **context);
    int (*retain)(void **context, int device);
    int (*release)(int device);
    int (*copy)(unsigned long long to, unsigned long long from, size_t bytes, void *stream);
    int (*copy_2d)(const cu_copy_2d *c, void *stream);
    int (*synchronize)(void *stream);
    int (*pin)(void *host, size_t bytes, unsigned flags);
} cu;

static bool cuda_find(void *handle)
{
    return FIND(cu, attribute, "cuPointerGetAttribute") && FIND(cu, push, "cuCtxPushCurrent_v2") &&
           FIND(cu, pop, "cuCtxPopCurrent_v2") && FIND(cu, retain, "cuDevicePrimaryCtxRetain") &&
           FIND(cu, release, "cuDevicePrimaryCtxRelease_v2") && FIND(cu, copy, "cuMemcpyAsync") &&
           FIND(cu, copy_2d, "cuMemcpy2DAsync_v2") &&
           FIND(cu, synchronize, "cuStreamSynchronize") && FIND(cu, pin, "cuMemHostRegister_v2");
}

static bool cuda_owns(const void *address)
{
    unsigned type = 0, managed = 0;

    return cu.attribute(&type, CU_MEMORY_TYPE, (uintptr_t)address) == 0 &&
           type == CU_DEVICE_MEMORY &&
           (cu.attribute(&managed, CU_IS_MANAGED, (uintptr_t)address) != 0 || !(managed & 0xff));
}

static cu_rows cuda_rows(const device_copy *c, const char *buffer, const device_range *r)
{
    const char *at = buffer + r->at;
    bool on_device = buffer == c->device;

    return (cu_rows){.memory_type = on_device ? CU_DEVICE : CU_HOST,
                     .host = on_device ? NULL : at,
                     .device = on_device ? (uintptr_t)at : 0,
                     .pitch = (size_t)r->pitch};
}

static int cuda_copy_part(const device_copy *c, int64_t at, int64_t bytes)
{
    return cu.copy((uintptr_t)(c->to + at), (uintptr_t)(c->from + at), (size_t)bytes,
                   CU_STREAM_PER_THREAD);
}

/* A column of a matrix is one copy, not one for each of its items. */
static int cuda_copy_range(const device_copy *c, const device_range *r)
{
    int error = 0;

    if (r->rows > 1 && r->pitch <= CU_PITCH_MOST)
        return cu.copy_2d(&(cu_copy_2d){.from = cuda_rows(c, c->from, r),
                                        .to = cuda_rows(c, c->to, r),
                                        .width = (size_t)r->bytes,
                                        .height = (size_t)r->rows},
                          CU_STREAM_PER_THREAD);
    for (int64_t i = 0; i < r->rows && !error; i++)
        error = cuda_copy_part(c, r->at + i * r->pitch, r->bytes);
    return error;
}

static bool cuda_copy_in_context(const device_copy *c)
{
    int error = 0;

    for (int64_t i = 0; i < c->n && !error; i++)
        error = cuda_copy_range(c, &c->parts[i]);
    return !error && cu.synchronize(CU_STREAM_PER_THREAD) == 0;
}

/* Make the context of this memory current, which it may not be in the calling thread. Memory from a
 * pool has none: it is in the primary context of its device, which *retained names then, else -1.
 * False: the context cannot be had. */
static bool cuda_enter(const void *memory, int *retained)
{
    void *context = NULL;

    *retained = -1;
    if (cu.attribute(&context, CU_CONTEXT, (uintptr_t)memory) != 0)
        context = NULL;
    if (!context && (cu.attribute(retained, CU_DEVICE_ORDINAL, (uintptr_t)memory) != 0 ||
                     cu.retain(&context, *retained) != 0))
        return false;
    if (cu.push(context) == 0)
        return true;
    if (*retained >= 0)
        cu.release(*retained);
    return false;
}

static void cuda_leave(int retained)
{
    void *context;

    cu.pop(&context);
    if (retained >= 0)
        cu.release(retained);
}

static bool cuda_copy(const device_copy *c)
{
    int retained;
    bool good;

    if (!cuda_enter(c->device, &retained))
        return false;
    good = cuda_copy_in_context(c);
    cuda_leave(retained);
    return good;
}

static bool cuda_pin(const void *device, void *host, size_t bytes)
{
    int retained;
    bool good;

    if (!cuda_enter(device, &retained))
        return false;
    good = cu.pin(host, bytes, CU_PORTABLE) == 0;
    cuda_leave(retained);
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
    int (*copy_2d)(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                   size_t height, int kind, void *stream);
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
          FIND(hip, copy_2d, "hipMemcpy2DAsync") && FIND(hip, synchronize, "hipStreamSynchronize")))
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

static int hip_copy_range(const device_copy *c, const device_range *r)
{
    char *to = c->to + r->at;
    const char *from = c->from + r->at;

    if (r->rows == 1)
        return hip.copy(to, from, (size_t)r->bytes, HIP_COPY_DEFAULT, HIP_STREAM_PER_THREAD);
    return hip.copy_2d(to, (size_t)r->pitch, from, (size_t)r->pitch, (size_t)r->bytes,
                       (size_t)r->rows, HIP_COPY_DEFAULT, HIP_STREAM_PER_THREAD);
}

static bool hip_copy(const device_copy *c)
{
    hip_attributes a = {0};
    int before = 0, error;

    if (!hip_attributes_of(c->device, &a) || hip.get(&before) != 0)
        return false;
    error = hip.set(a.device);
    for (int64_t i = 0; i < c->n && !error; i++)
        error = hip_copy_range(c, &c->parts[i]);
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

static int level_zero_copy_range(void *list, const device_copy *c, const device_range *r)
{
    int error = 0;

    for (int64_t i = 0, at = r->at; i < r->rows && !error; i++, at += r->pitch)
        error = ze.copy(list, c->to + at, c->from + at, (size_t)r->bytes, NULL, 0, NULL);
    return error;
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
        error = level_zero_copy_range(list, c, &c->parts[i]);
    ze.destroy(list);
    return !error;
}

const device_runtime device_runtimes[DEVICE_RUNTIMES] = {
    {"CUDA", "libcuda.so.1", cuda_find, cuda_owns, cuda_copy, cuda_pin},
    {"HIP", "libamdhip64.so", hip_find, hip_owns, hip_copy, NULL},
    {"Level Zero", "libze_loader.so.1", level_zero_find, level_zero_owns, level_zero_copy, NULL}};
