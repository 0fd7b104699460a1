/* SPDX-License-Identifier: BSD-3-Clause */
/* test_wisdom.c - wisdom comes into a job and out of it: what it says is taken by all ranks, and by
 * nobody where not all know it. Looks inside the library.
 */
#include "mpi/hints.h"

#include "nbc/comm/comm.h"
#include "nbc/process/mpi_library.h"
#include "nbc/process/wisdom_file.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tutti.h>
#include <unistd.h>

static char folder[] = "/tmp/tutti-wisdom-XXXXXX", file[64];

/* The shape that wisdom knows the world by, and so every duplicate of it. */
static void shape_of_world(char text[WISDOM_SHAPE])
{
    comm *c;

    CHECK(tutti_comm_prepare(MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(comm_get(MPI_COMM_WORLD, &c) == MPI_SUCCESS);
    wisdom_shape(c->topo, text, WISDOM_SHAPE);
}

static void know(wisdom *w, coll_kind kind, int bytes, bool in_place, const char *name)
{
    coll call = {.kind = kind, .p = world_size, .in_place = in_place};
    char shape[WISDOM_SHAPE];
    verdict v = {.ns = 12000, .starts = 9};

    shape_of_world(shape);
    v.key = wisdom_key_of(&call, (int64_t)bytes * (coll_is_vector(kind) ? 1 : world_size), shape);
    CHECK(select_parse(kind, name, world_size, wisdom_bytes(&v.key), &v.choice));
    CHECK(wisdom_add(w, &v) == NULL);
}

/* Rank 0 makes the file, and only it knows where. */
static void make_file(const char *allgather, const char *allreduce)
{
    wisdom *w = wisdom_make();
    char why[300];

    shape_of_world((char[WISDOM_SHAPE]){0}); /* collective */
    know(w, COLL_allgather, 64, false, allgather);
    know(w, COLL_allreduce, 4096, false, allreduce);
    know(w, COLL_allreduce, 4096, true, "ring");
    if (world_rank == 0) {
        unlink(file);
        CHECK(wisdom_save(file, w, mpi_library_here()->name, why, sizeof why));
    }
    wisdom_free(w);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Only rank 0 looks at it. */
static const char *mine(void)
{
    return world_rank == 0 ? file : world_rank % 2 ? NULL : "/no/such/folder/file";
}

static bool says(MPI_Comm comm, const char *call, const char *part)
{
    char text[400];

    CHECK(tutti_comm_explain(comm, call, text, sizeof text) == MPI_SUCCESS);
    return strstr(text, part) != NULL;
}

/* An allreduce of 4096 bytes: right data, whatever carries it. */
static void expect_sum(MPI_Comm comm, bool in_place)
{
    int in[1024], sum[1024], rank;
    MPI_Request r;

    MPI_Comm_rank(comm, &rank);
    for (int i = 0; i < 1024; i++)
        in[i] = sum[i] = rank + i;
    CHECK(MPIX_Iallreduce_auto(in_place ? MPI_IN_PLACE : in, sum, 1024, MPI_INT, MPI_SUM, comm,
                               &r) == MPI_SUCCESS);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int i = 0; i < 1024; i++)
        CHECK(sum[i] == world_size * (world_size - 1) / 2 + world_size * i);
}

/* ---- tests ---- */

static void what_is_imported_is_taken(void)
{
    MPI_Comm before = fresh(), unused = fresh();

    CHECK(tutti_comm_prepare(before) == MPI_SUCCESS);
    make_file("linear", "circulant");
    CHECK(tutti_wisdom_import(MPI_COMM_WORLD, mine()) == MPI_SUCCESS);
    CHECK(says(MPI_COMM_WORLD, "allgather 64", ": linear (wisdom: 12 us"));
    CHECK(says(MPI_COMM_WORLD, "allreduce 4096", ": circulant (wisdom: 12 us"));
    CHECK(!says(MPI_COMM_WORLD, "allreduce 40960", "wisdom"));
    CHECK(!says(MPI_COMM_WORLD, "allgather 8", "wisdom"));
    CHECK(!says(before, "allgather 64", "wisdom")); /* it has been used */
    for (int again = 0; again < 2; again++) {
        expect_sum(unused, again);
        expect_sum(before, again);
        expect_sum(MPI_COMM_WORLD, again);
    }
    CHECK(says(unused, "allreduce 4096", ": circulant (wisdom: 12 us"));
    make_file("ring", "recursive_doubling");
    CHECK(tutti_wisdom_import(unused, mine()) == MPI_SUCCESS);
    CHECK(says(unused, "allgather 64", ": ring (wisdom"));
    CHECK(says(MPI_COMM_WORLD, "allgather 64", ": linear (wisdom"));
    CHECK(tutti_wisdom_import(MPI_COMM_WORLD, NULL) == MPI_SUCCESS);
    CHECK(!says(MPI_COMM_WORLD, "allgather 64", "wisdom"));
    MPI_Comm_free(&before);
    MPI_Comm_free(&unused);
}

static void what_a_part_of_the_ranks_has_imported_counts_in_that_part(void)
{
    MPI_Comm half, all, whole;
    int size;

    make_file("linear", "circulant");
    CHECK(tutti_wisdom_import(MPI_COMM_WORLD, NULL) == MPI_SUCCESS);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, world_rank, &half);
    MPI_Comm_size(half, &size);
    if (world_rank % 2 == 0)
        CHECK(tutti_wisdom_import(half, mine()) == MPI_SUCCESS);
    all = fresh();
    expect_sum(all, false); /* here nobody counts on it */
    CHECK(says(all, "allreduce 4096", "wisdom") == (world_size == 1));
    CHECK(tutti_wisdom_import(all, mine()) == MPI_SUCCESS);
    CHECK(says(all, "allreduce 4096", "wisdom"));
    whole = fresh();
    expect_sum(whole, false);
    CHECK(says(whole, "allreduce 4096", "wisdom"));
    CHECK(tutti_wisdom_import(MPI_COMM_WORLD, NULL) == MPI_SUCCESS);
    MPI_Comm_free(&half);
    MPI_Comm_free(&all);
    MPI_Comm_free(&whole);
}

static void hints_and_what_they_forbid_go_before(void)
{
    MPI_Comm comm = fresh();

    make_file("linear", "circulant");
    CHECK(tutti_wisdom_import(comm, mine()) == MPI_SUCCESS);
    CHECK(hint(comm, "tutti_algorithm", "ring") == MPI_SUCCESS);
    CHECK(says(comm, "allgather 64", ": ring (asked for"));
    CHECK(hint(comm, "tutti_algorithm", "^linear,circulant") == MPI_SUCCESS);
    CHECK(!says(comm, "allgather 64", "wisdom"));
    CHECK(!says(comm, "allgather 64", ": linear"));
    CHECK(!says(comm, "allreduce 4096", ": circulant"));
    expect_sum(comm, true);
    CHECK(hint(comm, "tutti_algorithm", "auto") == MPI_SUCCESS);
    CHECK(says(comm, "allgather 64", "wisdom"));
    CHECK_CLASS(hint(comm, "tutti_algorithm", "^linear,rong"), MPI_ERR_INFO_VALUE);
    CHECK_CLASS(hint(comm, "tutti_algorithm", "^"), MPI_ERR_INFO_VALUE);
    CHECK_CLASS(hint(comm, "tutti_algorithm", "^linear:4"), MPI_ERR_INFO_VALUE);
    CHECK(says(comm, "allgather 64", "wisdom"));
    CHECK(tutti_wisdom_import(MPI_COMM_WORLD, NULL) == MPI_SUCCESS);
    MPI_Comm_free(&comm);
}

static void what_is_exported_comes_back(void)
{
    wisdom *w;
    char why[300];

    make_file("linear", "circulant");
    CHECK(tutti_wisdom_import(MPI_COMM_WORLD, mine()) == MPI_SUCCESS);
    make_file("ring", "ring"); /* other verdicts on the same: those of the job count */
    CHECK(tutti_wisdom_export(MPI_COMM_WORLD, mine()) == MPI_SUCCESS);
    CHECK(tutti_wisdom_import(MPI_COMM_WORLD, NULL) == MPI_SUCCESS);
    CHECK(tutti_wisdom_import(MPI_COMM_WORLD, mine()) == MPI_SUCCESS);
    CHECK(says(MPI_COMM_WORLD, "allgather 64", ": linear (wisdom: 12 us"));
    if (world_rank == 0) {
        w = wisdom_load(file, mpi_library_here()->name, why, sizeof why);
        CHECK(w && wisdom_count(w) == 3);
        wisdom_free(w);
    }
    CHECK(tutti_wisdom_import(MPI_COMM_WORLD, NULL) == MPI_SUCCESS);
}

static void what_cannot_be_read_or_written_is_an_error_on_all_ranks(void)
{
    FILE *out;

    make_file("linear", "circulant");
    CHECK(tutti_wisdom_import(MPI_COMM_WORLD, mine()) == MPI_SUCCESS);
    CHECK_CLASS(tutti_wisdom_import(MPI_COMM_WORLD, "/no/such/file"), MPI_ERR_NO_SUCH_FILE);
    CHECK_CLASS(tutti_wisdom_import(MPI_COMM_WORLD, folder), MPI_ERR_IO);
    CHECK_CLASS(tutti_wisdom_export(MPI_COMM_WORLD, folder), MPI_ERR_IO);
    CHECK_CLASS(tutti_wisdom_export(MPI_COMM_WORLD, "/no/such/folder/file"), MPI_ERR_IO);
    CHECK_CLASS(tutti_wisdom_export(MPI_COMM_WORLD, world_rank ? file : NULL), MPI_ERR_ARG);
    CHECK_CLASS(tutti_wisdom_import(MPI_COMM_NULL, file), MPI_ERR_COMM);
    if (world_rank == 0) {
        out = fopen(file, "a");
        CHECK(out != NULL);
        fputs("allreduce 4\n", out);
        fclose(out);
    }
    CHECK_CLASS(tutti_wisdom_import(MPI_COMM_WORLD, mine()), MPI_ERR_IO);
    CHECK(says(MPI_COMM_WORLD, "allgather 64", "wisdom")); /* nothing has changed */
    expect_sum(MPI_COMM_WORLD, false);
    CHECK(tutti_wisdom_import(MPI_COMM_WORLD, NULL) == MPI_SUCCESS);
}

/* Operations that have begun go on; those that begin after it take what it says. */
static void operations_are_under_way_meanwhile(void)
{
    MPI_Comm comm = fresh();
    int in[3][1024], sum[3][1024];
    MPI_Request r[3];

    make_file("linear", "circulant");
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 1024; i++)
            in[k][i] = world_rank + i + k;
        if (k > 0) /* the first one is the first use of the communicator */
            CHECK(tutti_wisdom_import(comm, k == 1 ? mine() : NULL) == MPI_SUCCESS);
        CHECK(MPIX_Iallreduce_auto(in[k], sum[k], 1024, MPI_INT, MPI_SUM, comm, &r[k]) ==
              MPI_SUCCESS);
    }
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 1024; i++)
            CHECK(sum[k][i] == world_size * (world_size - 1) / 2 + world_size * (i + k));
    MPI_Comm_free(&comm);
}

