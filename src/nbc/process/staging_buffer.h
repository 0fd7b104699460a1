/* SPDX-License-Identifier: BSD-3-Clause */
/* staging_buffer.h - memory of the host through which data of a device passes.
 *
 * Large ones are kept when they are freed: new memory costs a page fault for each 4 KiB, more than
 * the copy itself. One that is used a second time is pinned, so that the device reads and writes it
 * without a copy in between. Small ones, below STAGING_KEPT bytes, are malloc's.
 */
#ifndef TUTTI_STAGING_BUFFER_H
#define TUTTI_STAGING_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

enum { STAGING_KEPT = 32 << 10 };

typedef struct staging_buffer {
    char *memory;
    size_t bytes;
    bool used, pinned;
    struct staging_buffer *next; /* of those that are free */
} staging_buffer;

/* NULL: out of memory. staging_buffer_free takes NULL, too. Any thread. */
staging_buffer *staging_buffer_make(size_t bytes);
void staging_buffer_free(staging_buffer *b);

/* Call it before each use for data of this device address. */
void staging_buffer_use(staging_buffer *b, const void *device);

#endif
