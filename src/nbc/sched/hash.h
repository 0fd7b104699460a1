/* SPDX-License-Identifier: BSD-3-Clause */
/* hash.h - a hash of words of 64 bits, for tables and for comparisons between ranks. Not against
 * malice. */
#ifndef TUTTI_HASH_H
#define TUTTI_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* size: in bytes, a multiple of 8. */
static inline uint64_t hash_words(const void *words, size_t size)
{
    uint64_t hash = size;

    for (size_t i = 0; i < size; i += sizeof hash) {
        uint64_t word;
        memcpy(&word, (const char *)words + i, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

#endif
