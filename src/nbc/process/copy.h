/* SPDX-License-Identifier: BSD-3-Clause */
/* copy.h - memcpy of a few bytes without a call, which costs as much as all the rest of a small
 * message.
 */
#ifndef TUTTI_COPY_H
#define TUTTI_COPY_H

#include <stdint.h>
#include <string.h>

/* One half from the start, one up to the end: they may overlap. All is read before anything is
 * written, so compilers make two loads and two stores of it. */
#define COPY_HALVES(half)                                                                          \
    do {                                                                                           \
        unsigned char first[half], last[half];                                                     \
                                                                                                   \
        memcpy(first, from, half);                                                                 \
        memcpy(last, (const unsigned char *)from + n - (half), half);                              \
        memcpy(to, first, half);                                                                   \
        memcpy((unsigned char *)to + n - (half), last, half);                                      \
    } while (0)

enum { COPY_FEW = 64 };

/* At most COPY_FEW. */
static inline void copy_few(void *to, const void *from, size_t n)
{
    if (n >= 32)
        COPY_HALVES(32);
    else if (n >= 16)
        COPY_HALVES(16);
    else if (n >= 8)
        COPY_HALVES(8);
    else if (n >= 4)
        COPY_HALVES(4);
    else
        for (size_t i = 0; i < n; i++)
            ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
}

#endif
