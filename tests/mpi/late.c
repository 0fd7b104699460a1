/* SPDX-License-Identifier: BSD-3-Clause */
/* late.c - rank 0 comes a second late, or later: when the file that the environment variable
 * LATE_FOR names has a line from each of the others. They wait in the way that is
 * named. For check_timeout.
 *
 *   late wait     MPIX_Wait on a persistent request
 *   late native   MPI_Wait on a non-blocking one
 *   late block    the blocking call
 *   late first          in the communicator's first operation, a non-blocking one,
 *   late first_gated    one that returns at once, and waits for the others afterwards,
 *   late first_block    a blocking one,
 *   late first_init     or the making of a persistent request;
 *   late first_hints    in tutti_comm_set_hints
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tutti.h>

static MPIX_Request persistent;
static int mine, all[64];

static void prepare(void)
{
    MPIX_Allgather_linear_init(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                               &persistent);
}

static void operate(const char *how)
{
    MPI_Request r;

    if (strcmp(how, "wait") == 0) {
        MPIX_Start(&persistent);
        MPIX_Wait(&persistent, MPI_STATUS_IGNORE);
    } else if (strcmp(how, "block") == 0 || strcmp(how, "first_block") == 0) {
        MPIX_Allgather_linear(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    } else if (strcmp(how, "first_init") == 0) {
        prepare();
        MPIX_Start(&persistent);
        MPIX_Wait(&persistent, MPI_STATUS_IGNORE);
        MPIX_Request_free(&persistent);
    } else if (strcmp(how, "first_hints") == 0) {
        tutti_comm_set_hints(MPI_COMM_WORLD, MPI_INFO_NULL);
        MPIX_Allgather_linear(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    } else {
        MPIX_Iallgather_linear(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
}

static int lines_of(const char *file)
{
    FILE *in = fopen(file, "r");
    int n = 0;

    for (int c; in && (c = getc(in)) != EOF;)
        n += c == '\n';
    if (in)
        fclose(in);
    return n;
}

static void come_late(int others)
{
    enum { SECONDS = 60 };
    const struct timespec second = {1, 0};
    const char *file = getenv("LATE_FOR");

    for (int i = 0; i < SECONDS; i++) {
        nanosleep(&second, NULL);
        if (!file || lines_of(file) >= others)
            return;
    }
}

int main(int argc, char **argv)
{
    const char *how;
    int p, wrong = 0, level;

    MPI_Init_thread(&argc, &argv, argc > 2 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    how = argc > 1 ? argv[1] : "wait";
    MPI_Comm_rank(MPI_COMM_WORLD, &mine);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    if (strcmp(how, "first_gated") == 0)
        tutti_init();
    if (strncmp(how, "first", 5) != 0)
        prepare();
    MPI_Barrier(MPI_COMM_WORLD);
    if (mine == 0)
        come_late(p - 1);
    operate(how);
    for (int i = 0; i < p; i++)
        wrong += all[i] != i;
    if (strncmp(how, "first", 5) != 0)
        MPIX_Request_free(&persistent);
    MPI_Finalize();
    if (!wrong)
        puts("right");
    return wrong;
}
