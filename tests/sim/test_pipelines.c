/* test_pipelines.c - algorithms that send a vector piece by piece: rounds, counted with one message
 * at a time on each port of a rank, and who sends and receives how much.
 *
 * usage: test_pipelines
 */
#include "sim/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct flow {
    int64_t in[MACHINE_MOST];
    int messages[MACHINE_MOST];
} flow;

static void count_flow(void *context, int from, int to, int64_t size)
{
    flow *f = context;

    (void)from;
    f->in[to] += size;
    f->messages[to]++;
}

/* Two items a piece. */
static sim_result run_pieces(coll_kind kind, const char *name, int p, int pieces, int root, flow *f,
                             critical_path *path)
{
    *f = (flow){.in = {0}};
    return coll_run_do((coll_run){.a = find(kind, name),
                                  .kind = kind,
                                  .p = p,
                                  .count = 2 * pieces,
                                  .root = root,
                                  .parameter = pieces,
                                  .sends = SIM_MIXED,
                                  .seed = (uint64_t)(p + pieces),
                                  .traffic = count_flow,
                                  .context = f,
                                  .path = path});
}

/* So many rounds, and everybody but the root receives every piece once. */
static void check_bcast(const char *name, int p, int pieces, int root, int rounds, int most)
{
    static flow f;
    critical_path path;
    sim_result r = run_pieces(COLL_bcast, name, p, pieces, root, &f, &path);

    if (path.on_ports != rounds || r.max_messages != most)
        fail_msg("%s:%d p %d root %d: %d rounds, %d messages", name, pieces, p, root,
                 (int)path.on_ports, r.max_messages);
    for (int i = 0; i < p; i++) {
        assert_int_equal(f.messages[i], i == root ? 0 : pieces);
        assert_int_equal(f.in[i], i == root ? 0 : 2 * pieces);
    }
}

static void check_both(int p, int pieces, int root)
{
    check_bcast("chain", p, pieces, root, pieces + p - 2, pieces);
}

static void pieces_of_a_bcast_take_the_rounds_of_the_papers(void **state)
{
    (void)state;
    for (int p = 2; p <= 16; p++)
        for (int pieces = 1; pieces <= 12; pieces++)
            for (int root = 0; root < p; root++)
                check_both(p, pieces, root);
    for (int p = 17; p <= 70; p++)
        for (int pieces = 1; pieces <= 70; pieces += 1 + pieces / 3)
            check_both(p, pieces, p / 3);
    check_both(255, 100, 254);
}

static void there_may_be_more_pieces_than_ranks(void **state)
{
    const algo *a = find(COLL_bcast, "chain");

    (void)state;
    assert_int_equal(algo_parameter_for(a, 0, 3), 32);
    assert_int_equal(algo_parameter_for(a, 1, 64), 1);
    assert_int_equal(algo_parameter_for(a, 1000, 3), 1000);
    assert_int_equal(algo_parameter_for(a, 1 << 30, 3), PIECES_MOST);
    assert_int_equal(algo_parameter_for(a, -1, 3), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_of_a_bcast_take_the_rounds_of_the_papers),
        cmocka_unit_test(there_may_be_more_pieces_than_ranks),
    };

    return cmocka_run_group_tests_name("pipelines", tests, NULL, NULL);
}
