/* SPDX-License-Identifier: BSD-3-Clause */
/* type_pairs.c - see type_pairs.h. */
#include "mpi/type_pairs.h"

type_pair type_pairs[type_pair_count];

static MPI_Datatype resized_vector(int blocks, int length, int stride, MPI_Aint lb, MPI_Aint extent)
{
    MPI_Datatype vector, type;

    MPI_Type_vector(blocks, length, stride, MPI_INT, &vector);
    MPI_Type_create_resized(vector, lb, extent, &type);
    MPI_Type_free(&vector);
    MPI_Type_commit(&type);
    return type;
}

/* Six integers that begin before the address. */
static MPI_Datatype negative_lb(void)
{
    MPI_Datatype type;
    int lengths[3] = {2, 3, 1};
    MPI_Aint at[3] = {-20, 4, 24};

    MPI_Type_create_hindexed(3, lengths, at, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

/* An integer and a double, with a hole between them. */
static MPI_Datatype record(void)
{
    MPI_Datatype parts[2] = {MPI_INT, MPI_DOUBLE}, type;
    int lengths[2] = {1, 1};
    MPI_Aint at[2] = {0, 8};

    MPI_Type_create_struct(2, lengths, at, parts, &type);
    MPI_Type_commit(&type);
    return type;
}

/* Two integers without a gap, the second one first: its bytes are not those of two integers. */
static MPI_Datatype swapped(void)
{
    MPI_Datatype type;
    int lengths[2] = {1, 1};
    MPI_Aint at[2] = {4, 0};

    MPI_Type_create_hindexed(2, lengths, at, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

void type_pairs_make(void)
{
    MPI_Datatype gaps = resized_vector(3, 2, 4, 0, 56), tight = resized_vector(3, 2, 3, 0, 40);
    MPI_Datatype six;

    MPI_Type_contiguous(6, MPI_INT, &six);
    MPI_Type_commit(&six);
    type_pairs[0] = (type_pair){"int", MPI_INT, MPI_INT, 1};
    type_pairs[1] = (type_pair){"gaps to gaps", gaps, tight, 1};
    type_pairs[2] = (type_pair){"gaps to int", gaps, MPI_INT, 6};
    type_pairs[3] = (type_pair){"contiguous to gaps", six, gaps, 1};
    type_pairs[4] = (type_pair){"negative lower bound", negative_lb(), six, 1};
    type_pairs[5] = (type_pair){"record", record(), record(), 1};
    type_pairs[6] = (type_pair){"swapped", swapped(), MPI_INT, 2};
}
