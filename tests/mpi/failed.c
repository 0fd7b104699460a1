/* SPDX-License-Identifier: BSD-3-Clause */
/* failed.c - ranks fail while others wait for them, with fault tolerance (ULFM) on.
 *
 *   failed allreduce|persistent|halo|init|revoke
 *
 *   20 right operations -> the last rank fails (revoke: rank 0 revokes) -> all others get an error
 *       -> they revoke and shrink the communicator -> 1000 right operations -> all that again
 *
 * By the names of MPI, for libtutti_mpi.so; with -DDIRECT by those of Tutti. Rank 0 says "right" at
 * the end, because the exit status is that of the rank which was killed.
 */
#include <mpi.h>
#include <mpi-ext.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef DIRECT
#include <tutti.h>
typedef MPIX_Request persistent_request;
#define CALL(name)      MPIX_##name##_auto
#define INIT(name)      MPIX_##name##_auto_init
#define START           MPIX_Start
#define WAIT_PERSISTENT MPIX_Wait
#define FREE            MPIX_Request_free
enum { LONG = 1 << 16 };
#else
typedef MPI_Request persistent_request;
#define CALL(name)      MPI_##name
#define INIT(name)      MPI_##name##_init
#define START           MPI_Start
#define WAIT_PERSISTENT MPI_Wait
#define FREE            MPI_Request_free
enum { LONG = 2 }; /* Open MPI 6.0.0rc2 seems to hang in long ones */
#endif

enum { GOOD = 20, AFTER = 1000, ROUNDS = 2, SKIPPED = 77, SECONDS = 60 };

static int world_rank, failures;
static int sent[LONG], received[LONG];

static void check(bool right, const char *what, int got)
{
    if (right || failures++ > 3)
        return;
    fprintf(stderr, "FAILED: rank %d: %s (%d)\n", world_rank, what, got);
}

/* What the rank does: said when that takes too long. */
static const char *volatile doing = "MPI_Init";

static void say_what(int signal)
{
    char text[200];

    (void)signal;
    if (!doing)
        _exit(0);
    int n = snprintf(text, sizeof text, "FAILED: rank %d hangs in %s\n", world_rank, doing);

    _exit(write(2, text, (size_t)n) > 0 ? 1 : 2);
}

static int class_of(int error)
{
    int class = error;

    if (error != MPI_SUCCESS)
        MPI_Error_class(error, &class);
    return class;
}

static bool is_of_failure(int error)
{
    int class = class_of(error);

    return class == MPIX_ERR_PROC_FAILED || class == MPIX_ERR_REVOKED;
}

/* ---- operations: number k on a communicator; returns its error ---- */

typedef struct operations {
    MPI_Comm comm; /* what they run on */
    int size;
    persistent_request request;
    bool made;
} operations;

