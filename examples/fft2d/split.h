/* SPDX-License-Identifier: BSD-3-Clause */
/* split.h - n things over p parts, as evenly as whole numbers allow. */
#ifndef FFT2D_SPLIT_H
#define FFT2D_SPLIT_H

/* The first thing of part i; of part p: n. */
static inline int split_first(int n, int p, int i)
{
    return (int)((long long)n * i / p);
}

static inline int split_count(int n, int p, int i)
{
    return split_first(n, p, i + 1) - split_first(n, p, i);
}

#endif
