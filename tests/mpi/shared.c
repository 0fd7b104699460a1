/* SPDX-License-Identifier: BSD-3-Clause */
/* shared.c - one rank, or all, may not have what shared memory takes; the collectives are right all
 * the same, and tutti_shared_memory says how many processes have it. For check_shared.
 *
 *   shared WHAT RANK EXPECTED [THERE]    rank -1: all; expected: processes that share memory, as
 *                                        the others see it; and as this rank does (0)
 *
 *   plain    nothing is refused (rank: none)
 *   apart    likewise; and the program makes no mistakes
 *   forever  likewise, and it does not end
 *   off      TUTTI_NODE_WIRE=off
 *   fsize    no file may be longer than a page
 *   nofile   no file descriptor is left
 *   as       no address space is left
 *   bounded  addresses are limited, but suffice for all: the program has them for itself
 *   locked   what is mapped is locked in memory (mlockall): not a heap as large as the machine
 *   noproc   there is no /proc (as root)
 *
 * While a rank looks at shared memory only, its MPI goes on: letters of another rank, which comes
 * to the collective only when they have been received.
 *
 * What comes after a mistake of the program, of which MPI says nothing, is right (plain).
 *
 * And what an init has agreed on does not outlive its communicator: it is freed at once, while a
 * rank comes a second late to the init.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <time.h>
#include <tutti.h>
#include <unistd.h>

enum { N = 300, LONG = 40000 }; /* LONG: is read from its sender's memory */

static int rank, p, wrong;

static void limit(int what, rlim_t most)
{
    struct rlimit r;

    getrlimit(what, &r);
    r.rlim_cur = most;
    setrlimit(what, &r);
}

static rlim_t address_space(void)
{
    FILE *in = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;

    if (!in || fscanf(in, "%lu", &pages) != 1)
        exit(2);
    fclose(in);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + (4 << 20);
}

/* The MPI's own memory is there. */
static void warm_up(void)
{
    enum { BYTES = 1 << 18 };
    char *memory = calloc(2 * (size_t)p, BYTES);

    for (int i = 0; i < 3; i++)
        MPI_Alltoall(memory, BYTES, MPI_BYTE, memory + (size_t)p * BYTES, BYTES, MPI_BYTE,
                     MPI_COMM_WORLD);
    free(memory);
}

static void hide_proc(void)
{
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("none", "/proc", "tmpfs", 0, NULL)) {
        perror("noproc");
        exit(2);
    }
}

static void refuse(const char *what)
{
    int next = open("/dev/null", O_RDONLY);

    close(next);
    if (strcmp(what, "off") == 0)
        setenv("TUTTI_NODE_WIRE", "off", 1);
    else if (strcmp(what, "fsize") == 0)
        limit(RLIMIT_FSIZE, 4096);
    else if (strcmp(what, "nofile") == 0)
        limit(RLIMIT_NOFILE, (rlim_t)next);
    else if (strcmp(what, "as") == 0)
        limit(RLIMIT_AS, address_space());
    else if (strcmp(what, "bounded") == 0)
        limit(RLIMIT_AS, address_space() + ((rlim_t)4 << 40));
    else if (strcmp(what, "locked") == 0 && mlockall(MCL_FUTURE) != 0)
        perror("mlockall"); /* then nothing is refused */
    else if (strcmp(what, "noproc") == 0)
        hide_proc();
}

/* Pages of shared memory that this process has. */
static long shared_pages(void)
{
    FILE *in = fopen("/proc/self/statm", "r");
    long pages = -1;

    if (!in || fscanf(in, "%*s %*s %ld", &pages) != 1)
        exit(2);
    fclose(in);
    return pages;
}

/* Slices, and the one buffer as long as it is there. */
static void memory_is_small(void)
{
    long mib = (1 << 20) / sysconf(_SC_PAGESIZE), before = shared_pages(), with;
    char *buffer;

    wrong += before > 256 * mib;
    wrong += tutti_alloc(64 << 20, &buffer) != MPI_SUCCESS;
    wrong += shared_pages() < before + 60 * mib;
    mlockall(MCL_CURRENT);
    with = shared_pages();
    wrong += tutti_free(buffer) != MPI_SUCCESS;
    wrong += shared_pages() > with - 60 * mib;
    munlockall();
}

