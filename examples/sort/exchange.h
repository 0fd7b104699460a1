/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange.h - what the ranks exchange in a sort, in the manner that was chosen.
 *
 * The keys are cut into buckets, as many for each rank as the exchange has pieces. A place says
 * where a bucket begins: all lesser keys lie before it, and of the equal ones those with a lower
 * position. The position of a key is how many keys lie before it, on lower ranks or on its own.
 *
 * All operations but that of the keys have the same buffers and counts in every sort.
 */
#ifndef SORT_EXCHANGE_H
#define SORT_EXCHANGE_H

#include "keys.h"

#include <stdbool.h>
#include <tutti.h>

typedef enum manner {
    NATIVE,             /* MPI_Alltoall */
    NATIVE_NONBLOCKING, /* MPI_Ialltoall */
    TUTTI,              /* MPIX_Alltoall_auto */
    TUTTI_NONBLOCKING,  /* MPIX_Ialltoall_auto */
    TUTTI_PERSISTENT    /* MPIX_Alltoall_auto_init once, MPIX_Start at each use; keys: as before */
} manner;

typedef enum operation {
    SAMPLES,   /* gatherv: places of the root's choice from all */
    SPLITTERS, /* bcast: places where buckets begin */
    RANGE,     /* allreduce: the least and the greatest key */
    PROBES,    /* allgather: keys to count up to, from those who own the buckets */
    RANKS,     /* reduce_scatter_block: how many keys there are up to them */
    LESS,      /* allreduce: how many keys there are below each of them */
    EQUAL,     /* exscan: how many equal ones on lower ranks */
    COUNTS,    /* alltoall: how many keys will come from each rank, for each of my buckets */
    OFFSET,    /* exscan: how many keys the lower ranks will have */
    SUMS,      /* reduce: check sums */
    OPERATIONS
} operation;

typedef struct place {
    key key;
    uint64_t position;
} place;

typedef struct exchange {
    manner manner;
    int p, rank, pieces, buckets;          /* p pieces */
    place *samples, *all_samples;          /* mine; rank 0: those of all */
    int *sample_counts, *sample_displs;    /* [p], of all_samples, in words */
    place *splitters;                      /* [buckets] */
    int64_t range[2];                      /* key_to_signed: greatest ~key, greatest key */
    key *probes, *all_probes;              /* [pieces], [buckets] */
    uint64_t *up_to, *ranks;               /* [buckets] of my keys; [pieces] of all */
    uint64_t *less, *equal, *before;       /* [buckets] */
    int *to_send, *to_receive;             /* [buckets]: to_receive[r pieces + k]: from rank r */
    uint64_t received, offset;             /* keys that I will have, and those before them */
    uint64_t sums[3], all_sums[3];         /* number, sum, sum of hashes; rank 0: of all */
    MPIX_Request tutti[OPERATIONS];        /* TUTTI_PERSISTENT */
    MPI_Request native[OPERATIONS], *keys; /* [pieces] */
} exchange;

/* Collective. e stays where it is until it is closed. samples: at most so many of a rank with
 * slices[r] keys. MPI errors end the program: the communicator's error handler is MPI's own. */
void exchange_open(exchange *e, manner manner, int pieces, long long samples, const int slices[]);
void exchange_close(exchange *e);

/* What is read, and what is written, is not touched between start and finish. The offset and what
 * is `before` are 0 on rank 0. */
void exchange_start(exchange *e, operation o);
void exchange_finish(exchange *e, operation o);
void exchange_do(exchange *e, operation o);

/* The keys of one piece: alltoallv. counts, displs: [p]. */
void exchange_keys_start(exchange *e, int piece, const key *send, const int send_counts[],
                         const int send_displs[], key *recv, const int recv_counts[],
                         const int recv_displs[]);
void exchange_keys_finish(exchange *e, int piece);

/* What is under way advances only while somebody is in the library, MPI's or Tutti's. */
void exchange_advance(void *e);

/* Not NULL; ends the program if there is none left. */
void *allocated(size_t n, size_t size);

#endif
