/* SPDX-License-Identifier: BSD-3-Clause */
/* keys.h - what is sorted: numbers as unsigned 64-bit keys of the same order.
 *
 *   u8    as it is
 *   i8    with the sign bit inverted
 *   f8    the bits, all inverted if negative, else the sign bit; NaNs of both signs are the
 *         largest, as with numpy.sort; -0.0 comes before 0.0
 *
 * No bit is lost: a key becomes the number again that it was.
 */
#ifndef SORT_KEYS_H
#define SORT_KEYS_H

#include <stdint.h>

typedef uint64_t key;

/* As signed numbers of the same order, and back: MPICH 4.0.2 takes unsigned ones for signed in
 * MPI_MAX. */
static inline int64_t key_to_signed(key k)
{
    return (int64_t)(k ^ (key)1 << 63);
}

static inline key key_from_signed(int64_t number)
{
    return (key)number ^ (key)1 << 63;
}

typedef enum kind { KIND_U8, KIND_I8, KIND_F8 } kind;

/* In place: numbers become keys, and keys numbers. */
void keys_encode(key *k, int n, kind kind);
void keys_decode(key *k, int n, kind kind);

/* By the bytes from the lowest on (LSD radix sort); bytes that are the same in all keys cost a
 * look. scratch[n]. */
void keys_sort(key *k, key *scratch, int n);

/* How many of these sorted keys are less than the limit; not more than it. */
int keys_less(const key *k, int n, key limit);
int keys_up_to(const key *k, int n, key limit);

/* Merge sorted runs into to. Run r: counts[r] keys from[displs[r] ...]. heap[2 runs]. advance is
 * called now and then. */
void keys_merge(const key *from, const int counts[], const int displs[], int runs, key *to,
                int *heap, void (*advance)(void *context), void *context);

#endif
