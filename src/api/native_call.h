/* SPDX-License-Identifier: BSD-3-Clause */
/* native_call.h - is a call under the MPI's names to be made by the MPI, and why? */
#ifndef TUTTI_NATIVE_CALL_H
#define TUTTI_NATIVE_CALL_H

typedef enum call_native {
    CALL_OURS,    /* no: Tutti has served it */
    CALL_NO_GAIN, /* yes: Tutti is not expected to be faster (choose_native) */
    CALL_NEW,     /* yes: the communicator is new (NEW_CALLS in call.c) */
    CALL_TRY      /* yes: to see how fast it is; tutti_interposed_tried when it is over */
} call_native;

struct staged;

typedef struct call_left {
    call_native native;
    struct staged *copies; /* of a blocking call: host copies on which the MPI's call is to work
                              (interposed.h); or NULL */
} call_left;

#endif
