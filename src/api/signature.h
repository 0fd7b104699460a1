/* SPDX-License-Identifier: BSD-3-Clause */
/* signature.h - all of a call but its buffers, as plan/known.h keeps it, made of the arguments. */
#ifndef TUTTI_SIGNATURE_H
#define TUTTI_SIGNATURE_H

#include "api/args.h"
#include "nbc/plan/known.h"

typedef struct signature {
    known_signature exact;
    uint64_t hash;          /* with the counts of lists, without their displacements */
    known_signature by_sum; /* of a call with lists: their sum in place of them (KNOWN_BY_SUM) */
    uint64_t by_sum_hash;
    bool lists; /* the call has some */
} signature;

/* The signature of arguments, which need not have been checked. Without lists both parts are the
 * same. */
signature signature_of(const args *a, const comm *c);

/* Do the lists have what the known call's have? It is one with lists, and all else is equal. */
bool signature_has_lists(const args *a, const known *k);

/* MPI_IN_PLACE, for what is sent, and for what is received. */
static inline int32_t signature_in_place(const args *a)
{
    return (a->send.buffer == MPI_IN_PLACE) | (a->recv.buffer == MPI_IN_PLACE) << 1;
}

static inline uint64_t signature_number(MPI_Datatype type)
{
    return (uint64_t)(uintptr_t)type;
}

/* Is it the known call, which is of its kind? All other fields are compared without a branch: a
 * memcmp costs as much as all the rest of the short way. */
_Static_assert(sizeof(known_signature) == 4 * sizeof(int32_t) + 5 * sizeof(int64_t),
               "compare it too");

static inline bool signature_is(const args *a, const known *k)
{
    const known_signature *b = &k->signature;
    uint64_t differ = (uint64_t)(uint32_t)(a->algo ^ b->algo) | (uint32_t)(a->root ^ b->root);

    differ |= (uint32_t)(signature_in_place(a) ^ b->in_place);
    differ |= (uint64_t)(uintptr_t)a->op ^ b->op;
    differ |= signature_number(a->send.type) ^ b->sendtype;
    differ |= signature_number(a->recv.type) ^ b->recvtype;
    differ |= (uint64_t)(a->send.count ^ b->sendcount) | (uint64_t)(a->recv.count ^ b->recvcount);
    return differ == 0 && (!k->lists || signature_has_lists(a, k));
}

#endif
