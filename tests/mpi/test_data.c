/* SPDX-License-Identifier: BSD-3-Clause */
/* test_data.c - every call of every collective against the oracle and against the blocking native
 * collective.
 *
 * Cases: types (or operations) x counts x blocking, non-blocking, persistent x in place x int or
 * large counts x negative displacements x roots; any two values of two of them meet in some case of
 * each algorithm. TEST_CASES=many takes more of them, and larger blocks. The data changes before
 * every operation; both buffers are compared whole, so gaps that are overwritten are seen.
 *
 * With PLAIN defined it is a program that knows nothing of Tutti, run under libtutti_mpi.so: its
 * calls are those of the MPI, with native ones (PMPI_) between them.
 */
#include "mpi/blocks.h"
#include "mpi/cover.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { STARTS = 4 };
enum { WHAT, COUNT, FORM, IN_PLACE, LARGE, BELOW, ROOT, DIMENSIONS };
enum { BLOCKING, NONBLOCKING, PERSIST, FORMS };

static const int counts[] = {0, 1, 5, 300, 3000, 9000};
static int turn;

static bool are_many(void)
{
    const char *cases = getenv("TEST_CASES");

    return cases && strcmp(cases, "many") == 0;
}

/* Where nodes are made up, those that look at them; elsewhere on many ranks those that do not. */
static bool serves(const call_set *s, int p, const reduction *r)
{
    bool regional = calls_are_regional(s);

    if (getenv("TUTTI_REGIONS") ? !regional : regional && world_size > 2)
        return false;
    return calls_serve(s, p, r);
}

/* ---- one case ---- */

static void run_blocking(const call_set *s, bool large, blocks *b)
{
    blocks_fill(b, turn++);
    CHECK(calls_run(s, large, &b->args) == MPI_SUCCESS);
    CHECK(blocks_are_right(b));
}

/* Twice: the second one finds its plan. */
static void run_nonblocking(const call_set *s, bool large, blocks *b)
{
    MPI_Request r = MPI_REQUEST_NULL;

    for (int round = 0; round < 2; round++) {
        blocks_fill(b, turn++);
        CHECK(calls_start(s, large, &b->args, &r) == MPI_SUCCESS);
        CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(r == MPI_REQUEST_NULL);
        CHECK(blocks_are_right(b));
    }
}

