/* SPDX-License-Identifier: BSD-3-Clause */
/* machine.h - what a measurement ran on, in words: the MPI, and rank 0's host. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

enum { MACHINE_TEXT = 128 };

/* Empty: not known, or (host, processor, system) simulated. */
typedef struct machine {
    char mpi[MACHINE_TEXT]; /* "MPICH 4.0.2", "Open MPI 4.1.4", "SimGrid 3.32" */
    char host[MACHINE_TEXT], processor[MACHINE_TEXT], system[MACHINE_TEXT];
    int processors; /* that this host has online; 0: not known */
} machine;

/* After MPI_Init. */
void machine_look(machine *m);

#endif
