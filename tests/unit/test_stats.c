/* SPDX-License-Identifier: BSD-3-Clause */
/* test_stats.c - the table of statistics when it is full, as only long programs fill it; and whose
 * time is counted. The locks and the MPI are not there. */
#include "nbc/process/clock.h"
#include "nbc/process/process.h"
#include "nbc/process/role.h"
#include "nbc/stats/stats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

_Thread_local role role_now;

void process_lock(void)
{
}

void process_unlock(void)
{
}

int PMPI_Comm_get_name(MPI_Comm comm, char *name, int *length)
{
    (void)comm;
    *name = '\0';
    *length = 0;
    return MPI_SUCCESS;
}

static stats_key key_of(int k)
{
    return (stats_key){.parameter = k};
}

static int64_t without_row(void)
{
    stats_table t;
    int64_t n;

    assert_true(stats_all(&t));
    assert_true(t.nrows <= STATS_ROWS);
    n = t.without_row;
    stats_free(&t);
    return n;
}

static int fill(void **state)
{
    (void)state;
    for (int k = 0; k < STATS_ROWS; k++) {
        stats_call call = {.form = STATS_FORM_BLOCKING, .key = key_of(k)};
        stats_end(&call, &(stats_traffic){0});
    }
    return 0;
}

static int clear(void **state)
{
    (void)state;
    stats_clear();
    return 0;
}

static void a_call_beyond_the_table_is_counted_in_a_number(void **state)
{
    stats_call call = {.form = STATS_FORM_BLOCKING, .key = key_of(STATS_ROWS)};
    int64_t before = without_row();

    (void)state;
    stats_end(&call, &(stats_traffic){0});
    stats_left(&call);
    assert_int_equal(without_row() - before, 2);
}

/* Also those that were left to the MPI. */
static void all_calls_of_another_rank_beyond_the_table_are_counted(void **state)
{
    stats_row rows[] = {{.key = key_of(0), .most = {.calls = {1, 2, 3}, .left = 40}},
                        {.key = key_of(-1), .most = {.calls = {1, 2, 3}, .left = 40}}};
    int64_t before = without_row();

    (void)state;
    stats_merge(&(stats_table){.row = rows, .nrows = 2, .without_row = 500});
    assert_int_equal(without_row() - before, 546);
}

/* Seconds inside of calls, of an operation during which `who` polls for a while. */
static double inside_while_polled_by(role who)
{
    stats_call call = {.form = STATS_FORM_NONBLOCKING, .key = key_of(0)};
    stats_table t;
    double inside = 0, from;

    stats_clear();
    stats_enter();
    stats_begin(&call);
    stats_leave(MPI_SUCCESS);
    role_now = who;
    stats_poll_begin();
    for (from = clock_now(); clock_now() - from < 1e-3;)
        ;
    stats_poll_end();
    role_now = ROLE_PROGRAM;
    stats_end(&call, &(stats_traffic){0});
    assert_true(stats_all(&t));
    for (int i = 0; i < t.nrows; i++)
        inside += t.row[i].sum.inside;
    stats_free(&t);
    return inside;
}

static void what_the_progress_thread_does_is_not_inside_of_a_call(void **state)
{
    (void)state;
    assert_true(inside_while_polled_by(ROLE_PROGRAM) >= 1e-3);
    assert_true(inside_while_polled_by(ROLE_THREAD) < 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_beyond_the_table_is_counted_in_a_number),
        cmocka_unit_test(all_calls_of_another_rank_beyond_the_table_are_counted),
        cmocka_unit_test(what_the_progress_thread_does_is_not_inside_of_a_call),
    };

    return cmocka_run_group_tests(tests, fill, clear);
}
