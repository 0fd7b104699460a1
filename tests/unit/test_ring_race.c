/* SPDX-License-Identifier: BSD-3-Clause */
/* test_ring_race.c - two processes that race, one at each end of a ring: random messages, many
 * times around the ring, and positions that wrap. */
#include "unit/ring_pair.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* The k-th message: mostly short, some as long as the ring takes, or longer. */
static int64_t length(ring_kind kind, uint64_t lines, uint64_t k)
{
    int64_t most = kind == RING_OF_LINES ? RING_SMALL : (int64_t)(lines / 8 * 5 * RING_LINE);
    uint64_t x = mix(k * 2 + (uint64_t)kind);

    if (most > MOST || (kind == RING_OF_BLOCKS && lines >= RING_STREAM))
        most = MOST;
    if (kind == RING_OF_LINES)
        return (int64_t)(x % 8 ? x % 60 : x / 8 % (uint64_t)(most + 1));
    return RING_SMALL + 1 + (int64_t)(x / 8 % (uint64_t)(x % 8 ? 4000 : most - RING_SMALL));
}

static void write_all(pair *x, ring_kind kind, uint64_t lines, int n)
{
    uint64_t at = ring_test_begin;

    for (int k = 0; k < n; k++) {
        int64_t bytes = length(kind, lines, (uint64_t)k), done = 0;
        fill(sent, bytes, at);
        while (!ring_put(&x->out, at, sent, bytes, false, &done))
            sched_yield();
        at += lines_of(bytes);
    }
}

/* Two messages at a time: the later one first, if it is there. */
static int read_all(pair *x, ring_kind kind, uint64_t lines, int n)
{
    uint64_t at = ring_test_begin;
    int wrong = 0;

    for (int k = 0; k < n; k += 2) {
        int64_t bytes[2] = {length(kind, lines, (uint64_t)k), length(kind, lines, (uint64_t)k + 1)};
        uint64_t position[2] = {at, at + lines_of(bytes[0])};
        bool have[2] = {false, false};
        ring_progress so[2] = {{0}, {0}};

        while (!have[0] || !have[1])
            for (int i = 1; i >= 0; i--) {
                static unsigned char partly[2][MOST];
                if (have[i] ||
                    take(&x->in, position[i], partly[i], bytes[i], &so[i]) == RING_EMPTY) {
                    sched_yield();
                    continue;
                }
                have[i] = true;
                fill(sent, bytes[i], position[i]);
                wrong += memcmp(partly[i], sent, (size_t)bytes[i]) != 0;
            }
        at = position[1] + lines_of(bytes[1]);
    }
    return wrong;
}

static void race(ring_kind kind, uint64_t lines, int n)
{
    pair x = pair_make(kind, lines);
    int status = -1;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        write_all(&x, kind, lines, n);
        _exit(0);
    }
    assert_int_equal(read_all(&x, kind, lines, n), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    pair_drop(&x);
}

/* A tenth of it under sanitizers: TEST_CASES=few. */
static void two_processes_race(void **state)
{
    const char *cases = getenv("TEST_CASES");
    int times = cases && strcmp(cases, "few") == 0 ? 1 : 10;

    (void)state;
    for (int b = 0; b < BEGINS; b++) {
        ring_test_begin = ring_begins[b];
        race(RING_OF_LINES, 64, 10000 * times);
        race(RING_OF_LINES, 1024, 10000 * times);
        race(RING_OF_BLOCKS, 128, 2000 * times);
        race(RING_OF_BLOCKS, 2048, 1000 * times);
    }
    ring_test_begin = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_processes_race),
    };

    return cmocka_run_group_tests_name("ring_race", tests, NULL, NULL);
}
