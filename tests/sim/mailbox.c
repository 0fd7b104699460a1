/* SPDX-License-Identifier: BSD-3-Clause */
/* mailbox.c - see mailbox.h. */
#include "sim/mailbox.h"

#include "sim/must.h"

#include <stddef.h>
#include <stdlib.h>

static envelope **bucket(envelope **list, int peer, int tag)
{
    return &list[(unsigned)(peer * 7 + tag) % MAILBOX_BUCKETS];
}

envelope *mailbox_take(envelope **list, int peer, int tag)
{
    for (envelope **e = bucket(list, peer, tag); *e; e = &(*e)->next)
        if ((*e)->peer == peer && (*e)->tag == tag) {
            envelope *found = *e;
            *e = found->next;
            return found;
        }
    return NULL;
}

void mailbox_append(envelope **list, envelope e)
{
    envelope **end = bucket(list, e.peer, e.tag), *copy = sim_must(malloc(sizeof *copy));

    while (*end)
        end = &(*end)->next;
    *copy = e;
    copy->next = NULL;
    *end = copy;
}

int mailbox_drop(envelope **list)
{
    int n = 0;

    for (int i = 0; i < MAILBOX_BUCKETS; i++)
        while (list[i]) {
            envelope *e = list[i];
            list[i] = e->next;
            free(e->data);
            free(e);
            n++;
        }
    return n;
}
