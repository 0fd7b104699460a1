/* SPDX-License-Identifier: BSD-3-Clause */
/* operation.c - see operation.h. */
#include "nbc/run/operation.h"

#include "nbc/process/native_mpi.h"
#include "nbc/process/process.h"
#include "nbc/process/reason.h"
#include "nbc/process/simulated.h"
#include "nbc/run/datatype.h"
#include "nbc/run/kept.h"

#include <pthread.h>

/* A communicator bears one collective at a time. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

const operation operation_none = {.op = MPI_OP_NULL,
                                  .type = MPI_DATATYPE_NULL,
                                  .predefined = true,
                                  .commutes = true,
                                  .symmetric = true};

/* ---- describe ---- */

static bool is_predefined_op(MPI_Op op)
{
    const MPI_Op known[] = {MPI_MAX, MPI_MIN, MPI_SUM,  MPI_PROD, MPI_LAND,   MPI_BAND,
                            MPI_LOR, MPI_BOR, MPI_LXOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (op == known[i])
            return true;
    return false;
}

/* Not MPI_MAX and MPI_MIN: of -0 and 0, or of two NaN, they keep an operand by its position. Nor
 * MPI_PROD: a compiler may round one product of complex numbers and not the other. */
static bool is_symmetric(MPI_Op op)
{
    return op == MPI_SUM || op == MPI_LAND || op == MPI_BAND || op == MPI_LOR || op == MPI_BOR ||
           op == MPI_LXOR || op == MPI_BXOR;
}

/* Pairs of predefined ones that MPI has let pass: their handles are never reused. */
enum { PASSED = 16 };
typedef struct passed {
    MPI_Op op;
    MPI_Datatype type;
    bool is;
} passed;
static _Thread_local passed all_passed[PASSED];

static passed *passed_at(MPI_Op op, MPI_Datatype type)
{
    uintptr_t bits = (uintptr_t)op * 31 + (uintptr_t)type;

    return &all_passed[(bits >> 4 ^ bits >> 9 ^ bits) % PASSED];
}

/* What MPI itself says: a reduction of nothing, on a communicator that returns errors. */
static int ask_mpi(MPI_Op op, MPI_Datatype type)
{
    double nothing[2] = {0};
    int error;

    pthread_mutex_lock(&mutex);
    error = native_mpi.Allreduce(MPI_IN_PLACE, nothing, 0, type, op, process_self());
    pthread_mutex_unlock(&mutex);
    if (error) /* its class: as in datatype_check_committed */
        return reason_set(MPI_ERR_OP, "the operation does not work on this datatype");
    return MPI_SUCCESS;
}

bool operation_commutes(MPI_Op op)
{
    int commutes = 0;

    return PMPI_Op_commutative(op, &commutes) == MPI_SUCCESS && commutes;
}

/* One of the program's works on any type. */
static int describe_own(operation *o)
{
    datatype type;
    int error = datatype_describe(o->type, &type);

    if (error)
        return error;
    o->derived = !type.predefined;
    o->commutes = operation_commutes(o->op);
    return MPI_SUCCESS;
}

static int check_operation(MPI_Op op, MPI_Datatype type)
{
    passed *p = passed_at(op, type);
    datatype of;
    int error;

    if ((p->is && p->op == op && p->type == type) || simulated())
        return MPI_SUCCESS;
    error = ask_mpi(op, type);
    if (!error && is_predefined_op(op) && !datatype_describe(type, &of) && of.predefined)
        *p = (passed){op, type, true};
    return error;
}

int operation_describe(MPI_Op op, MPI_Datatype type, operation *o)
{
    int error;

    if (op == MPI_OP_NULL || op == MPI_REPLACE || op == MPI_NO_OP)
        return reason_set(MPI_ERR_OP, "the operation is %s, which reduces nothing",
                          op == MPI_OP_NULL   ? "MPI_OP_NULL"
                          : op == MPI_REPLACE ? "MPI_REPLACE"
                                              : "MPI_NO_OP");
    error = check_operation(op, type);
    if (error)
        return error;
    *o = (operation){.op = op,
                     .type = type,
                     .predefined = is_predefined_op(op),
                     .commutes = true,
                     .symmetric = is_symmetric(op)};
    return o->predefined ? MPI_SUCCESS : describe_own(o);
}

/* ---- hold ---- */

int operation_hold(const operation *o)
{
    if (o->predefined)
        return MPI_SUCCESS;
    if (!kept_op_hold(o->op))
        return MPI_ERR_NO_MEM;
    if (!o->derived || kept_type_hold(o->type))
        return MPI_SUCCESS;
    kept_op_release(o->op);
    return MPI_ERR_NO_MEM;
}

void operation_release(const operation *o)
{
    if (o->predefined)
        return;
    kept_op_release(o->op);
    if (o->derived)
        kept_type_release(o->type);
}
