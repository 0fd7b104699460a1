/* SPDX-License-Identifier: BSD-3-Clause */
/* own_ring.h - a ring in this process's slice for messages to one persistent request (shm_peers.h).
 */
#ifndef TUTTI_OWN_RING_H
#define TUTTI_OWN_RING_H

#include "nbc/node/ring.h"

/* Bytes for each of so many rings that are made together, so that the last one gets as much as the
 * first. */
size_t own_rings_room(int rings);

/* A ring into my slice, with room for two starts of so many lines if that is not more than `room`
 * bytes; no lines: there is none. False: out of other memory; there is no ring then. */
typedef struct own_ring {
    ring ring;
    void *memory;
    size_t size;
} own_ring;

bool own_ring_make(own_ring *r, ring_kind kind, uint64_t lines, size_t room);
void own_ring_free(own_ring *r);

#endif
