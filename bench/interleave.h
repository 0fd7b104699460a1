/* interleave.h - variants of one operation, measured side by side in one run.
 *
 * Each repetition runs every variant once, in an order that is drawn anew (seeded): a batch of
 * operations, timed on each rank after a barrier. The send buffer changes before each operation. A
 * repetition counts as the slowest rank's time; the result is the median over the repetitions, in
 * microseconds per operation. Before that, every variant has to give the result of the first one.
 */
#ifndef TUTTI_INTERLEAVE_H
#define TUTTI_INTERLEAVE_H

#include <mpi.h>
#include <stdbool.h>
#include <tutti.h>

/* What a variant works with. The buffers are the same for all: none has warmer caches. */
typedef struct bench {
    int p, rank;
    int size;              /* bytes of a block */
    char *send, *recv;     /* [size] or [p * size], [p * size] */
    MPI_Request *requests; /* [2p]: by hand */
    int nrequests;
    MPI_Request native;
    MPIX_Request tutti;
} bench;

typedef struct variant {
    const char *name;
    void (*init)(bench *b);
    void (*run)(bench *b);
    void (*finish)(bench *b);
} variant;

typedef struct interleave {
    const variant *variants;
    int n;
    bool send_p_blocks;      /* else one */
    int least, most, factor; /* sizes: bytes of a block */
    int repetitions;
    void (*head)(int p, int repetitions);
    void (*row)(int size, const double microseconds[]);
    const char *only; /* --only: the one variant to run */
} interleave;

/* Parse the options that all benchmarks have, run, and print on rank 0. */
int interleave_main(interleave *m, int argc, char **argv);

/* Index of a variant, or n. */
int interleave_find(const variant *variants, int n, const char *name);

/* For variants. */
void interleave_nothing(bench *b);
void interleave_run_tutti(bench *b); /* start and wait */
void interleave_finish_tutti(bench *b);

#endif
