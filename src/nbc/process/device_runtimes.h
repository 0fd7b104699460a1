/* SPDX-License-Identifier: BSD-3-Clause */
/* device_runtimes.h - what is called of the libraries of CUDA, HIP and Level Zero. */
#ifndef TUTTI_DEVICE_RUNTIMES_H
#define TUTTI_DEVICE_RUNTIMES_H

#include <stdbool.h>
#include <stdint.h>

/* A part of a buffer: bytes from its start. */
typedef struct device_range {
    int64_t at, bytes;
} device_range;

/* A copy of parts; one of the two addresses is in device memory. */
typedef struct device_copy {
    char *to;
    const char *from;
    const char *device; /* that one */
    const device_range *parts;
    int64_t n;
} device_copy;

typedef struct device_runtime {
    const char *name;
    const char *library;        /* its file's name begins so */
    bool (*find)(void *handle); /* its functions, by dlsym. False: one is missing */
    bool (*owns)(const void *address);
    bool (*copy)(const device_copy *c); /* complete when it returns */
} device_runtime;

enum { DEVICE_RUNTIMES = 3 };

extern const device_runtime device_runtimes[DEVICE_RUNTIMES];

#endif