/* ---- two threads ---- */

typedef struct importer {
    MPI_Comm comm;
    char file[80];
    const char *says;
    bool failed;
} importer;

/* CHECK is not for threads. */
static void *import_again_and_again(void *argument)
{
    importer *x = argument;
    int in[1024], sum[1024];
    char text[400];

    for (int k = 0; k < 1500; k++) {
        for (int i = 0; i < 1024; i++)
            in[i] = world_rank + i;
        x->failed |= tutti_wisdom_import(x->comm, world_rank ? NULL : x->file) != MPI_SUCCESS ||
                     tutti_comm_explain(x->comm, "allreduce 4096", text, sizeof text) ||
                     !strstr(text, x->says) ||
                     MPIX_Allreduce_auto(in, sum, 1024, MPI_INT, MPI_SUM, x->comm) ||
                     sum[1023] != world_size * (world_size - 1) / 2 + world_size * 1023;
    }
    return NULL;
}

static atomic_bool imported;

/* What has been said stays. */
static void *ask_for_the_source(void *argument)
{
    bool *failed = argument;
    const char *source, *known[4] = {0};
    char text[4][200];
    size_t n;

    while (!atomic_load(&imported)) {
        int k = 0;
        *failed |= tutti_wisdom(&n, &source) != MPI_SUCCESS;
        while (k < 4 && known[k] && known[k] != source)
            k++;
        *failed |= k == 4;
        if (k < 4 && !known[k])
            snprintf(text[k], sizeof text[k], "%s", known[k] = source);
        for (k = 0; k < 4 && known[k]; k++)
            *failed |= strcmp(known[k], text[k]) != 0;
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    }
    return NULL;
}

