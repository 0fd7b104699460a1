/* SPDX-License-Identifier: BSD-3-Clause */
/* device_memory.c - what buffers in memory of a GPU cost under libtutti_mpi (CUDA; plain MPI
 * program): times of rank 0 in us, each the median of calls made in turn, with
 *
 *   host     buffers in memory of the host
 *   device   buffers in memory of the GPU, given to the MPI call
 *   hand     the same, copied by the program: cuMemcpyDtoH, the call on host memory, cuMemcpyHtoD,
 *            cuStreamSynchronize: else a short copy may be under way when that returns
 *
 *     mpiexec -n 2 -genv LD_PRELOAD libtutti_mpi.so ./device_memory
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef unsigned long long address;
enum { CALLS = 41, MOST = 16 << 20, HOST = 1, DEVICE = 2 };
enum { ON_HOST, ON_DEVICE, BY_HAND, WAYS };

typedef struct copy_side {
    size_t x, y;
    int type;
    const void *host;
    address device;
    void *array;
    size_t pitch;
} copy_side;

typedef struct copy_2d {
    copy_side from, to;
    size_t width, height;
} copy_2d;

static struct {
    int (*init)(unsigned flags);
    int (*retain)(void **context, int device);
    int (*set)(void *context);
    int (*alloc)(address *at, size_t bytes);
    int (*to_host)(void *to, address from, size_t bytes);
    int (*to_device)(address to, const void *from, size_t bytes);
    int (*copy_2d)(const copy_2d *c);
    int (*synchronize)(void *stream);
    int (*attribute)(void *data, int attribute, address at);
} cu;

static char *host[2], *device[2]; /* send and receive buffers */
static int ranks, rank;
static MPI_Datatype column; /* every fourth int of a matrix */

static void need(int error, const char *what)
{
    if (!error)
        return;
    fprintf(stderr, "device_memory: %s: error %d\n", what, error);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void open_cuda(void)
{
    const struct {
        const char *name;
        void *function;
    } functions[] = {{"cuInit", &cu.init},
                     {"cuDevicePrimaryCtxRetain", &cu.retain},
                     {"cuCtxSetCurrent", &cu.set},
                     {"cuMemAlloc_v2", &cu.alloc},
                     {"cuMemcpyDtoH_v2", &cu.to_host},
                     {"cuMemcpyHtoD_v2", &cu.to_device},
                     {"cuMemcpy2D_v2", &cu.copy_2d},
                     {"cuStreamSynchronize", &cu.synchronize},
                     {"cuPointerGetAttribute", &cu.attribute}};
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL), *context;

    need(library == NULL, "libcuda.so.1 cannot be opened");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        need((*(void **)functions[i].function = dlsym(library, functions[i].name)) == NULL,
             functions[i].name);
    need(cu.init(0), "cuInit");
    need(cu.retain(&context, 0), "cuDevicePrimaryCtxRetain");
    need(cu.set(context), "cuCtxSetCurrent");
    for (int i = 0; i < 2; i++) {
        address at = 0;
        need(cu.alloc(&at, (size_t)MOST), "cuMemAlloc");
        device[i] = (char *)(uintptr_t)at;
        host[i] = calloc(1, MOST);
        need(cu.to_device(at, host[i], MOST), "cuMemcpyHtoD");
    }
}

static address on_device(int side)
{
    return (address)(uintptr_t)device[side];
}

/* ---- the calls ---- */

static void allreduce(int way, int bytes)
{
    char **b = way == ON_DEVICE ? device : host;

    if (way == BY_HAND)
        cu.to_host(host[0], on_device(0), (size_t)bytes);
    MPI_Allreduce(b[0], b[1], bytes / 4, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    if (way == BY_HAND) {
        cu.to_device(on_device(1), host[1], (size_t)bytes);
        cu.synchronize(NULL);
    }
}

/* Into the first column of a matrix of 4 columns, `bytes` of data in all. */
static void columns(int way, int bytes)
{
    char **b = way == ON_DEVICE ? device : host;
    int mine = bytes / 4 / ranks;
    size_t items = (size_t)mine * (size_t)ranks;
    copy_2d back = {{.type = HOST, .host = host[1], .pitch = 16},
                    {.type = DEVICE, .device = on_device(1), .pitch = 16},
                    4,
                    items};

    if (way == BY_HAND)
        cu.to_host(host[0], on_device(0), (size_t)mine * 4);
    MPI_Allgather(b[0], mine, MPI_INT, b[1], mine, column, MPI_COMM_WORLD);
    if (way == BY_HAND) {
        cu.copy_2d(&back);
        cu.synchronize(NULL);
    }
}

/* ---- times ---- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void measure(const char *name, void (*call)(int way, int bytes), int bytes)
{
    double times[WAYS][CALLS];

    for (int k = 0; k < CALLS; k++)
        for (int i = 0, way = k % WAYS; i < WAYS; i++, way = (way + 1) % WAYS) {
            MPI_Barrier(MPI_COMM_WORLD);
            times[way][k] = -MPI_Wtime();
            call(way, bytes);
            times[way][k] += MPI_Wtime();
        }
    for (int way = 0; way < WAYS; way++)
        qsort(times[way], CALLS, sizeof(double), ascending);
    if (rank == 0)
        printf("%-10s %9d B  host %10.1f  device %10.1f  hand %10.1f  device/hand %.2f\n", name,
               bytes, 1e6 * times[ON_HOST][CALLS / 2], 1e6 * times[ON_DEVICE][CALLS / 2],
               1e6 * times[BY_HAND][CALLS / 2],
               times[ON_DEVICE][CALLS / 2] / times[BY_HAND][CALLS / 2]);
}

static void time_question(const char *what, const void *at)
{
    enum { TIMES = 100000 };
    double begin = MPI_Wtime();

    for (int i = 0; i < TIMES; i++) {
        unsigned type = 0;
        cu.attribute(&type, 2, (address)(uintptr_t)at);
    }
    if (rank == 0)
        printf("cuPointerGetAttribute, %s: %.0f ns\n", what, 1e9 * (MPI_Wtime() - begin) / TIMES);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    open_cuda();
    MPI_Type_create_resized(MPI_INT, 0, 16, &column);
    MPI_Type_commit(&column);
    for (int bytes = 8; bytes <= MOST; bytes *= 8)
        measure("allreduce", allreduce, bytes);
    for (int bytes = 4096; bytes <= MOST / 4; bytes *= 16)
        measure("columns", columns, bytes);
    time_question("host memory", host[0]);
    time_question("device memory", device[0]);
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
