/* SPDX-License-Identifier: BSD-3-Clause */
/* native_call.h - is a blocking call under the MPI's names to be made by the MPI, and why? */
#ifndef TUTTI_NATIVE_CALL_H
#define TUTTI_NATIVE_CALL_H

typedef enum call_native {
    CALL_OURS,    /* no: it is done */
    CALL_NO_GAIN, /* choose_native has said so */
    CALL_NEW      /* the communicator has had few calls */
} call_native;

#endif
