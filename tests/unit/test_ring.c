/* test_ring.c - messages through a ring: both ends in this process, in every order; and two
 * processes that race, with random messages, laps without number, and positions that wrap.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "nbc/node/ring.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

enum { MOST = 5 * RING_BLOCK };

static const uint64_t begins[] = {0, (1ull << 32) - 3000, (1ull << 48) - 5000, 0 - 5000ull};
enum { BEGINS = sizeof begins / sizeof *begins };

typedef struct pair {
    ring in, out;
    void *shared;
    size_t size;
} pair;

static pair make(ring_kind kind, uint64_t lines)
{
    pair x = {.size = ring_size(kind, lines)};

    x.shared = mmap(NULL, x.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(x.shared, MAP_FAILED);
    assert_int_equal(x.size % (2 * RING_LINE), 0);
    assert_true(ring_open(&x.in, x.shared, kind, lines, true));
    assert_true(ring_open(&x.out, x.shared, kind, lines, false));
    return x;
}

static void drop(pair *x)
{
    ring_close(&x->in);
    munmap(x->shared, x->size);
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Data that looks like stamps of positions near `at`, wherever a stamp might be looked for. */
static void fill(unsigned char *to, int64_t bytes, uint64_t at)
{
    for (int64_t i = 0; i < bytes; i++) {
        uint64_t stamp = (at + (uint64_t)i / 8 % 7 + 1) << 16 | ((uint64_t)bytes & 0xffff);
        to[i] = (unsigned char)(stamp >> 8 * (i % 8));
    }
}

static unsigned char sent[MOST], got[MOST];

static void put(pair *x, uint64_t at, int64_t bytes)
{
    fill(sent, bytes, at);
    assert_true(ring_room(&x->out, at, ring_lines(bytes)));
    ring_put(&x->out, at, sent, bytes);
}

static void get(pair *x, uint64_t at, int64_t bytes)
{
    int64_t done = 0;

    memset(got, 0xee, sizeof got);
    assert_int_equal(ring_look(&x->in, at, bytes), RING_COMPLETE);
    assert_int_equal(ring_get(&x->in, at, got, bytes, &done), RING_COMPLETE);
    fill(sent, bytes, at);
    assert_memory_equal(got, sent, (size_t)bytes);
}

static void is_empty(pair *x, uint64_t at, int64_t bytes)
{
    int64_t done = 0;

    assert_int_equal(ring_look(&x->in, at, bytes), RING_EMPTY);
    assert_int_equal(ring_get(&x->in, at, got, bytes, &done), RING_EMPTY);
    assert_int_equal(done, 0);
}

static const int64_t sizes[] = {0,     1,     8,     55,    56,    57,    111,      112,
                                113,   1008,  1023,  1024,  1025,  1088,  4096,     32767,
                                32768, 32769, 65535, 65536, 65537, 98304, 4 * 32768};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void every_length_goes_round(void **state)
{
    (void)state;
    for (int b = 0; b < BEGINS; b++) {
        ring_test_begin = begins[b];
        for (int i = 0; i < SIZES; i++) {
            uint64_t n = ring_lines(sizes[i]), lines = 8;
            while (!ring_fits(n, lines))
                lines *= 2;
            pair x = make(ring_kind_of(sizes[i]), lines);
            uint64_t at = ring_test_begin;
            for (uint64_t k = 0; k * n < 4 * lines + 6000; k++, at += n) {
                is_empty(&x, at, sizes[i]);
                put(&x, at, sizes[i]);
                get(&x, at, sizes[i]);
            }
            drop(&x);
        }
    }
    ring_test_begin = 0;
}

/* A ring that is full of small messages has no room until enough of them have been read. */
static void a_full_ring_has_no_room(void **state)
{
    pair x = make(RING_OF_LINES, 64);

    (void)state;
    for (uint64_t at = 0; at < 64; at++)
        put(&x, at, 8);
    assert_false(ring_room(&x.out, 64, 1));
    for (uint64_t at = 0; at < 15; at++) {
        get(&x, at, 8);
        assert_false(ring_room(&x.out, 64, 1));
    }
    get(&x, 15, 8);
    assert_true(ring_room(&x.out, 64, 16));
    assert_false(ring_room(&x.out, 64, 17));
    drop(&x);
}

/* What is behind a message that has not been read is not given back. */
static void messages_are_read_in_any_order(void **state)
{
    pair x = make(RING_OF_LINES, 64);

    (void)state;
    for (uint64_t at = 0; at < 63; at += 3)
        put(&x, at, 150);
    for (uint64_t at = 60; at > 0; at -= 3)
        get(&x, at, 150);
    assert_false(ring_room(&x.out, 63, 3));
    get(&x, 0, 150);
    assert_true(ring_room(&x.out, 63, 64));
    drop(&x);
}

static void messages_are_written_in_any_order(void **state)
{
    pair x = make(RING_OF_BLOCKS, 2048);
    uint64_t second = ring_lines(40000);

    (void)state;
    put(&x, second, 2000);
    is_empty(&x, 0, 40000);
    get(&x, second, 2000);
    put(&x, 0, 40000);
    get(&x, 0, 40000);
    drop(&x);
}

