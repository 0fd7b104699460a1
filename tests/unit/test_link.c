/* SPDX-License-Identifier: BSD-3-Clause */
/* test_link.c - messages that share a link: who ends when. */
#include "between.h"
#include "tune/link.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { MIB = 1 << 20, FLOWS = 100 };

static link_flow flows[FLOWS];

/* A MiB alone takes 1000 ps; together they get twice of what one gets. */
static tune_link fresh(void)
{
    return (tune_link){.alone = 1000, .shared = 500, .flow = flows};
}

static void ends(tune_link *l, int64_t at, int id)
{
    assert_int_equal(link_next(l), at);
    assert_int_equal(link_end(l, at), id);
}

static void one_is_as_fast_as_it_can(void **state)
{
    tune_link l = fresh();

    (void)state;
    link_add(&l, 7, 3 * MIB, 1, false);
    ends(&l, 3007, 1);
    assert_int_equal(l.n, 0);
    assert_int_equal(l.bytes, 3 * MIB);
    link_add(&l, 10000, 0, 2, false);
    ends(&l, 10000, 2);
}

static void all_are_equally_fast(void **state)
{
    tune_link l = fresh();

    (void)state;
    for (int i = 0; i < 4; i++)
        link_add(&l, 0, MIB, i, false);
    assert_int_equal(link_next(&l), 2000);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(link_next(&l), 2000);
        link_end(&l, 2000);
    }
}

/* A short one that comes later is over before; who is left goes faster then. */
static void shares_change_with_their_number(void **state)
{
    tune_link l = {.alone = 1000, .shared = 1000, .flow = flows};

    (void)state;
    link_add(&l, 0, 2 * MIB, 1, false); /* half of it by 1000 */
    link_add(&l, 1000, MIB / 2, 2, false);
    ends(&l, 2000, 2); /* a quarter more of the first one by then */
    ends(&l, 2500, 1);
}

static void they_end_in_the_order_of_what_is_left(void **state)
{
    tune_link l = fresh();
    int64_t before = 0;

    (void)state;
    for (int i = 0; i < FLOWS; i++)
        link_add(&l, 0, (int64_t)(i * 37 % FLOWS) * 1000, i, false);
    for (int i = 0; i < FLOWS; i++) {
        int64_t at = link_next(&l);
        assert_true(at >= before);
        assert_int_equal(link_end(&l, at) * 37 % FLOWS, i);
        before = at;
    }
    assert_int_equal(l.n, 0);
    /* all of it, at the rate of all together, but for the last ones that go alone */
    assert_between(before, l.bytes / MIB * 500, (l.bytes / MIB + 2) * 500);
}

/* Out of a node and into it, a MiB in 1000 ps; in 1500 if long ones go both ways. */
static link_flow more_flows[FLOWS];

static void two_ways(tune_link *out, tune_link *in)
{
    *out = (tune_link){.alone = 1000, .shared = 1000, .both = 1500, .flow = flows, .back = in};
    *in = (tune_link){.alone = 1000, .shared = 1000, .both = 1500, .flow = more_flows, .back = out};
}

static void long_ones_are_slower_while_others_come_the_other_way(void **state)
{
    tune_link out, in;

    (void)state;
    two_ways(&out, &in);
    link_add(&out, 0, 2 * MIB, 1, true); /* half of it by 1000 */
    link_add(&in, 1000, MIB, 2, true);
    ends(&in, 2500, 2);
    assert_int_equal(in.nlong, 0);
    assert_int_equal(link_end(&out, link_next(&out)), 1);
    assert_between(out.at, 2500, 2502);
    link_add(&out, 3000, MIB, 3, true); /* alone again */
    ends(&out, 4000, 3);
}

static void short_ones_the_other_way_make_nothing_slower(void **state)
{
    tune_link out, in;

    (void)state;
    two_ways(&out, &in);
    link_add(&out, 0, MIB, 1, true);
    link_add(&in, 0, MIB, 2, false);
    ends(&out, 1000, 1);
    ends(&in, 1000, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_is_as_fast_as_it_can),
        cmocka_unit_test(all_are_equally_fast),
        cmocka_unit_test(shares_change_with_their_number),
        cmocka_unit_test(they_end_in_the_order_of_what_is_left),
        cmocka_unit_test(long_ones_are_slower_while_others_come_the_other_way),
        cmocka_unit_test(short_ones_the_other_way_make_nothing_slower),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
