/* SPDX-License-Identifier: BSD-3-Clause */
/* byte_range.h - some bytes of anything. */
#ifndef TUTTI_BYTE_RANGE_H
#define TUTTI_BYTE_RANGE_H

#include <stdint.h>

typedef struct byte_range {
    int64_t at, length;
} byte_range;

#endif
