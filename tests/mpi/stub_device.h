/* SPDX-License-Identifier: BSD-3-Clause */
/* stub_device.h - a GPU for tests: what a program does with its memory. stub_device.c is a library
 * that stands for one, cuda_device.c has a real one behind it; the program opens one of them with
 * dlopen, as it would open CUDA's. */
#ifndef TUTTI_STUB_DEVICE_H
#define TUTTI_STUB_DEVICE_H

#include <stddef.h>

typedef struct stub_device {
    /* Memory of the device: the processor cannot touch it. at: there, instead of what is mapped;
     * or NULL. Managed: it can, and the device, too. NULL: it cannot be had there. */
    void *(*alloc)(size_t bytes, void *at);
    void *(*alloc_managed)(size_t bytes);
    void (*free)(void *memory);
    /* What the device sees at this address, to be read; and written, if written() follows. */
    char *(*view)(const void *address);
    void (*written)(const void *address);
    /* So many addresses, parts of buffers, and buffers of the host; NULL: not counted. */
    long *asked, *copied, *pinned;
} stub_device;

typedef stub_device *stub_device_get(void); /* "stub_device_table" */

#endif