/* The first block is read while the second is not there yet. */
static void blocks_are_read_as_they_come(void **state)
{
    pair x = make(RING_OF_BLOCKS, 2048);
    int64_t bytes = RING_BLOCK + 100, done = 0;
    _Atomic uint64_t *stamp = &x.out.stamp[RING_BLOCK / RING_LINE];

    (void)state;
    put(&x, 0, bytes);
    uint64_t value = atomic_exchange(stamp, 0);
    assert_int_equal(ring_get(&x.in, 0, got, bytes, &done), RING_EMPTY);
    assert_int_equal(done, RING_BLOCK);
    assert_int_equal(ring_look(&x.in, 0, bytes), RING_EMPTY);
    atomic_store(stamp, value);
    assert_int_equal(ring_get(&x.in, 0, got, bytes, &done), RING_COMPLETE);
    fill(sent, bytes, 0);
    assert_memory_equal(got, sent, (size_t)bytes);
    drop(&x);
}

static void another_length_is_noticed(void **state)
{
    pair x = make(RING_OF_LINES, 64);
    int64_t done = 0;

    (void)state;
    put(&x, 0, 16);
    assert_int_equal(ring_look(&x.in, 0, 8), RING_OTHER);
    memset(got, 7, 32);
    assert_int_equal(ring_get(&x.in, 0, got, 8, &done), RING_OTHER);
    assert_int_equal(got[0], 7);
    put(&x, 1, 16);
    assert_int_equal(ring_look(&x.in, 1, 24), RING_OTHER);
    assert_int_equal(ring_get(&x.in, 1, got, 24, &done), RING_COMPLETE);
    assert_memory_equal(got, sent, 16);
    assert_int_equal(got[16], 7);
    drop(&x);
    x = make(RING_OF_BLOCKS, 2048);
    done = 0;
    put(&x, 0, 65536);
    assert_int_equal(ring_get(&x.in, 0, got, 40000, &done), RING_OTHER);
    drop(&x);
}

/* ---- two processes ---- */

/* The k-th message: mostly short, some as long as the ring takes. */
static int64_t length(ring_kind kind, uint64_t lines, uint64_t k)
{
    int64_t most = kind == RING_OF_LINES ? RING_SMALL : (int64_t)(lines / 8 * 5 * RING_LINE);
    uint64_t x = mix(k * 2 + (uint64_t)kind);

    if (most > MOST)
        most = MOST;
    if (kind == RING_OF_LINES)
        return (int64_t)(x % 8 ? x % 60 : x / 8 % (uint64_t)(most + 1));
    return RING_SMALL + 1 + (int64_t)(x / 8 % (uint64_t)(x % 8 ? 4000 : most - RING_SMALL));
}

static void write_all(pair *x, ring_kind kind, uint64_t lines, int n)
{
    uint64_t at = ring_test_begin;

    for (int k = 0; k < n; k++) {
        int64_t bytes = length(kind, lines, (uint64_t)k);
        fill(sent, bytes, at);
        while (!ring_room(&x->out, at, ring_lines(bytes)))
            sched_yield();
        ring_put(&x->out, at, sent, bytes);
        at += ring_lines(bytes);
    }
}

/* Two messages at a time: the later one first, if it is there. */
static int read_all(pair *x, ring_kind kind, uint64_t lines, int n)
{
    uint64_t at = ring_test_begin;
    int wrong = 0;

    for (int k = 0; k < n; k += 2) {
        int64_t bytes[2] = {length(kind, lines, (uint64_t)k), length(kind, lines, (uint64_t)k + 1)};
        uint64_t place[2] = {at, at + ring_lines(bytes[0])};
        bool have[2] = {false, false};
        int64_t done[2] = {0, 0};

        while (!have[0] || !have[1])
            for (int i = 1; i >= 0; i--) {
                static unsigned char partly[2][MOST];
                if (have[i] ||
                    ring_get(&x->in, place[i], partly[i], bytes[i], &done[i]) == RING_EMPTY) {
                    sched_yield();
                    continue;
                }
                have[i] = true;
                fill(sent, bytes[i], place[i]);
                wrong += memcmp(partly[i], sent, (size_t)bytes[i]) != 0;
            }
        at = place[1] + ring_lines(bytes[1]);
    }
    return wrong;
}

static void race(ring_kind kind, uint64_t lines, int n)
{
    pair x = make(kind, lines);
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
    drop(&x);
}

/* A tenth of it under sanitizers: TEST_CASES=few. */
static void two_processes_race(void **state)
{
    const char *cases = getenv("TEST_CASES");
    int times = cases && strcmp(cases, "few") == 0 ? 1 : 10;

    (void)state;
    for (int b = 0; b < BEGINS; b++) {
        ring_test_begin = begins[b];
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
        cmocka_unit_test(every_length_goes_round),
        cmocka_unit_test(a_full_ring_has_no_room),
        cmocka_unit_test(messages_are_read_in_any_order),
        cmocka_unit_test(messages_are_written_in_any_order),
        cmocka_unit_test(blocks_are_read_as_they_come),
        cmocka_unit_test(another_length_is_noticed),
        cmocka_unit_test(two_processes_race),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