/* Each on its communicator; what is in force in the process is another thread's at times. */
static void two_threads_import_other_files(void)
{
    importer x[2] = {{.says = ": circulant (wisdom"}, {.says = ": ring (wisdom"}};
    pthread_t thread, third;
    bool failed = false;
    int level;

    MPI_Query_thread(&level);
    if (level < MPI_THREAD_MULTIPLE)
        return;
    for (int i = 0; i < 2; i++) {
        x[i].comm = fresh();
        CHECK(tutti_comm_prepare(x[i].comm) == MPI_SUCCESS);
        make_file("linear", i ? "ring" : "circulant");
        snprintf(x[i].file, sizeof x[i].file, "%s.%d", file, i);
        if (world_rank == 0)
            CHECK(rename(file, x[i].file) == 0);
    }
    CHECK(pthread_create(&thread, NULL, import_again_and_again, &x[1]) == 0);
    CHECK(pthread_create(&third, NULL, ask_for_the_source, &failed) == 0);
    import_again_and_again(&x[0]);
    pthread_join(thread, NULL);
    atomic_store(&imported, true);
    pthread_join(third, NULL);
    CHECK(!failed);
    for (int i = 0; i < 2; i++) {
        CHECK(!x[i].failed);
        MPI_Comm_free(&x[i].comm);
        unlink(x[i].file);
    }
    CHECK(tutti_wisdom_import(MPI_COMM_WORLD, NULL) == MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(what_is_imported_is_taken),
        MPI_TEST(what_a_part_of_the_ranks_has_imported_counts_in_that_part),
        MPI_TEST(hints_and_what_they_forbid_go_before),
        MPI_TEST(what_is_exported_comes_back),
        MPI_TEST(what_cannot_be_read_or_written_is_an_error_on_all_ranks),
        MPI_TEST(operations_are_under_way_meanwhile),
        MPI_TEST(two_threads_import_other_files),
    };
    int failed;

    if (!mkdtemp(folder)) /* each rank has one; rank 0 uses its own */
        return 1;
    snprintf(file, sizeof file, "%s/wisdom", folder);
    failed = mpi_test_main(argc, argv, "wisdom", tests, sizeof tests / sizeof *tests);
    unlink(file);
    rmdir(folder);
    return failed;
}