/* Where shared heaps are used, the program has no limit on its addresses. */
static void limits_are_kept(const char *what, const char *reason)
{
    wrong += (strcmp(what, "bounded") == 0) == (reason[0] == '\0');
    if (strcmp(what, "locked") == 0)
        memory_is_small();
}

static void look(const int *all, int n, int round)
{
    for (int r = 0; r < p; r++)
        for (int i = 0; i < n; i++)
            wrong += all[r * n + i] != r * 1000 + i + round;
}

static void operate(int n)
{
    int *mine = calloc((size_t)n, sizeof *mine), *all = malloc(sizeof(int) * (size_t)(n * p));
    MPI_Request request;
    MPIX_Request again;

    MPIX_Allgather_auto_init(mine, n, MPI_INT, all, n, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                             &again);
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < n; i++)
            mine[i] = rank * 1000 + i + round;
        memset(all, -1, sizeof(int) * (size_t)(n * p));
        if (round % 2) {
            MPIX_Iallgather_auto(mine, n, MPI_INT, all, n, MPI_INT, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            MPIX_Start(&again);
            MPIX_Wait(&again, MPI_STATUS_IGNORE);
        }
        look(all, n, round);
    }
    MPIX_Request_free(&again);
    free(all);
    free(mine);
}

static void letter_first(bool in_init)
{
    int all[64], data[10] = {0}, letter = 0, last = p - 1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPIX_Request again;

    if (rank == 0)
        MPI_Irecv(&letter, 1, MPI_INT, last, 7, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == last)
        MPI_Ssend(&letter, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    if (in_init) {
        MPIX_Bcast_auto_init(data, 10, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &again);
        MPIX_Request_free(&again);
    } else {
        MPIX_Allgather_auto(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The first two ranks are in collectives of their own, in which one finds all messages there, until
 * the last rank has sent a letter to each. */
static void letters_meanwhile(void)
{
    int letter = 0, last = p - 1, over = 0, come = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm two;

    MPI_Comm_split(MPI_COMM_WORLD, rank < 2, 0, &two);
    if (rank < 2)
        MPI_Irecv(&letter, 1, MPI_INT, last, 8, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == last) {
        MPI_Ssend(&letter, 1, MPI_INT, 1, 8, MPI_COMM_WORLD);
        MPI_Send(&letter, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
    }
    while (rank < 2 && !over) {
        const struct timespec pause = {0, 1000000};
        if (rank == 1)
            nanosleep(&pause, NULL);
        if (rank == 0 && !come)
            MPI_Test(&request, &come, MPI_STATUS_IGNORE);
        over = come;
        MPIX_Bcast_auto(&over, 1, MPI_INT, 0, two);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&two);
}

static void free_at_once(int late)
{
    MPI_Comm one, others;
    MPIX_Request request;
    int data[10], *all = calloc((size_t)p * 100, sizeof *all), mine[100] = {0};

    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    MPI_Comm_split(MPI_COMM_WORLD, rank == late ? MPI_UNDEFINED : 0, 0, &others);
    tutti_comm_prepare(one);
    if (rank == late)
        sleep(1);
    MPIX_Bcast_auto_init(data, 10, MPI_INT, late, one, MPI_INFO_NULL, &request);
    MPIX_Request_free(&request);
    MPI_Comm_free(&one);
    for (int i = 0; i < 5 && others != MPI_COMM_NULL; i++)
        MPIX_Allgather_auto(mine, 100, MPI_INT, all, 100, MPI_INT, others);
    if (others != MPI_COMM_NULL)
        MPI_Comm_free(&others);
    free(all);
}

/* ---- mistakes of the program: what comes after them is right ---- */

static void good_calls(void)
{
    int mine[25], all[25 * 8];

    for (int k = 0; k < 600; k++) {
        int n = k % 25 + 1;
        for (int i = 0; i < n; i++)
            mine[i] = 1000 * rank + 10 * k + i;
        MPIX_Allgather_auto(mine, n, MPI_INT, all, n, MPI_INT, MPI_COMM_WORLD);
        for (int i = 0; i < n * p; i++)
            wrong += all[i] != 1000 * (i / n) + 10 * k + i % n;
    }
}

/* Rank 1 sends so many bytes, the others count on others. */
static void another_count(int its, int expected)
{
    int most = its > expected ? its : expected;
    char *mine = calloc((size_t)most, 1), *all = calloc((size_t)p * (size_t)most, 1);

    MPIX_Allgather_auto(mine, rank == 1 ? its : expected, MPI_BYTE, all, rank == 1 ? its : expected,
                        MPI_BYTE, MPI_COMM_WORLD);
    free(all);
    free(mine);
    good_calls();
}

/* A message of so many ints from rank 0 into a vector of n. */
static void into_a_vector(int ints, int n)
{
    int a[64] = {0}, error;
    MPI_Datatype vector;

    MPI_Type_vector(n, 1, 2, MPI_INT, &vector);
    MPI_Type_commit(&vector);
    for (int i = 0; i < ints && rank == 0; i++)
        a[i] = i + 1;
    error = rank == 0 ? MPIX_Bcast_binomial(a, ints, MPI_INT, 0, MPI_COMM_WORLD)
                      : MPIX_Bcast_binomial(a, 1, vector, 0, MPI_COMM_WORLD);
    wrong += rank == 1 && (error == MPI_SUCCESS) != (ints <= n);
    for (int i = 0; i < n && rank == 1 && ints <= n; i++)
        wrong += (a[2 * i] != 0 && a[2 * i] != i + 1) || a[2 * i + 1] != 0;
    MPI_Type_free(&vector);
    good_calls();
}

/* Of one rank the info is wrong: it is refused by all. */
static void failed_init(void)
{
    MPIX_Request request = MPIX_REQUEST_NULL;
    int a[2] = {0}, b[16], error;
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "tutti_stats", rank == 1 ? "maybe" : "true");
    error = MPIX_Allgather_auto_init(a, 1, MPI_INT, b, 1, MPI_INT, MPI_COMM_WORLD, info, &request);
    wrong += error == MPI_SUCCESS;
    if (request != MPIX_REQUEST_NULL)
        MPIX_Request_free(&request);
    MPI_Info_free(&info);
    good_calls();
}

static void mistakes(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    good_calls();
    another_count(8, 100);
    another_count(100, 8);
    another_count(448, 60);
    another_count(5000, 90000);
    another_count(90000, 5000);
    into_a_vector(4, 2);
    into_a_vector(2, 4);
    failed_init();
}

int main(int argc, char **argv)
{
    int processes = -1, expected = argc > 3 ? atoi(argv[3]) : 0;
    int there = argc > 4 ? atoi(argv[4]) : 0, refused;
    const char *reason = NULL;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    refused = argc > 2 && (atoi(argv[2]) == rank || atoi(argv[2]) == -1);
    warm_up();
    if (refused)
        refuse(argv[1]);
    tutti_init();
    tutti_shared_memory(&processes, &reason);
    if (processes != (refused ? there : expected)) {
        printf("rank %d: %d processes share memory: %s\n", rank, processes, reason);
        wrong++;
    }
    if (refused && processes)
        limits_are_kept(argv[1], reason);
    for (int n = 1; n <= 3 * N; n += N)
        operate(n);
    operate(LONG);
    if (argc > 1 && strcmp(argv[1], "forever") == 0) {
        puts("begun");
        fflush(stdout);
        for (;;)
            operate(N);
    }
    if (argc > 1 && (strcmp(argv[1], "plain") == 0 || strcmp(argv[1], "apart") == 0)) {
        letter_first(false);
        letter_first(true);
        letters_meanwhile();
        free_at_once(1);
    }
    if (argc > 1 && strcmp(argv[1], "plain") == 0)
        mistakes();
    if (!wrong)
        puts("right");
    fflush(stdout);
    MPI_Finalize();
    return wrong != 0;
}
