/* SPDX-License-Identifier: BSD-3-Clause */
/* keys.c - see keys.h. */
#include "keys.h"

#include <string.h>

static const key sign = (key)1 << 63;
static const key negative_nans = ((key)1 << 52) - 1; /* all with the sign bit */

/* ---- numbers and keys ---- */

/* The negative NaNs would be the smallest ones: they go round to the other end. */
static key from_double(key bits)
{
    return (bits & sign ? ~bits : bits | sign) - negative_nans;
}

static key to_double(key k)
{
    k += negative_nans;
    return k & sign ? k & ~sign : ~k;
}

void keys_encode(key *k, int n, kind kind)
{
    for (int i = 0; i < n; i++) {
        key bits = k[i];
        k[i] = kind == KIND_F8 ? from_double(bits) : kind == KIND_I8 ? bits ^ sign : bits;
    }
}

void keys_decode(key *k, int n, kind kind)
{
    for (int i = 0; i < n; i++)
        k[i] = kind == KIND_F8 ? to_double(k[i]) : kind == KIND_I8 ? k[i] ^ sign : k[i];
}

/* ---- sort, search, merge ---- */

enum { DIGITS = sizeof(key), DIGIT_VALUES = 256 };

static int digit(key k, int d)
{
    return (int)(k >> (8 * d)) & (DIGIT_VALUES - 1);
}

void keys_sort(key *k, key *scratch, int n)
{
    int counts[DIGITS][DIGIT_VALUES] = {{0}};
    key *from = k, *to = scratch;

    for (int i = 0; i < n; i++)
        for (int d = 0; d < DIGITS; d++)
            counts[d][digit(k[i], d)]++;
    for (int d = 0; d < DIGITS; d++) {
        int next[DIGIT_VALUES], sum = 0;
        key *swapped = from;
        if (n == 0 || counts[d][digit(k[0], d)] == n)
            continue;
        for (int v = 0; v < DIGIT_VALUES; v++) {
            next[v] = sum;
            sum += counts[d][v];
        }
        for (int i = 0; i < n; i++)
            to[next[digit(from[i], d)]++] = from[i];
        from = to;
        to = swapped;
    }
    if (from != k)
        memcpy(k, from, (size_t)n * sizeof *k);
}

int keys_less(const key *k, int n, key limit)
{
    int low = 0, high = n;

    while (low < high) {
        int middle = low + (high - low) / 2;
        if (k[middle] < limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int keys_up_to(const key *k, int n, key limit)
{
    return limit == UINT64_MAX ? n : keys_less(k, n, limit + 1);
}

/* Runs that are not used up, as a heap: that with the least next key at the top. */
typedef struct front {
    const key *from;
    int *run, *next; /* run[i]: at this place of the heap; next[r]: its next key */
    int n;
} front;

static key least(const front *f, int i)
{
    return f->from[f->next[f->run[i]]];
}

static void sink(front *f, int i)
{
    for (int child = 2 * i + 1; child < f->n; child = 2 * i + 1) {
        int moved = f->run[i];
        if (child + 1 < f->n && least(f, child + 1) < least(f, child))
            child++;
        if (least(f, i) <= least(f, child))
            return;
        f->run[i] = f->run[child];
        f->run[child] = moved;
        i = child;
    }
}

void keys_merge(const key *from, const int counts[], const int displs[], int runs, key *to,
                int *heap, void (*advance)(void *context), void *context)
{
    enum { BETWEEN = 4096 };
    front f = {.from = from, .run = heap, .next = heap + runs};

    for (int r = 0; r < runs; r++) {
        f.next[r] = displs[r];
        if (counts[r] > 0)
            f.run[f.n++] = r;
    }
    for (int i = f.n / 2; i-- > 0;)
        sink(&f, i);
    for (int i = 0; f.n > 0; i++) {
        int r = f.run[0];
        to[i] = from[f.next[r]++];
        if (f.next[r] == displs[r] + counts[r])
            f.run[0] = f.run[--f.n];
        sink(&f, 0);
        if (i % BETWEEN == BETWEEN - 1)
            advance(context);
    }
}