/* Of both forms, some of them long. */
static int allreduce(operations *o, int k)
{
    int n = k % 3 == 2 ? LONG : 1, error;

    for (int i = 0; i < n; i++)
        sent[i] = k + i;
    if (k % 2) {
        error = CALL(Allreduce)(sent, received, n, MPI_INT, MPI_SUM, o->comm);
    } else {
        MPI_Request request;
        error = CALL(Iallreduce)(sent, received, n, MPI_INT, MPI_SUM, o->comm, &request);
        if (!error)
            error = MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    for (int i = 0; !error && i < n; i += 1000)
        check(received[i] == (k + i) * o->size, "wrong sum", received[i]);
    return error;
}

static int start_and_wait(operations *o)
{
    int error = START(&o->request);

    return error ? error : WAIT_PERSISTENT(&o->request, MPI_STATUS_IGNORE);
}

static int persistent(operations *o, int k)
{
    int error = MPI_SUCCESS;

    if (!o->made)
        error = INIT(Allreduce)(sent, received, LONG, MPI_INT, MPI_SUM, o->comm, MPI_INFO_NULL,
                                &o->request);
    if (error)
        return error;
    o->made = true;
    for (int i = 0; i < LONG; i++)
        sent[i] = k + i;
    error = start_and_wait(o);
    for (int i = 0; !error && i < LONG; i += 1000)
        check(received[i] == (k + i) * o->size, "wrong persistent sum", received[i]);
    return error;
}

/* On a ring of processes. */
static int halo(operations *o, int k)
{
    int error = MPI_SUCCESS, left, right;

    if (!o->made)
        error = INIT(Neighbor_allgather)(sent, 1, MPI_INT, received, 1, MPI_INT, o->comm,
                                         MPI_INFO_NULL, &o->request);
    if (error)
        return error;
    o->made = true;
    MPI_Cart_shift(o->comm, 0, 1, &left, &right);
    MPI_Comm_rank(o->comm, sent);
    sent[0] += 1000 * k;
    error = start_and_wait(o);
    if (!error)
        check(received[0] == left + 1000 * k && received[1] == right + 1000 * k, "wrong halo",
              received[0]);
    return error;
}

/* A request for each operation. */
static int init(operations *o, int k)
{
    persistent_request r;
    int mine = k, sum = -1, error, freed;

    error = INIT(Allreduce)(&mine, &sum, 1, MPI_INT, MPI_SUM, o->comm, MPI_INFO_NULL, &r);
    if (error)
        return error;
    error = START(&r);
    if (!error)
        error = WAIT_PERSISTENT(&r, MPI_STATUS_IGNORE);
    if (!error)
        check(sum == k * o->size, "wrong sum of a new request", sum);
    freed = error ? MPI_SUCCESS : FREE(&r);
    return error ? error : freed;
}

static const struct {
    const char *name;
    int (*run)(operations *o, int k);
    bool ring, revokes;
} modes[] = {{"allreduce", allreduce, false, false},
             {"persistent", persistent, false, false},
             {"halo", halo, true, false},
             {"init", init, false, false},
             {"revoke", allreduce, false, true}};
static int mode;

static void begin(operations *o, MPI_Comm comm)
{
    *o = (operations){.comm = comm};
    MPI_Comm_size(comm, &o->size);
    if (!modes[mode].ring)
        return;
    MPI_Cart_create(comm, 1, &o->size, (int[]){1}, 0, &o->comm);
    MPI_Comm_set_errhandler(o->comm, MPI_ERRORS_RETURN);
}

static void end(operations *o)
{
    if (o->made)
        check(FREE(&o->request) == MPI_SUCCESS, "a request cannot be freed", 0);
    if (modes[mode].ring)
        MPI_Comm_free(&o->comm);
}

/* ---- a round: `comm` becomes the communicator of those who are left ---- */

static void fail(operations *o)
{
    int rank;

    MPI_Comm_rank(o->comm, &rank);
    if (!modes[mode].revokes && rank == o->size - 1)
        raise(SIGKILL);
    if (modes[mode].revokes && rank == 0)
        MPIX_Comm_revoke(o->comm);
}

static void lose_a_rank(MPI_Comm comm)
{
    operations o;
    int error = MPI_SUCCESS, k = 0, sum = 0;

    doing = "an operation before the failure";
    begin(&o, comm);
    for (; k < GOOD && !error; k++)
        error = modes[mode].run(&o, k);
    check(!error || (modes[mode].revokes && class_of(error) == MPIX_ERR_REVOKED),
          "an operation before the failure ends with class", class_of(error));
    fail(&o);
    doing = "an operation with a failed rank";
    for (; k < GOOD + AFTER && !error; k++)
        error = modes[mode].run(&o, k);
    check(is_of_failure(error), "an operation with a failed rank ends with class", class_of(error));
    doing = "MPIX_Comm_revoke";
    MPIX_Comm_revoke(o.comm);
    doing = "an operation on a revoked communicator";
    error = CALL(Allreduce)(&k, &sum, 1, MPI_INT, MPI_SUM, o.comm);
    check(class_of(error) == MPIX_ERR_REVOKED, "on a revoked communicator: class", class_of(error));
    doing = "MPI_Request_free";
    end(&o);
}

static void go_on(MPI_Comm comm)
{
    operations o;
    int error = MPI_SUCCESS;

    doing = "an operation of those who are left";
    begin(&o, comm);
    for (int k = 0; k < AFTER && !error; k++)
        error = modes[mode].run(&o, k);
    check(error == MPI_SUCCESS, "an operation of those who are left ends with class",
          class_of(error));
    end(&o);
}

static void run_round(MPI_Comm *comm)
{
    MPI_Comm left;
    int before, now, flag = 1;

    MPI_Comm_size(*comm, &before);
    lose_a_rank(*comm);
    doing = "MPIX_Comm_shrink";
    check(MPIX_Comm_shrink(*comm, &left) == MPI_SUCCESS, "MPIX_Comm_shrink fails", 0);
    MPI_Comm_set_errhandler(left, MPI_ERRORS_RETURN);
    MPI_Comm_size(left, &now);
    check(now == before - !modes[mode].revokes, "so many are left", now);
    go_on(left);
    doing = "MPIX_Comm_agree";
    check(MPIX_Comm_agree(left, &flag) == MPI_SUCCESS && flag == 1, "they do not agree", flag);
    doing = "MPI_Comm_free";
    MPI_Comm_free(comm);
    *comm = left;
}

static bool choose_mode(const char *name)
{
    for (mode = 0; mode < (int)(sizeof modes / sizeof *modes); mode++)
        if (name && strcmp(modes[mode].name, name) == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    const char *on = getenv("OMPI_MCA_mpi_ft_enable");
    MPI_Comm comm;
    int all = 0, error;

    if (!choose_mode(argc > 1 ? argv[1] : NULL))
        return 2;
    if (!on || strcmp(on, "1") != 0)
        return SKIPPED;
    signal(SIGALRM, say_what);
    alarm(SECONDS);
    MPI_Init(&argc, &argv);
#ifdef DIRECT
    tutti_init();
#endif
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int i = 0; i < ROUNDS; i++)
        run_round(&comm);
    doing = "the last operation";
    error = MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, comm);
    check(error == MPI_SUCCESS, "the last operation ends with", error);
    MPI_Comm_free(&comm);
    if (world_rank == 0 && !all && !failures)
        fprintf(stderr, "right\n");
    doing = NULL; /* MPI_Finalize of Open MPI 6.0.0rc2 hangs now and then, without Tutti, too */
    alarm(5);
    MPI_Finalize();
    return failures != 0;
}
