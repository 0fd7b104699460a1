/* SPDX-License-Identifier: BSD-3-Clause */
/* test_device.c - MPIX_ calls refuse memory of a GPU (stub_device.c, whose library TEST_DEVICE
 * names): MPI_ERR_BUFFER and a line, before anything is sent; an init on all ranks. */
#define _GNU_SOURCE /* memfd_create */
#include "mpi/mpi_test.h"
#include "mpi/stub_device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <tutti.h>
#include <unistd.h>

static int *memory; /* the device's */
static char said[1000];

static void open_device(void)
{
    void *h = dlopen(getenv("TEST_DEVICE"), RTLD_NOW | RTLD_GLOBAL);
    union {
        void *object;
        stub_device_get *get;
    } table = {.object = h ? dlsym(h, "stub_device_table") : NULL};

    if (!table.object)
        MPI_Abort(MPI_COMM_WORLD, 2);
    memory = table.get()->alloc(8192, NULL);
}

/* What the call writes to stderr goes to `said`: under TUTTI_VERBOSE=1 the reason of its error. */
static int begin_listening(void)
{
    int before = dup(2), fd = memfd_create("said", 0);

    fflush(stderr);
    dup2(fd, 2);
    close(fd);
    return before;
}

static void end_listening(int before)
{
    ssize_t n;

    fflush(stderr);
    n = pread(2, said, sizeof said - 1, 0);
    said[n > 0 ? n : 0] = '\0';
    dup2(before, 2);
    close(before);
}

static void check_line(const char *call, const char *buffer)
{
    CHECK(strstr(said, call) && strstr(said, buffer) && strstr(said, "CUDA"));
    CHECK(strchr(said, '\n') && !strchr(strchr(said, '\n') + 1, '\n')); /* one line */
}

static void a_right_sum(void)
{
    int one = 1, sum = 0;

    CHECK(MPIX_Allreduce_auto(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(sum == world_size);
}

static void blocking_calls_end_with_an_error(void)
{
    int mine[2] = {1, 2}, before = begin_listening();

    CHECK_CLASS(MPIX_Allreduce_auto(mine, memory, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
                MPI_ERR_BUFFER);
    end_listening(before);
    check_line("MPIX_Allreduce_auto: ", "recvbuf");
    a_right_sum();
    for (int i = 0; i < 3; i++) { /* also where such a call is known */
        CHECK(MPIX_Bcast_binomial(mine, 2, MPI_INT, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
        before = begin_listening();
        CHECK_CLASS(MPIX_Bcast_binomial(memory, 2, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
        end_listening(before);
        check_line("MPIX_Bcast_binomial: ", "buffer");
    }
}

static void nonblocking_calls_end_with_an_error(void)
{
    int mine[2] = {1, 2}, all[64] = {0}, before = begin_listening();
    MPI_Request r = MPI_REQUEST_NULL;

    CHECK_CLASS(MPIX_Iallgather_auto(memory, 2, MPI_INT, all, 2, MPI_INT, MPI_COMM_WORLD, &r),
                MPI_ERR_BUFFER);
    end_listening(before);
    check_line("MPIX_Iallgather_auto: ", "sendbuf");
    CHECK(r == MPI_REQUEST_NULL);
    CHECK(MPIX_Iallgather_auto(mine, 2, MPI_INT, all, 2, MPI_INT, MPI_COMM_WORLD, &r) ==
          MPI_SUCCESS);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    CHECK(all[2 * world_size - 1] == 2);
}

/* The others get the error, and need not wait. */
static void an_init_ends_with_an_error_on_all_ranks(void)
{
    for (int who = 0; who < world_size; who++) {
        int mine = 1, sum = 0, before = begin_listening();
        MPIX_Request r = MPIX_REQUEST_NULL;
        CHECK_CLASS(MPIX_Allreduce_auto_init(&mine, world_rank == who ? memory : &sum, 1, MPI_INT,
                                             MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &r),
                    MPI_ERR_BUFFER);
        end_listening(before);
        if (world_rank == who)
            CHECK(strstr(said, "recvbuf"));
        CHECK(MPIX_Allreduce_auto_init(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                                       MPI_INFO_NULL, &r) == MPI_SUCCESS);
        MPIX_Start(&r);
        MPIX_Wait(&r, MPI_STATUS_IGNORE);
        CHECK(sum == world_size);
        MPIX_Request_free(&r);
    }
}

/* What a rank does not read or write may be anything. */
static void a_buffer_that_is_not_used_is_no_error(void)
{
    int mine = 1, sum = 0;

    CHECK(MPIX_Reduce_auto(&mine, world_rank ? memory : &sum, 1, MPI_INT, MPI_SUM, 0,
                           MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(sum == (world_rank ? 0 : world_size));
    CHECK(MPIX_Bcast_auto(memory, 0, MPI_INT, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
}

static void before(void)
{
    a_right_sum();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    open_device();
}

int main(int argc, char **argv)
{
    const mpi_test tests[] = {MPI_TEST(before), MPI_TEST(blocking_calls_end_with_an_error),
                              MPI_TEST(nonblocking_calls_end_with_an_error),
                              MPI_TEST(an_init_ends_with_an_error_on_all_ranks),
                              MPI_TEST(a_buffer_that_is_not_used_is_no_error)};

    return mpi_test_main(argc, argv, "device", tests, sizeof tests / sizeof *tests);
}
