/* SPDX-License-Identifier: BSD-3-Clause */
/* sched_built.h - intervals and built schedules, for the tests of the builder (test_sched*.c). */
#ifndef TUTTI_SCHED_BUILT_H
#define TUTTI_SCHED_BUILT_H

#include "nbc/sched/sched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Elements of the receive buffer. */
static inline interval recv_run(int64_t offset, int64_t length)
{
    return interval_make(SPACE_RECV, offset, length);
}

/* The schedule that was built; nothing may be wrong with it. */
static inline sched *commit(sched_builder *b)
{
    sched *s = NULL;

    assert_int_equal(sched_commit(b, &s), SCHED_OK);
    assert_null(sched_check(s));
    return s;
}

#endif
