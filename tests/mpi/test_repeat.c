/* test_repeat.c - calls that are like the one before, or almost: the library takes a short way then
 * (api/repeat.c), and must not take it if anything else than the buffers has changed.
 */
#include "mpi/blocks.h"

typedef struct variant {
    int count, root;
    bool in_place, below, full, large;
} variant;

/* Each is run twice, once more behind the next one, and differs from that in one thing. */
static const variant variants[] = {
    {.count = 3},
    {.count = 3, .full = true}, /* lists of other lengths */
    {.count = 4, .full = true},
    {.count = 4, .full = true, .below = true},
    {.count = 4, .full = true, .large = true},
    {.count = 4, .full = true, .in_place = true},
    {.count = 4, .full = true, .root = 1},
    {.count = 0, .full = true, .root = 1},
};

enum { VARIANTS = sizeof variants / sizeof *variants };

static int turn;

static void run(const call_set *s, const variant *v, bool blocking)
{
    bool reduces = coll_has(s->kind, COLL_REDUCES);
    blocks b = {.kind = s->kind,
                .comm = MPI_COMM_WORLD,
                .types = &type_pairs[0],
                .reduction = reduces ? &reductions[0] : NULL,
                .count = v->count,
                .in_place = v->in_place && coll_shapes[s->kind].send != COLL_NONE,
                .below = v->below,
                .full = v->full,
                .o = {.root = coll_has(s->kind, COLL_ROOTED) ? v->root % world_size : 0}};
    bool large = v->large && s->run[1];
    MPI_Request r = MPI_REQUEST_NULL;

    mpi_test_context("%s %s, variant %d", coll_kind_name(s->kind), s->algorithm,
                     (int)(v - variants));
    blocks_open(&b);
    blocks_fill(&b, turn++);
    if (blocking) {
        CHECK(calls_run(s, large, &b.args) == MPI_SUCCESS);
    } else {
        CHECK(calls_start(s, large, &b.args, &r) == MPI_SUCCESS);
        CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    }
    CHECK(blocks_are_right(&b));
    blocks_close(&b);
}

static void the_short_way_is_for_equal_calls_only(void)
{
    type_pairs_make();
    reductions_make();
    for (int i = 0; i < call_set_count; i++) {
        const call_set *s = &call_sets[i];
        const reduction *r = coll_has(s->kind, COLL_REDUCES) ? &reductions[0] : NULL;

        for (int k = 0; k < VARIANTS && calls_serve(s, world_size, r); k++) {
            run(s, &variants[k], k % 2);
            run(s, &variants[k], (k + 1) % 2);
            run(s, &variants[(k + 1) % VARIANTS], false);
            run(s, &variants[k], false);
        }
    }
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(the_short_way_is_for_equal_calls_only),
    };

    return mpi_test_main(argc, argv, "repeat", tests, sizeof tests / sizeof *tests);
}
