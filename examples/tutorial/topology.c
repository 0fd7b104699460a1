/* SPDX-License-Identifier: BSD-3-Clause */
/* topology.c - which ranks share a node, and what an algorithm makes of that. */
#include <stdio.h>
#include <stdlib.h>
#include <tutti.h>

int main(int argc, char **argv)
{
    int rank, size, nodes, wrong = 0;
    char text[4096], why[512];

    MPI_Init(&argc, &argv);
    tutti_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *node = malloc(size * sizeof *node), *all = malloc(size * sizeof *all);

    tutti_comm_topology(MPI_COMM_WORLD, text, sizeof text, NULL);          /* for people */
    tutti_comm_regions(MPI_COMM_WORLD, "node", node, &nodes);              /* for programs */
    tutti_comm_explain(MPI_COMM_WORLD, "allgather 1024", why, sizeof why); /* what auto takes */
    if (rank == 0) {
        printf("%snodes: %d;", text, nodes);
        for (int i = 0; i < size; i++)
            printf(" rank %d: %d", i, node[i]);
        printf("\n%s\n", why);
    }
    /* one rank of each node talks to the other nodes; MPIX_Allgather_auto would decide by itself */
    MPIX_Allgather_hierarchical(&node[rank], 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        wrong += all[i] != node[i] || node[i] < 0 || node[i] >= nodes;
    free(node);
    free(all);
    MPI_Finalize();
    return wrong != 0;
}
