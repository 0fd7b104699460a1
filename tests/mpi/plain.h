/* SPDX-License-Identifier: BSD-3-Clause */
/* plain.h - for MPI programs that know nothing of Tutti, run with and without libtutti_mpi.so: the
 * names under which this MPI offers persistent collectives. */
#ifndef TUTTI_PLAIN_H
#define TUTTI_PLAIN_H

#include <mpi.h>

#ifndef TUTTI_HAVE_MPI4_PERSISTENT
#include <mpi-ext.h>
#define PERSISTENT(name) MPIX_##name##_init
#else
#define PERSISTENT(name) MPI_##name##_init
#endif

#endif
