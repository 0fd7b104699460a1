/* SPDX-License-Identifier: BSD-3-Clause */
/* reductions.h - operations with types to reduce, and what they make of their operands. */
#ifndef TUTTI_TEST_REDUCTIONS_H
#define TUTTI_TEST_REDUCTIONS_H

#include <mpi.h>

#include <stdbool.h>
#include <stdint.h>

typedef struct reduction {
    const char *name;
    MPI_Datatype type;
    MPI_Op op;
    MPI_User_function *function; /* of an operation of the program, else NULL */
    bool noncommutative;         /* it does not commute */
    bool padded;                 /* the MPI may write the gaps of its own type */
    int size;                    /* bytes of an element without gaps */
    /* An element without gaps of any numbers; and right = left op right, for n elements. */
    void (*make)(const uint64_t *items, void *element);
    void (*combine)(const void *left, void *right, int n);
} reduction;

enum { reduction_count = 10 };
extern reduction reductions[reduction_count];

/* Make them: after MPI_Init. They live until MPI_Finalize. */
void reductions_make(void);

#endif
