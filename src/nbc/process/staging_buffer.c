/* SPDX-License-Identifier: BSD-3-Clause */
/* staging_buffer.c - see staging_buffer.h.
 *
 * Sizes are powers of two, so that calls of similar lengths share buffers. What is pinned is never
 * given back to the system: to undo that needs the device's context, which the program may have
 * destroyed; then it is ordinary memory again, and good to use.
 */
#include "nbc/process/staging_buffer.h"

#include "nbc/process/device.h"

#include <pthread.h>
#include <stdlib.h>

enum { PAGE = 4096, KEPT_MOST = 256 << 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static staging_buffer *unused;
static size_t kept; /* bytes: of those in `unused`, and of all that are pinned */

static size_t round_up(size_t bytes)
{
    size_t size = STAGING_KEPT;

    while (size < bytes)
        size *= 2;
    return size;
}

static staging_buffer *take(size_t bytes)
{
    staging_buffer **at = &unused, *b;

    pthread_mutex_lock(&lock);
    while (*at && (*at)->bytes != bytes)
        at = &(*at)->next;
    b = *at;
    if (b) {
        *at = b->next;
        kept -= b->pinned ? 0 : b->bytes;
    }
    pthread_mutex_unlock(&lock);
    return b;
}

static staging_buffer *allocate(size_t bytes, bool may_be_pinned)
{
    staging_buffer *b = calloc(1, sizeof *b);

    if (!b)
        return NULL;
    b->bytes = bytes;
    b->memory = may_be_pinned ? aligned_alloc(PAGE, bytes) : malloc(bytes);
    if (b->memory)
        return b;
    free(b);
    return NULL;
}

staging_buffer *staging_buffer_make(size_t bytes)
{
    bool keeps = bytes >= STAGING_KEPT && bytes <= KEPT_MOST;
    size_t rounded = keeps ? round_up(bytes) : bytes;
    staging_buffer *b = keeps ? take(rounded) : NULL;

    return b ? b : allocate(rounded, keeps);
}

/* Is there room for so many more? */
static bool reserve(size_t bytes)
{
    bool fits;

    pthread_mutex_lock(&lock);
    fits = bytes <= KEPT_MOST - kept;
    kept += fits ? bytes : 0;
    pthread_mutex_unlock(&lock);
    return fits;
}

static void release(size_t bytes)
{
    pthread_mutex_lock(&lock);
    kept -= bytes;
    pthread_mutex_unlock(&lock);
}

static void keep(staging_buffer *b)
{
    pthread_mutex_lock(&lock);
    b->next = unused;
    unused = b;
    pthread_mutex_unlock(&lock);
}

void staging_buffer_free(staging_buffer *b)
{
    if (b && (b->pinned || (b->bytes >= STAGING_KEPT && reserve(b->bytes)))) {
        keep(b);
    } else if (b) {
        free(b->memory);
        free(b);
    }
}

void staging_buffer_use(staging_buffer *b, const void *device)
{
    bool again = b->used;

    b->used = true;
    if (!again || b->pinned || b->bytes < STAGING_KEPT || !reserve(b->bytes))
        return;
    b->pinned = device_pin(device, b->memory, b->bytes);
    if (!b->pinned)
        release(b->bytes);
}
