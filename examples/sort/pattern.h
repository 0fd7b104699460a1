/* SPDX-License-Identifier: BSD-3-Clause */
/* pattern.h - made-up input: the i-th of n numbers, whichever rank asks. */
#ifndef SORT_PATTERN_H
#define SORT_PATTERN_H

#include <stdint.h>

typedef uint64_t pattern(uint64_t seed, uint64_t i, uint64_t n);

/* NULL: there is none of this name. */
pattern *pattern_find(const char *name);

#endif
