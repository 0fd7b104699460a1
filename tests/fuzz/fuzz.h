/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz.h - random legal MPI programs with an oracle for every byte.
 *
 * A program is a list of operations that all ranks derive from the seed. A row of `operations`
 * (table.c) says how an operation is generated, started and checked. Execution:
 *
 *   window       a run of operations whose call is local; each rank makes these calls in an order
 * of its own, but in one order for each communicator else         one operation whose call may wait
 * for other ranks between      delays, and calls of the Wait and Test families on arbitrary subsets
 * of what is open
 *
 * No program deadlocks: a call made after operation k waits only for operations up to k, never for
 * some of the window it stands in. Where Tutti advances in its own calls only (drivers poll and
 * manual, docs/progress.md), what may be waited for before a native blocking call is complete
 * before it: op.wait_from, the same on all ranks, and clear_ours().
 */
#ifndef TUTTI_FUZZ_H
#define TUTTI_FUZZ_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whose faults native calls keep away from: behind the ABI it may be either's. */
#if defined OPEN_MPI || defined TUTTI_MPI_ABI
#define AVOID_OPEN_MPI
#endif
#ifndef OPEN_MPI
#define AVOID_MPICH
#endif

enum { MAX_RANKS = 32, MAX_COMMS = 14, MAX_OPS = 96, MAX_PENDING = 2048, MAX_THREADS = 8 };

/* ---- random numbers (splitmix64) ---- */
typedef struct rng {
    uint64_t state;
} rng;

uint64_t mix(uint64_t a, uint64_t b);
uint64_t rng_next(rng *r);
int rng_below(rng *r, int n); /* 0 .. n - 1 */
bool rng_chance(rng *r, int percent);

/* ---- options ---- */
typedef struct options {
    uint64_t seed; /* of the first program; the next ones count up */
    long programs; /* 0: until the seconds are over */
    double seconds;
    int ops; /* in a program */
    int few; /* keys, the same in all programs: calls come again; 0: each has its own */
    int threads;
    int watchdog;   /* seconds without a completed operation that count as a hang */
    int multiple;   /* MPI_THREAD_MULTIPLE, however many threads */
    int persistent; /* generate persistent collectives */
    int native;     /* leave out what the MPI alone does wrong */
    int free_rein;  /* Tutti advances in every MPI call, whatever the driver's name is */
    int verbose;
    bool restricted;     /* Tutti does not advance inside the MPI's own calls */
    bool manual;         /* nor in MPI_Wait on Tutti's requests */
    const char *without; /* names of rows, separated by commas, that are not generated */
} options;

/* ---- programs ---- */
struct fuzz;
struct op;

enum trait {
    LOCAL = 1,       /* the call never waits for another rank: part of a window */
    OURS = 2,        /* Tutti's in a build with MPIX_ names */
    BLOCKS = 4,      /* the call waits for other ranks inside the MPI */
    COLLECTIVE = 8,  /* of the MPI: in one thread at a time */
    PERSISTENT = 16, /* needs persistent collectives */
    MAKES = 32       /* a communicator */
};

typedef struct operation {
    const char *name;
    int weight;
    unsigned traits;
    bool (*generate)(struct fuzz *f, struct op *o); /* what all ranks agree on; false: not now */
    void (*start)(struct fuzz *f, struct op *o);
    void (*part)(struct fuzz *f, struct op *o, int part, const MPI_Status *status); /* or NULL */
    void (*check)(struct fuzz *f, struct op *o); /* all its requests are complete; or NULL */
    void (*release)(struct op *o);               /* of `state`; or NULL */
    int argument;                                /* the row's own */
} operation;

extern const operation operations[];
extern const int operation_count;

typedef struct op {
    const operation *what;
    int index;
    int comm;      /* slot */
    int variant;   /* the row's own */
    int made;      /* slot of the communicator that it makes, or -1 */
    int of;        /* starts and frees: index of the init, or -1 */
    int turn;      /* number of the start, from 0 */
    int wait_from; /* no rank waits for it before it has come to this operation */
    uint64_t key;  /* all shared choices and all data follow from it */
    int last;      /* init: index of its last generated start, or -1 */
    bool freed;    /* init, generated */
    int open;      /* requests not yet complete, here */
    void *state;   /* of the row, here */
} op;

/* Who receives how on a communicator, for its whole life: a wildcard could take what a receive by
 * name waits for. */
enum mail { MAIL_NAMED, MAIL_WILD, MAIL_SILENT, MAILS };

typedef struct fcomm {
    MPI_Comm comm;  /* MPI_COMM_NULL: I am no member */
    MPI_Comm freed; /* to be freed at the end of the program */
    int rank, size;
    bool live;                   /* generator: may be used */
    bool borrowed;               /* not ours to free */
    int mail;                    /* enum mail */
    int cached;                  /* attributes: bit k for keyval k */
    uint64_t expected, received; /* sums over the messages */
} fcomm;

typedef struct pending {
    op *o;
    int part;
    int wait_from;
    MPI_Request request;
    void *own; /* MPIX_Request, or NULL: request counts */
} pending;

enum { KEYVALS = 3 };

typedef struct fuzz {
    const options *opt;
    uint64_t seed;
    int thread;
    bool restricted, manual; /* see options */
    rng shared;              /* the same on all ranks */
    rng mine;
    fcomm comms[MAX_COMMS];
    int comm_count;
    op ops[MAX_OPS];
    int op_count;
    int at; /* operations before this one are started here */
    const op *current;
    const char *doing;
    pending pending[MAX_PENDING];
    int pending_count;
    int keyval[KEYVALS];
    long copied[KEYVALS], deleted[KEYVALS]; /* calls of callbacks */
    long copies_expected[KEYVALS], deletes_expected[KEYVALS];
    int failures;
} fuzz;

/* program.c */
void program_generate(fuzz *f);
void program_print(const fuzz *f);
int random_comm(fuzz *f); /* a live one */
bool generate_on_any(fuzz *f, op *o);
/* A live persistent request that was made by such a row: sets comm and of. */
bool generate_of(fuzz *f, op *o, void (*made_by)(fuzz *, op *), bool to_free);

/* execute.c */
void program_execute(fuzz *f);
void native_block(fuzz *f); /* before a call that waits for other ranks inside the MPI */

/* complete.c: an operation's requests */
void pending_add(fuzz *f, op *o, int part, MPI_Request request, void *own);
void complete_some(fuzz *f, int wait_percent);
void complete_op(fuzz *f, op *o);
void clear_ours(fuzz *f, const bool kept[]);
void complete_all(fuzz *f);

/* watch.c */
void watch_begin(const options *opt, int argc, char **argv);
void watch_thread(const fuzz *f);
void watch_forget(void); /* the programs are over */
void watch_beat(void);   /* something was completed */
void fail(fuzz *f, const op *o, const char *format, ...) __attribute__((format(printf, 3, 4)));
void must(fuzz *f, const op *o, int code, const char *call);

/* delay.c */
void delay(fuzz *f);

/* comms.c */
enum { WORLD, SELF, BASES }; /* the first slots: communicators of these groups, not freed */
void comms_begin(fuzz *f, const MPI_Comm bases[]);
void comms_end(fuzz *f);

#endif
