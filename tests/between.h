/* SPDX-License-Identifier: BSD-3-Clause */
/* between.h - cmocka 2 has deprecated assert_in_range, and cmocka 1 does not have what replaces
 * it. */
#ifndef TUTTI_TEST_BETWEEN_H
#define TUTTI_TEST_BETWEEN_H

#include <stdbool.h>
#include <stdint.h>

static inline bool is_between(int64_t x, int64_t least, int64_t most)
{
    return x >= least && x <= most;
}

#define assert_between(x, least, most) assert_true(is_between(x, least, most))

#endif
