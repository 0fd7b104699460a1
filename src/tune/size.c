/* SPDX-License-Identifier: BSD-3-Clause */
/* size.c - see size.h. */
#include "tune/size.h"

int size_class(int64_t bytes)
{
    int octave;

    if (bytes < 4)
        return bytes > 0 ? (int)bytes : 0;
    octave = 63 - __builtin_clzll((unsigned long long)bytes);
    return 4 * (octave - 1) + (int)(bytes >> (octave - 2) & 3);
}

int64_t size_least(int class)
{
    return class < 4 ? class : (int64_t)(4 + class % 4) << (class / 4 - 1);
}
