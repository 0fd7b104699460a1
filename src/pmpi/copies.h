/* SPDX-License-Identifier: BSD-3-Clause */
/* copies.h - host copies in place of the device buffers of a blocking call that is left to an MPI:
 * it may not know device memory, and on which ranks there is some only these know.
 */
#ifndef TUTTI_PMPI_COPIES_H
#define TUTTI_PMPI_COPIES_H

#include "api/interposed.h"

/* The buffers among the parameters of each collective. */
#define COPY(buffer, received) (buffer = tutti_interposed_copy(left.copies, buffer, received))
#define COPY_TWO               COPY(sendbuf, false), COPY(recvbuf, true)
#define COPY_bcast             ~, COPY(buffer, true)
#define COPY_barrier           ~, (void)0

/* COPY_TWO, unless the collective has a COPY_ of its own. */
#define COPY_OWN_(ignored, own, ...) own
#define COPY_OWN(...)                COPY_OWN_(__VA_ARGS__)
#define COPY_BEGIN(name)                                                                           \
    do {                                                                                           \
        if (left.copies) {                                                                         \
            COPY_OWN(COPY_##name, (COPY_TWO), ~);                                                  \
            tutti_interposed_copy_begin(left.copies);                                              \
        }                                                                                          \
    } while (0)
#define COPY_END(comm, error)                                                                      \
    do {                                                                                           \
        if (left.copies)                                                                           \
            error = tutti_interposed_copy_end(left.copies, comm, error);                           \
    } while (0)

#endif
