/* SPDX-License-Identifier: BSD-3-Clause */
/* rows.h - the functions of the rows in table.c, one block for each file. */
#ifndef TUTTI_FUZZ_ROWS_H
#define TUTTI_FUZZ_ROWS_H

#include "fuzz.h"

/* ours.c: every row of collectives.def */
bool ours_generate(fuzz *f, op *o);
bool ours_generate_restart(fuzz *f, op *o);
bool ours_generate_free(fuzz *f, op *o);
void ours_run(fuzz *f, op *o);
void ours_start(fuzz *f, op *o);
void ours_check(fuzz *f, op *o);
void ours_init(fuzz *f, op *o);
void ours_restart(fuzz *f, op *o);
void ours_recheck(fuzz *f, op *o);
void ours_unmake(fuzz *f, op *o);
void ours_release(op *o);

/* native.c: collectives of the MPI; argument: which */
enum native_kind {
    BARRIER,
    BCAST,
    REDUCE,
    ALLREDUCE,
    SCAN,
    EXSCAN,
    REDUCE_SCATTER_BLOCK,
    GATHER,
    SCATTER,
    NATIVE_ALLGATHER,
    NATIVE_ALLTOALL
};
void native_run(fuzz *f, op *o);
void native_start(fuzz *f, op *o);
void native_check(fuzz *f, op *o);
void native_release(op *o);

/* comms.c: argument: how it is made */
enum maker { DUP, SPLIT, CREATE, CREATE_GROUP, CART, DUP_SELF, IDUP };
bool make_generate(fuzz *f, op *o);
void make_start(fuzz *f, op *o);
bool free_generate(fuzz *f, op *o);
void free_start(fuzz *f, op *o);
bool attribute_generate(fuzz *f, op *o);
void attribute_start(fuzz *f, op *o);
bool window_generate(fuzz *f, op *o);
void window_start(fuzz *f, op *o);

/* letters.c: point-to-point */
bool letters_generate(fuzz *f, op *o);
bool letters_generate_named(fuzz *f, op *o);
bool letters_generate_restart(fuzz *f, op *o);
bool letters_generate_free(fuzz *f, op *o);
void letters_start(fuzz *f, op *o);
void letters_run(fuzz *f, op *o);
void letters_probe(fuzz *f, op *o);
void letters_init(fuzz *f, op *o);
void letters_restart(fuzz *f, op *o);
void letters_part(fuzz *f, op *o, int part, const MPI_Status *status);
void letters_check(fuzz *f, op *o);
void letters_unmake(fuzz *f, op *o);
void letters_release(op *o);

#endif
