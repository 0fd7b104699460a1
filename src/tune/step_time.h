/* SPDX-License-Identifier: BSD-3-Clause */
/* step_time.h - when a step happens in an estimate (estimate.h). */
#ifndef TUTTI_STEP_TIME_H
#define TUTTI_STEP_TIME_H

#include <stdint.h>

enum { STEP_NEVER = -1 };

/* Picoseconds; STEP_NEVER: it does not happen, as with messages of nothing. */
typedef struct step_time {
    int64_t begin, end;      /* while its rank's processor works for the step */
    int64_t leaves, arrives; /* of a send: its message, at the links of the sender and after those
                                of the receiver */
} step_time;

#endif
