/* SPDX-License-Identifier: BSD-3-Clause */
/* orders.c - see orders.h. */
#include "topo/orders.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Never changed once it is in the list. */
typedef struct kept {
    struct kept *next;
    int pattern;
    int n;
    bool all;   /* ranks 0 to n - 1, which are not written down */
    int list[]; /* [n] the order, then [n] the ranks */
} kept;

struct orders {
    _Atomic(kept *) first;
    atomic_int n;
};

static bool is_asked(const kept *k, int pattern, const int *ranks, int n)
{
    return k->pattern == pattern && k->n == n && k->all == !ranks &&
           (k->all || memcmp(k->list + n, ranks, (size_t)n * sizeof *ranks) == 0);
}

bool orders_find(const orders *o, int pattern, const int *ranks, int n, int *order)
{
    const kept *k = NULL;

    if (n <= ORDERS_RANKS)
        k = atomic_load_explicit(&o->first, memory_order_acquire);
    while (k && !is_asked(k, pattern, ranks, n))
        k = k->next;
    if (k)
        memcpy(order, k->list, (size_t)n * sizeof *order);
    return k;
}

static kept *copy(int pattern, const int *ranks, int n, const int *order)
{
    size_t size = (size_t)n * sizeof *order;
    kept *k = malloc(sizeof *k + (ranks ? 2 : 1) * size);

    if (!k)
        return NULL;
    k->pattern = pattern;
    k->n = n;
    k->all = !ranks;
    memcpy(k->list, order, size);
    if (ranks)
        memcpy(k->list + n, ranks, size);
    return k;
}

/* Two threads may both keep it. */
bool orders_keep(orders *o, int pattern, const int *ranks, int n, const int *order)
{
    kept *k;

    if (n > ORDERS_RANKS || atomic_load(&o->n) >= ORDERS_MOST)
        return true;
    k = copy(pattern, ranks, n, order);
    if (!k)
        return false;
    atomic_fetch_add(&o->n, 1);
    k->next = atomic_load(&o->first);
    while (!atomic_compare_exchange_weak(&o->first, &k->next, k))
        continue;
    return true;
}

orders *orders_make(void)
{
    return calloc(1, sizeof(orders));
}

void orders_free(orders *o)
{
    kept *k = o ? atomic_load(&o->first) : NULL; /* a topology that could not be made */

    while (k) {
        kept *next = k->next;
        free(k);
        k = next;
    }
    free(o);
}
