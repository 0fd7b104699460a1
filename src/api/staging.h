/* SPDX-License-Identifier: BSD-3-Clause */
/* staging.h - calls some of whose buffers are memory of a GPU. Under the MPI's names they work on
 * host copies, which no other rank notices; under MPIX_ ones they are errors.
 */
#ifndef TUTTI_STAGING_H
#define TUTTI_STAGING_H

#include "api/checked.h"

/* Only where device_loaded says so. *result: NULL, and *host is not set, if this rank's buffers are
 * host memory or wrong in any other way; else *host has the arguments of a call on host copies.
 * Returns an error class. */
int staging_args(const args *a, comm *c, args *host, staged **result);

/* MPI_ERR_BUFFER if one is device memory, explained on stderr. */
int staging_refuse(const args *a, comm *c);

#endif
