/* SPDX-License-Identifier: BSD-3-Clause */
/* pin.h - our code stays in memory until the process ends. */
#ifndef TUTTI_PIN_H
#define TUTTI_PIN_H

/* The MPI calls us back as late as in MPI_Finalize, but a program may dlclose the library, or a
 * plug-in of its own that the static library is part of, long before. To be called before the MPI
 * is told of any callback. */
void pin_code(void);

#endif
