/* SPDX-License-Identifier: BSD-3-Clause */
/* device.h - which addresses are memory of a GPU, and copies of that memory.
 *
 * The library of CUDA, HIP or Level Zero that the process has loaded is asked; none is linked, and
 * nothing is asked where none is loaded. Pinned and managed memory is the host's here.
 *
 *   no library is loaded              device_loaded, two loads and a branch; 20 to 35 ns where the
 *                                     program has loaded something since (dl_iterate_phdr)
 *   static data, heap, thread stack   memory of the host for as long as the process runs: not asked
 *   any other address                 asked at every call. An answer cannot be kept: what has been
 *                                     unmapped may be a device's the next time, at that address
 */
#ifndef TUTTI_DEVICE_H
#define TUTTI_DEVICE_H

#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The last library of the process at the first look: one that is loaded later comes after it. Once
 * one of a device has been found, a link_map that has a successor. */
extern _Atomic(struct link_map *) device_watched;

bool device_find_runtimes(void);

/* Is a library of a device loaded? Also one that dlopen has loaded since the last call. */
static inline bool device_loaded(void)
{
    const struct link_map *last = atomic_load_explicit(&device_watched, memory_order_acquire);

    return __builtin_expect(__atomic_load_n(&last->l_next, __ATOMIC_RELAXED) != NULL, 0) &&
           device_find_runtimes();
}

/* "CUDA", "HIP", "Level Zero" if it is device memory; else NULL. */
const char *device_of(const void *address);

/* Contiguous parts of a buffer, all of one length, at equal distances. */
typedef struct device_range {
    int64_t at;    /* of the first part, bytes from the start of the buffer */
    int64_t bytes; /* of each part */
    int64_t rows;  /* so many parts */
    int64_t pitch; /* bytes from the start of one to the start of the next; 0 if it is only one */
} device_range;

/* A copy of parts; one of the two addresses is in device memory. */
typedef struct device_copy {
    char *to;
    const char *from;
    const char *device; /* that one */
    const device_range *parts;
    int64_t n;
} device_copy;

/* Copy between a device and the host, and wait for it. False: the device's library has failed. */
bool device_transfer(const device_copy *c);

/* Let the owner of this device address read and write memory of the host directly, until the
 * process ends. False: it cannot. */
bool device_pin(const void *device, void *host, size_t bytes);

/* ---- what is called of the libraries of CUDA, HIP and Level Zero: device_runtimes.c ---- */

typedef struct device_runtime {
    const char *name;
    const char *library;        /* its file's name begins so */
    bool (*find)(void *handle); /* its functions, by dlsym. False: one is missing */
    bool (*owns)(const void *address);
    bool (*copy)(const device_copy *c);                        /* complete when it returns */
    bool (*pin)(const void *device, void *host, size_t bytes); /* NULL: it has none */
} device_runtime;

enum { DEVICE_RUNTIMES = 3 };

extern const device_runtime device_runtimes[DEVICE_RUNTIMES];

#endif
