/* SPDX-License-Identifier: BSD-3-Clause */
/* unequal_blocks.c - how long the blocks are, where they lie, and what is in them. See
 * unequal_blocks.h.
 */
#include "mpi/unequal_blocks.h"

#include "mpi/hints.h"

#include <stdlib.h>

/* In place the same in both directions. */
static int unequal_length(const unequal_blocks *u, int from, int to)
{
    return (u->in_place ? from + to : from + 3 * to) % 4 * N;
}

static int unequal_item(int from, int to, int turn, int k)
{
    return from * 100000 + to * 1000 + turn * 50 + k;
}

void unequal_blocks_open(unequal_blocks *u, bool in_place)
{
    int p = world_size, block = 3 * N + 1;

    *u = (unequal_blocks){.in_place = in_place, .room = p * block};
    u->sent = malloc(4 * (size_t)p * sizeof *u->sent);
    u->sent_at = u->sent + p;
    u->received = u->sent_at + p;
    u->received_at = u->received + p;
    u->out = malloc(2 * (size_t)u->room * sizeof *u->out);
    u->in = u->out + u->room;
    for (int i = 0; i < p; i++) {
        u->sent[i] = unequal_length(u, world_rank, i);
        u->received[i] = unequal_length(u, i, world_rank);
        u->sent_at[i] = (p - 1 - i) * block;
        u->received_at[i] = (i + p / 2) % p * block;
    }
}

void unequal_blocks_close(unequal_blocks *u)
{
    free(u->out);
    free(u->sent);
}

void unequal_blocks_fill(unequal_blocks *u, int turn)
{
    for (int i = 0; i < u->room; i++)
        u->in[i] = -1;
    for (int i = 0; i < world_size; i++)
        for (int k = 0; k < unequal_length(u, world_rank, i); k++)
            *(u->in_place ? &u->in[(i + world_size / 2) % world_size * (3 * N + 1) + k]
                          : &u->out[u->sent_at[i] + k]) = unequal_item(world_rank, i, turn, k);
}

void unequal_blocks_check(const unequal_blocks *u, int turn)
{
    int wrong = 0;

    for (int i = 0; i < world_size; i++) {
        const int *from = &u->in[(i + world_size / 2) % world_size * (3 * N + 1)];
        int length = unequal_length(u, i, world_rank);
        for (int k = 0; k < 3 * N + 1; k++)
            wrong += from[k] != (k < length ? unequal_item(i, world_rank, turn, k) : -1);
    }
    CHECK(wrong == 0);
}

const void *unequal_blocks_sendbuf(const unequal_blocks *u)
{
    return u->in_place ? MPI_IN_PLACE : u->out;
}