static void run_persistent(const call_set *s, bool large, blocks *b)
{
    persistent r = PERSISTENT_NULL;
    int flag;

    memset(b->send.buffer, 0x11, (size_t)b->send.bytes);
    CHECK(calls_init(s, large, &b->args, MPI_INFO_NULL, &r) == MPI_SUCCESS);
    if (large)
        blocks_spoil_lists(b);
    for (int round = 0; round < STARTS; round++) {
        blocks_fill(b, turn++);
        CHECK(persistent_start(&r) == MPI_SUCCESS);
        for (flag = round % 2; !flag;)
            CHECK(persistent_test(&r, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(persistent_wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(blocks_are_right(b));
    }
    CHECK(persistent_free(&r) == MPI_SUCCESS);
    CHECK(r == PERSISTENT_NULL);
}

/* Not so on MPICH 4.0.2: allgatherv on one rank; operations that do not commute, on elements with
 * gaps, scattered among a power of two of ranks; messages of over 8 KiB that ranks between pack, of
 * types that mix basic ones: at most half of all blocks. */
static bool native_is_right(const blocks *b)
{
#ifndef OPEN_MPI
    coll_kind family = coll_shapes[b->kind].family;
    MPI_Aint lb, extent;
    int size;

    MPI_Type_get_extent(b->native.recv.type, &lb, &extent);
    MPI_Type_size(b->native.recv.type, &size);
    if (family == COLL_reduce_scatter && b->reduction->noncommutative)
        return extent == size || (b->p & (b->p - 1)) != 0;
    if (b->kind == COLL_scatter || b->kind == COLL_gather)
        return strcmp(b->types->name, "record") != 0 || b->count * size * ((b->p + 1) / 2) <= 8192;
#endif
    return b->p > 1;
}

static void run_case(const call_set *s, MPI_Comm comm, const int *at)
{
    static void (*const run[FORMS])(const call_set *, bool,
                                    blocks *) = {run_blocking, run_nonblocking, run_persistent};
    static const char *const forms[FORMS] = {"blocking", "non-blocking", "persistent"};
    bool reduces = coll_has(s->kind, COLL_REDUCES);
    blocks b = {.kind = s->kind,
                .comm = comm,
                .types = &type_pairs[reduces ? 0 : at[WHAT]],
                .reduction = reduces ? &reductions[at[WHAT]] : NULL,
                .count = counts[at[COUNT]],
                .in_place = at[IN_PLACE],
                .below = at[BELOW],
                .o = {.root = at[ROOT]}};

    if (!serves(s, world_size, b.reduction))
        return;
    mpi_test_context("%s %s, %s, %s%s, count %d%s%s, root %d", coll_kind_name(s->kind),
                     s->algorithm, forms[at[FORM]], reduces ? b.reduction->name : b.types->name,
                     at[LARGE] ? " _c" : "", b.count, b.in_place ? " in place" : "",
                     b.below ? " below 0" : "", at[ROOT]);
    blocks_open(&b);
    run[at[FORM]](s, at[LARGE], &b);
    blocks_fill(&b, turn++);
    CHECK(!native_is_right(&b) || blocks_native_agrees(&b));
    blocks_close(&b);
}

/* ---- all cases ---- */

static void sizes_of(const call_set *s, int p, int sizes[DIMENSIONS])
{
    const coll_shape *shape = &coll_shapes[s->kind];
    bool data = shape->recv != COLL_NONE;

    sizes[WHAT] = !data ? 1 : coll_has(s->kind, COLL_REDUCES) ? reduction_count : type_pair_count;
    sizes[COUNT] = !data ? 1 : are_many() ? 6 : 5;
    sizes[FORM] = FORMS;
    sizes[IN_PLACE] = shape->send == COLL_NONE ? 1 : 2;
    sizes[LARGE] = s->run[1] ? 2 : 1;
    sizes[BELOW] = coll_is_v(s->kind) ? 2 : 1;
    sizes[ROOT] = coll_has(s->kind, COLL_ROOTED) ? p : 1;
}

static void run_cases(const call_set *s, MPI_Comm comm, unsigned seed)
{
    static int cases[COVER_MOST][COVER_DIMENSIONS];
    int sizes[DIMENSIONS], p, n;

    MPI_Comm_size(comm, &p);
    if (!serves(s, p, NULL))
        return;
    sizes_of(s, p, sizes);
    n = cover_pairs(DIMENSIONS, sizes, seed, cases);
    for (int i = (int)seed % mpi_test_stride(); i < n; i += mpi_test_stride())
        run_case(s, comm, cases[i]);
}

static void types_make(void)
{
    type_pairs_make();
    reductions_make();
}

static void every_call_does_what_the_oracle_says(void)
{
    for (unsigned round = 0; round < (are_many() ? 3 : 1); round++)
        for (int i = 0; i < call_set_count; i++)
            run_cases(&call_sets[i], MPI_COMM_WORLD, 100 * round + (unsigned)i);
}

/* Halves of the world, in reversed order of ranks: each with data and roots of its own. */
static void subcommunicators_work_side_by_side(void)
{
    MPI_Comm half;
    int p;

    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &half);
    MPI_Comm_size(half, &p);
    for (int i = 0; i < call_set_count; i++)
        for (int form = 0; form < FORMS && serves(&call_sets[i], p, NULL); form++) {
            int sizes[DIMENSIONS], at[COVER_DIMENSIONS];
            sizes_of(&call_sets[i], p, sizes);
            for (int d = 0; d < DIMENSIONS; d++)
                at[d] = (form + i + world_rank % 2) % sizes[d];
            at[FORM] = form;
            run_case(&call_sets[i], half, at);
        }
    MPI_Comm_free(&half);
}

/* ---- sums that depend on their order ---- */

static bool same_everywhere(const double *x, int n)
{
    double *first = malloc((size_t)n * sizeof *first);
    int equal, all;

    memcpy(first, x, (size_t)n * sizeof *first);
    PMPI_Bcast(first, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    equal = memcmp(first, x, (size_t)n * sizeof *first) == 0;
    PMPI_Allreduce(&equal, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    free(first);
    return all;
}

static bool are_close(const double *x, const double *y, int n)
{
    int wrong = 0;

    for (int i = 0; i < n; i++)
        wrong += !(x[i] - y[i] < 1e-9 && y[i] - x[i] < 1e-9);
    return wrong == 0;
}

/* The last rank is the root. */
static call_args sum_args(double *mine, double *sum, int *counts, int n)
{
    call_args a = {.send = {.buffer = mine, .type = MPI_DOUBLE, .count = n},
                   .recv = {.buffer = sum, .type = MPI_DOUBLE, .count = n},
                   .root = world_size - 1,
                   .op = MPI_SUM,
                   .comm = MPI_COMM_WORLD};

    a.send.list.narrow_counts = a.recv.list.narrow_counts = counts;
    for (int i = 0; i < world_size; i++)
        counts[i] = n;
    for (int i = 0; i < n * world_size; i++)
        mine[i] = 1.0 / (1 + i + 7 * world_rank) - (world_rank % 2 ? 0.3 : 0);
    return a;
}

/* Every start gives the bits of the first one, on all ranks that get the same. */
static void sum_doubles(const call_set *s, int n)
{
    double *mine = malloc((size_t)(n * world_size) * sizeof *mine);
    double *sum = malloc((size_t)n * sizeof *sum), *first = calloc((size_t)n, sizeof *first);
    int *counts = malloc((size_t)world_size * sizeof *counts);
    call_args a = sum_args(mine, first, counts, n);
    persistent r = PERSISTENT_NULL;

    mpi_test_context("%s %s, %d doubles", coll_kind_name(s->kind), s->algorithm, n);
    CHECK(calls_native(s->kind, &a) == MPI_SUCCESS);
    a.recv.buffer = sum;
    CHECK(calls_init(s, false, &a, MPI_INFO_NULL, &r) == MPI_SUCCESS);
    for (int start = 0; start < 3 * STARTS; start++) {
        memset(sum, 0, (size_t)n * sizeof *sum);
        CHECK(persistent_start(&r) == MPI_SUCCESS);
        CHECK(persistent_wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        if (start == 0) {
            CHECK(are_close(sum, first, n)); /* zeros where nothing is received */
            CHECK(!oracle_is_common(s->kind) || same_everywhere(sum, n));
            memcpy(first, sum, (size_t)n * sizeof *sum);
        }
        CHECK(memcmp(sum, first, (size_t)n * sizeof *sum) == 0);
    }
    CHECK(persistent_free(&r) == MPI_SUCCESS);
    free(counts);
    free(first);
    free(sum);
    free(mine);
}

static void sums_of_doubles_have_the_same_bits_everywhere_and_always(void)
{
    for (int i = 0; i < call_set_count; i++)
        for (int n = 1; n < 10000 && coll_has(call_sets[i].kind, COLL_REDUCES); n *= 19)
            if (serves(&call_sets[i], world_size, NULL))
                sum_doubles(&call_sets[i], n);
}

/* ---- collectives without data ---- */

/* Every rank adds one to a number that all see: after the call all have. */
static void wait_for_all(const call_set *s, atomic_int *arrived)
{
    static const struct timespec pause = {.tv_nsec = 2000000};
    call_args a = {.comm = MPI_COMM_WORLD, .op = MPI_OP_NULL};
    MPI_Request r = MPI_REQUEST_NULL;
    persistent p = PERSISTENT_NULL;

    mpi_test_context("%s %s", coll_kind_name(s->kind), s->algorithm);
    CHECK(calls_init(s, false, &a, MPI_INFO_NULL, &p) == MPI_SUCCESS);
    for (int round = 0; round < 30; round++) {
        if (world_rank == round % world_size) /* the others would be gone by now */
            nanosleep(&pause, NULL);
        atomic_fetch_add(arrived, 1);
        if (round % FORMS == BLOCKING)
            CHECK(calls_run(s, false, &a) == MPI_SUCCESS);
        else if (round % FORMS == NONBLOCKING)
            CHECK(calls_start(s, false, &a, &r) == MPI_SUCCESS &&
                  MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        else
            CHECK(persistent_start(&p) == MPI_SUCCESS &&
                  persistent_wait(&p, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(atomic_load(arrived) >= (round + 1) * world_size);
        PMPI_Barrier(MPI_COMM_WORLD);
    }
    CHECK(persistent_free(&p) == MPI_SUCCESS);
    PMPI_Barrier(MPI_COMM_WORLD);
    atomic_store(arrived, 0);
    PMPI_Barrier(MPI_COMM_WORLD);
}

/* A number in memory that all ranks share, 0 at first. Not by MPI_Win_allocate_shared: Debian's
 * MPICH 5.0.2 takes each process for a node of its own. */
static atomic_int *share_number(void)
{
    int file = -1, pid = (int)getpid();
    char name[40];
    atomic_int *number;

    MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(name, sizeof name, "/tutti-test-%d", pid);
    if (world_rank == 0) {
        file = shm_open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
        CHECK(file >= 0 && ftruncate(file, sizeof *number) == 0);
    }
    PMPI_Barrier(MPI_COMM_WORLD);
    if (world_rank > 0)
        file = shm_open(name, O_RDWR, 0600);
    number = mmap(NULL, sizeof *number, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(number != MAP_FAILED);
    PMPI_Barrier(MPI_COMM_WORLD);
    if (world_rank == 0)
        shm_unlink(name);
    close(file);
    return number;
}

static void nobody_leaves_a_barrier_before_all_have_come(void)
{
    atomic_int *arrived = share_number();

    for (int i = 0; arrived != MAP_FAILED && i < call_set_count; i++)
        if (coll_shapes[call_sets[i].kind].recv == COLL_NONE)
            wait_for_all(&call_sets[i], arrived);
    if (arrived != MAP_FAILED)
        munmap(arrived, sizeof *arrived);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(types_make), /* needs MPI: so it comes as the first test */
        MPI_TEST(every_call_does_what_the_oracle_says),
        MPI_TEST(subcommunicators_work_side_by_side),
        MPI_TEST(sums_of_doubles_have_the_same_bits_everywhere_and_always),
        MPI_TEST(nobody_leaves_a_barrier_before_all_have_come),
    };

    return mpi_test_main(argc, argv, "data", tests, sizeof tests / sizeof *tests);
}
