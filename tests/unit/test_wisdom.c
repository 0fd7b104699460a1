/* SPDX-License-Identifier: BSD-3-Clause */
/* test_wisdom.c - wisdom: what is kept is what was learned, and what is damaged, foreign or cut off
 * is not trusted; shapes tell machines apart.
 *
 * The linker puts __wrap_malloc and so on in the place of malloc (tests/CMakeLists.txt).
 */
#define _XOPEN_SOURCE 700 /* mkdtemp, popen */
#include "topo/shape.h"
#include "tune/size.h"
#include "tune/wisdom_file.h"
#include "tune/wisdom_pick.h"
#include "tune/wisdom_text.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static const char mpi[] = "MPICH 4.0.2";

static long left = -1; /* allocations until one fails; -1: none does */

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);

static bool fails(void)
{
    return left >= 0 && left-- == 0;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

/* ---- verdicts ---- */

/* Of an allreduce. */
static verdict verdict_of(int p, int64_t bytes, const char *shape, const char *name)
{
    coll c = {.kind = COLL_allreduce, .p = p};
    verdict v = {.key = wisdom_key_of(&c, bytes, shape), .ns = 12500, .starts = 30};

    assert_true(select_parse(COLL_allreduce, name, p, bytes, &v.choice));
    return v;
}

static void add(wisdom *w, int p, int64_t bytes, const char *shape, const char *name)
{
    verdict v = verdict_of(p, bytes, shape, name);

    assert_null(wisdom_add(w, &v));
}

static wisdom *few(void)
{
    wisdom *w = wisdom_make();

    assert_non_null(w);
    add(w, 64, 4096, "node:8", "lane:ring,block");
    add(w, 4, 0, "one-place", "recursive_doubling");
    return w;
}

static bool same_choice(const choice *a, const choice *b)
{
    return a->algo == b->algo && a->form == b->form && a->parameter == b->parameter &&
           a->variant == b->variant && a->order == b->order;
}

/* All of a is in b. timed: with its times. */
static void assert_has(wisdom *b, wisdom *a, bool timed)
{
    for (const verdict *v = NULL; (v = wisdom_next(a, v));) {
        const verdict *found = wisdom_find(b, &v->key);
        assert_non_null(found);
        assert_true(same_choice(&found->choice, &v->choice));
        assert_int_equal(found->ns, timed ? v->ns : 0);
        assert_int_equal(found->starts, timed ? v->starts : 0);
    }
    assert_int_equal(wisdom_count(a), wisdom_count(b));
}

/* Each algorithm in all its forms, variants, orders, and three parameters. */
static int add_all_of(wisdom *w, int which, int number)
{
    const algo *a = algo_table[which];
    const algo_parameter *known = &a->parameter;
    int n = 0;

    for (int k = 0; a->variants ? a->variants[k] != NULL : k == 0; k++)
        for (int form = FORM_STEP; form <= (a->has_forms ? FORM_BLOCK : FORM_STEP); form++)
            for (int order = 0; order < (a->orders ? (int)ORDERS : 1); order++)
                for (int value = 0; value < (known->name ? 3 : 1); value++) {
                    coll c = {.kind = a->kind, .p = 64, .in_place = n % 2};
                    verdict v = {.key = wisdom_key_of(&c, 0, "node:8"), .ns = 1 + n, .starts = 7};
                    int parameter = value ? known->least + 3 * value : 0;
                    v.key.class = (number + n) % SIZE_CLASSES;
                    v.key.p = 64 << (number + n++) / SIZE_CLASSES;
                    v.choice = (choice){.algo = which,
                                        .form = (coll_form)form,
                                        .variant = k,
                                        .order = (coll_order)order,
                                        .parameter = algo_parameter_for(a, parameter, v.key.p)};
                    if (!algo_refuses(a, &(coll){.kind = a->kind, .p = v.key.p}))
                        assert_null(wisdom_add(w, &v));
                }
    return n;
}

static wisdom *every_algorithm(void)
{
    wisdom *w = wisdom_make();
    int n = 0;

    for (int i = 0; i < algo_count; i++)
        n += add_all_of(w, i, n);
    assert_true(wisdom_count(w) >= (size_t)algo_count);
    return w;
}

/* ---- text ---- */

enum { TEXT = 1 << 18 };

static size_t print(wisdom *w, char *text)
{
    FILE *out = fmemopen(text, TEXT, "w");
    long n;

    assert_true(wisdom_write(out, w, mpi));
    n = ftell(out);
    fclose(out);
    return (size_t)n;
}

static wisdom *read_bytes(const char *bytes, size_t n, const char *of, char why[200])
{
    FILE *in = n ? fmemopen((void *)(uintptr_t)bytes, n, "r") : fopen("/dev/null", "r");
    wisdom *w;

    assert_non_null(in);
    strcpy(why, "");
    w = wisdom_read(in, of, why, 200);
    fclose(in);
    assert_true(w || why[0]);
    assert_null(strchr(why, '\n'));
    return w;
}

static void what_is_written_can_be_read(void **state)
{
    static char text[TEXT], again[TEXT];
    char why[200];
    wisdom *w = every_algorithm(), *back;
    size_t n = print(w, text);

    (void)state;
    back = read_bytes(text, n, mpi, why);
    if (!back)
        fail_msg("%s", why);
    assert_has(back, w, true);
    assert_int_equal(print(back, again), n);
    assert_memory_equal(text, again, n);
    wisdom_free(w);
    wisdom_free(back);
}

static void an_empty_one_and_all_sizes_can_be_read(void **state)
{
    static char text[TEXT];
    char why[200];
    wisdom *w = wisdom_make(), *back;

    (void)state;
    back = read_bytes(text, print(w, text), mpi, why);
    assert_int_equal(wisdom_count(back), 0);
    wisdom_free(back);
    for (int class = 0; class < SIZE_CLASSES; class ++)
        add(w, 3, size_least(class), "node:2,1", "ring");
    assert_int_equal(wisdom_count(w), SIZE_CLASSES);
    back = read_bytes(text, print(w, text), mpi, why);
    assert_has(back, w, true);
    wisdom_free(back);
    wisdom_free(w);
}

static void cut_off_anywhere_it_is_refused(void **state)
{
    static char text[TEXT];
    char why[200];
    wisdom *w = few();
    size_t n = print(w, text);

    (void)state;
    for (size_t k = 0; k < n; k++)
        assert_null(read_bytes(text, k, mpi, why));
    wisdom_free(w);
}

static void with_any_bit_changed_it_is_refused(void **state)
{
    static char text[TEXT];
    char why[200];
    wisdom *w = few();
    size_t n = print(w, text);

    (void)state;
    for (size_t k = 0; k < 8 * n; k++) {
        text[k / 8] ^= (char)(1 << k % 8);
        assert_null(read_bytes(text, n, mpi, why));
        text[k / 8] ^= (char)(1 << k % 8);
    }
    wisdom_free(w);
}

/* The text of `few` with one part replaced, and edited or not. */
static wisdom *changed(const char *part, const char *by, bool edited, char why[200])
{
    static char text[TEXT], other[TEXT];
    wisdom *w = few();
    const char *at;
    int length;

    print(w, text);
    wisdom_free(w);
    if (edited)
        strcpy(strstr(text, "\nend "), "\nend 2 edited\n");
    assert_non_null(at = strstr(text, part));
    length =
        snprintf(other, sizeof other, "%.*s%s%s", (int)(at - text), text, by, at + strlen(part));
    return read_bytes(other, (size_t)length, mpi, why);
}

static void refused(const char *part, const char *by, const char *reason)
{
    char why[200];

    if (changed(part, by, true, why))
        fail_msg("\"%s\" for \"%s\" is not refused", by, part);
    if (!strstr(why, reason))
        fail_msg("%s: \"%s\", not \"%s\"", by, why, reason);
}

static void what_is_wrong_is_refused(void **state)
{
    char longest[WISDOM_LINE + 1];

    (void)state;
    memset(longest, '#', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    refused("wisdom 1", "wisdom 2", "begins with `tutti wisdom 1`");
    refused("version ", "version 1", "line 2 (version 1");
    refused("MPICH 4.0.2", "MPICH 4.0.3", "line 3 (mpi MPICH 4.0.3): of another MPI");
    refused("MPICH 4.0.2", "MPICH 4.0.2 ", "of another MPI");
    refused("allreduce", "allreduces", "line 6 (allreduces 4");
    refused(" 64 ", " 0 ", "not a number of ranks");
    refused(" 64 ", " -64 ", "not a number of ranks");
    refused(" 64 ", " 2147483648 ", "not a number of ranks");
    refused(" 4096 ", " -1 ", "not a number of bytes");
    refused(" 4096 ", " 99999999999999999999 ", "not a number of bytes");
    refused(" 4096 ", " 9223372036854775808 ", "not a number of bytes");
    refused(" 4096 ", " 4k ", "not a number of bytes");
    refused("commutes - node", "- - node", "no such class of operations");
    refused("allreduce 64 4096 commutes", "allgather 64 4096 commutes", "has no operation");
    refused("commutes - node", "commutes here node", "neither `in_place` nor `-`");
    refused("allreduce 64 4096",
            "reduce 64 4096 commutes in_place node:8 | binomial | 1 ns | "
            "1 starts\nallreduce 64 4096",
            "not all ranks know");
    refused("node:8", "node;8", "not a shape");
    refused("node:8", "", "not a shape");
    refused("- node:8", "", "not a collective, ranks");
    refused("node:8", "node:8  package:4", "not a shape");
    refused("lane:ring", "lame:ring", "no such algorithm");
    refused("lane:ring", "lane:rang", "no such algorithm");
    refused("allreduce 64 4096 commutes", "allreduce 64 4096 ordered", "line 7");
    refused("12500 ns", "12500 s", "not a time");
    refused("12500 ns", "-1 ns", "not a time");
    refused("12500 ns", "0 ns", "not a time and a number of starts");
    refused("30 starts", "30", "not a number of starts");
    refused("30 starts", "30 starts |", "four parts");
    refused(" | 30 starts", "", "four parts");
    refused("\nend", "\r\nend", "a byte that is no text");
    refused("\nend", longest, "too long");
    refused("end 2", "end 3", "not the number of verdicts");
    refused("edited\n", "edited", "cut off inside");
    refused("edited\n", "edited \n", "damaged");
    refused("edited\n", "edited\n\n", "more behind the end");
    refused("edited\n", "edited\nend 2 edited\n", "more behind the end");
    refused("end 2 edited\n", "", "its end is not there");
}

static void given_twice_is_refused(void **state)
{
    (void)state; /* 4096 and 4100 are of one class */
    refused("allreduce 64 4096",
            "allreduce 64 4100 commutes - node:8 | ring | 1 ns | 1 starts\nallreduce 64 4096",
            "line 8 (allreduce 64 4096");
}

static void a_byte_0_is_refused(void **state)
{
    static char text[TEXT];
    char why[200];
    wisdom *w = few();
    size_t n = print(w, text);

    (void)state;
    *strstr(text, "commutes") = '\0';
    assert_null(read_bytes(text, n, mpi, why));
    assert_non_null(strstr(why, "a byte that is no text"));
    wisdom_free(w);
}

static void who_edits_says_so(void **state)
{
    char why[200];
    verdict v = verdict_of(64, 4096, "node:8", "ring");
    wisdom *w = changed("lane:ring,block,1", "ring", false, why);

    (void)state;
    assert_null(w);
    w = changed("lane:ring,block,1 | 12500 ns | 30 starts\n",
                "\tring|0 ns |0 starts # was lane\n\n  \t\n # why\n", true, why);
    if (!w)
        fail_msg("%s", why);
    assert_true(same_choice(&wisdom_find(w, &v.key)->choice, &v.choice));
    assert_int_equal(wisdom_find(w, &v.key)->starts, 0);
    wisdom_free(w);
}

/* Who serves: a line of its own beside that of the algorithm, for an octave. */
static void who_serves_is_kept_beside_the_algorithm(void **state)
{
    static char text[TEXT];
    char why[200];
    unsigned char bytes[4 * WISDOM_PICKED];
    verdict v = verdict_of(64, 4096, "node:8", "ring"), server = v;
    wisdom *w = few(), *back;

    (void)state;
    server.key = wisdom_server_key(&v.key);
    server.native = true;
    assert_null(wisdom_add(w, &server));
    assert_int_equal(wisdom_count(w), 3);
    print(w, text);
    assert_non_null(strstr(text, "| lane:ring,block,1 |"));
    assert_non_null(
        strstr(text, "allreduce 64 4096 commutes - node:8 | native | 12500 ns | 30 starts\n"));
    assert_non_null(back = read_bytes(text, strlen(text), mpi, why));
    assert_true(wisdom_find(back, &server.key)->native);
    assert_false(wisdom_find(back, &v.key)->native);
    wisdom_free(back);
    assert_int_equal(wisdom_pick(w, 64, "node:8", bytes, sizeof bytes), 2 * WISDOM_PICKED);
    assert_non_null(back = wisdom_take(64, "node:8", bytes, 2 * WISDOM_PICKED));
    assert_true(wisdom_find(back, &server.key)->native);
    wisdom_free(back);
    wisdom_free(w);

    assert_non_null(w = changed("64 4096 commutes - node:8 | lane:ring,block,1",
                                "64 8000 commutes - node:8 | tutti", true, why));
    assert_false(wisdom_find(w, &server.key)->native);
    assert_null(wisdom_find(w, &v.key));
    wisdom_free(w);
    server.key.class ++;
    assert_non_null(wisdom_add(w = wisdom_make(), &server));
    wisdom_free(w);
}

static void a_name_of_an_mpi_is_one_line(void **state)
{
    char text[1000], name[WISDOM_SHAPE + 1];
    FILE *out = fmemopen(text, sizeof text, "w");
    wisdom *w = few();

    (void)state;
    memset(name, 'n', WISDOM_SHAPE);
    name[WISDOM_SHAPE] = '\0';
    assert_false(wisdom_write(out, w, "two\nlines"));
    assert_false(wisdom_write(out, w, name));
    fclose(out);
    wisdom_free(w);
}

/* ---- table ---- */

static void a_later_one_takes_the_place(void **state)
{
    wisdom *w = few(), *later = wisdom_make();
    verdict v = verdict_of(64, 4100, "node:8", "ring");

    (void)state;
    assert_null(wisdom_add(w, &v));
    assert_int_equal(wisdom_count(w), 2);
    assert_int_equal(wisdom_find(w, &v.key)->choice.algo, v.choice.algo);
    add(later, 64, 4096, "node:8", "rabenseifner");
    add(later, 64, 4096, "node:8@cyclic", "rabenseifner");
    assert_true(wisdom_merge(w, later));
    assert_int_equal(wisdom_count(w), 3);
    assert_int_equal(wisdom_find(w, &v.key)->choice.algo, ALGO_allreduce_rabenseifner);
    v.key.in_place = true;
    assert_null(wisdom_find(w, &v.key));
    wisdom_forget(w);
    assert_int_equal(wisdom_count(w), 0);
    assert_null(wisdom_next(w, NULL));
    wisdom_free(w);
    wisdom_free(later);
}

static void the_order_is_not_that_of_adding(void **state)
{
    static char first[TEXT], second[TEXT];
    wisdom *w = wisdom_make(), *back = wisdom_make();

    (void)state;
    for (int i = 0; i < 40; i++) {
        add(w, 2 + i % 5, 16 << i / 5, "node:2", "ring");
        add(back, 2 + (39 - i) % 5, 16 << (39 - i) / 5, "node:2", "ring");
    }
    print(w, first);
    print(back, second);
    assert_string_equal(first, second);
    wisdom_free(w);
    wisdom_free(back);
}

static void what_cannot_be_right_is_not_added(void **state)
{
    wisdom *w = wisdom_make();
    verdict right = verdict_of(64, 4096, "node:8", "ring"), v = right;

    (void)state;
#define WRONG(change) assert_non_null((v = right, change, wisdom_add(w, &v)))
    WRONG(v.key.kind = COLL_KINDS);
    WRONG(v.key.p = 0);
    WRONG(v.key.class = SIZE_CLASSES);
    WRONG(v.key.class = -1);
    WRONG(v.key.shape[0] = '\0');
    WRONG(v.key.shape[0] = '|');
    WRONG((void)memset(v.key.shape, 'n', WISDOM_SHAPE));
    WRONG(v.choice.algo = algo_count);
    WRONG(v.choice.algo = ALGO_allgather_ring);
    WRONG(v.choice.algo = -1);
    WRONG(v.choice.form = (coll_form)2);
    WRONG(v.choice.order = ORDER_INITCOMM);
    WRONG(v.choice.variant = 99);
    WRONG(v.choice.parameter = 1);
    WRONG(v.ns = -1);
    WRONG(v.starts = 0);
    WRONG((v.key.ordered = true, v.choice.algo = ALGO_allreduce_circulant));
    assert_int_equal(wisdom_count(w), 0);
    wisdom_free(w);
}

static void without_memory_nothing_is_lost(void **state)
{
    static char text[TEXT];
    char why[200];
    wisdom *all = every_algorithm(), *w = few(), *back = NULL;
    size_t n = print(all, text), many = wisdom_count(all);
    bool merged = false;

    (void)state;
    for (long k = 0; k < 3 && !back; k++) {
        left = k;
        wisdom *made = wisdom_make();
        if (made) {
            verdict v = verdict_of(64, 4096, "node:8", "ring");
            assert_string_equal(wisdom_add(made, &v), "out of memory");
            assert_int_equal(wisdom_count(made), 0);
        }
        left = -1;
        wisdom_free(made);
    }
    for (long k = 0; !merged; k++) {
        left = k;
        merged = wisdom_merge(w, all);
        left = -1;
        assert_true(wisdom_count(w) <= many + 2);
    }
    for (long k = 2; !back; k += 97) {
        left = k;
        back = read_bytes(text, n, mpi, why);
        left = -1;
        assert_true(back || strstr(why, "memory"));
    }
    wisdom_free(back);
    wisdom_free(w);
    wisdom_free(all);
}

static void seconds_become_nanoseconds(void **state)
{
    (void)state;
    assert_int_equal(wisdom_ns(1.25e-5), 12500);
    assert_int_equal(wisdom_ns(0), 1);
    assert_int_equal(wisdom_ns(-1), 1);
    assert_int_equal(wisdom_ns(1.0e300), INT64_MAX);
}

/* ---- bytes for other ranks ---- */

static void what_is_picked_is_taken(void **state)
{
    wisdom *all = every_algorithm(), *mine, *w = few();
    size_t n = wisdom_pick(all, 64, "node:8", NULL, 0), more;
    unsigned char *bytes = malloc(n + 1);

    (void)state;
    assert_true(n >= 100 * WISDOM_PICKED);
    bytes[0] = bytes[n] = 77;
    assert_int_equal(wisdom_pick(all, 64, "node:8", bytes, n - 1), n);
    assert_int_equal(bytes[0], 77);
    assert_int_equal(wisdom_pick(all, 64, "node:8", bytes, n), n);
    assert_int_equal(bytes[n], 77);
    mine = wisdom_take(64, "node:8", bytes, n);
    assert_int_equal(wisdom_count(mine), n / WISDOM_PICKED);
    more = 0;
    for (const verdict *v = NULL; (v = wisdom_next(mine, v)); more++)
        assert_true(same_choice(&v->choice, &wisdom_find(all, &v->key)->choice) && v->ns == 0);
    assert_int_equal(more, n / WISDOM_PICKED);
    assert_int_equal(wisdom_pick(w, 64, "node:8@cyclic", NULL, 0), 0);
    assert_int_equal(wisdom_pick(w, 63, "node:8", NULL, 0), 0);
    wisdom_free(mine);
    assert_non_null(mine = wisdom_take(64, "node:8", NULL, 0));
    assert_int_equal(wisdom_count(mine), 0);
    wisdom_free(mine);
    wisdom_free(all);
    wisdom_free(w);
    free(bytes);
}

/* Whatever they are, either they are refused or the same bytes come out again. */
static void damaged_bytes_do_no_harm(void **state)
{
    unsigned char bytes[2 * WISDOM_PICKED], again[2 * WISDOM_PICKED];
    wisdom *w = few();
    int taken = 0;

    (void)state;
    assert_int_equal(wisdom_pick(w, 64, "node:8", bytes, sizeof bytes), WISDOM_PICKED);
    for (size_t n = 1; n < WISDOM_PICKED; n++)
        assert_null(wisdom_take(64, "node:8", bytes, n));
    memcpy(bytes + WISDOM_PICKED, bytes, WISDOM_PICKED);
    assert_null(wisdom_take(64, "node:8", bytes, sizeof bytes)); /* the same twice */
    for (int at = 0; at < WISDOM_PICKED; at++)
        for (int value = 0; value < 256; value++) {
            unsigned char was = bytes[at];
            wisdom *got;
            bytes[at] = (unsigned char)value;
            got = wisdom_take(64, "node:8", bytes, WISDOM_PICKED);
            if (got) {
                assert_int_equal(wisdom_pick(got, 64, "node:8", again, sizeof again),
                                 WISDOM_PICKED);
                assert_memory_equal(again, bytes, WISDOM_PICKED);
                taken++;
            }
            wisdom_free(got);
            bytes[at] = was;
        }
    assert_true(taken > SIZE_CLASSES && taken < 4 * SIZE_CLASSES);
    wisdom_free(w);
}

/* ---- shapes ---- */

static void assert_shape(const char *machine, int p, const char *expected)
{
    static location at[4096];
    char why[200], text[WISDOM_SHAPE];
    topo *t;

    assert_true(shape_places(machine, p, at, why, sizeof why));
    assert_non_null(t = topo_make(at, p));
    wisdom_shape(t, text, sizeof text);
    assert_string_equal(text, expected);
    topo_free(t);
}

static void shapes_tell_machines_apart(void **state)
{
    char text[WISDOM_SHAPE];

    (void)state;
    wisdom_shape(NULL, text, sizeof text);
    assert_string_equal(text, "one-place");
    assert_shape("none", 5, "one-place");
    assert_shape("node:8", 8, "one-place");
    assert_shape("node:8", 64, "node:8");
    assert_shape("node:8", 61, "node:8*7,5");
    assert_shape("node:3,1", 4, "node:3,1");
    assert_shape("node:1", 6, "node:1");
    assert_shape("node:8 package:2", 8, "package:4");
    assert_shape("node:8 package:2", 64, "node:8 package:4");
    assert_shape("node:8@cyclic", 64, "node:8@cyclic");
    assert_shape("node:3,1@cyclic", 8, "node:3,1,3,1@cyclic");
    assert_shape("node:8@cyclic package:2", 64, "node:8@cyclic package:4");
    assert_shape("node:8 package:2@cyclic", 64, "node:8 package:4@cyclic");
    assert_shape("switch:2 node:4", 16, "switch:8 node:4");
}

/* Two nodes with ranks in turn, of packages 3 + 1 and 2 + 2: in this order, whatever the lowest
 * ranks are. */
static void parts_are_listed_node_by_node(void **state)
{
    static const int packages[8] = {0, 0, 0, 0, 0, 1, 1, 1};
    char text[WISDOM_SHAPE];
    location at[8] = {0};
    topo *t;

    (void)state;
    for (int r = 0; r < 8; r++) {
        at[r].node = 1 + (uint64_t)r % 2;
        at[r].inside[TOPO_PACKAGE] = packages[r];
    }
    assert_non_null(t = topo_make(at, 8));
    wisdom_shape(t, text, sizeof text);
    assert_string_equal(text, "node:4@cyclic package:3,1,2*2");
    topo_free(t);
}

/* 0 1 1 0 is neither. */
static void any_other_order_has_a_hash(void **state)
{
    static const uint64_t nodes[2][6] = {{1, 2, 2, 1, 1, 2}, {1, 2, 2, 1, 2, 1}};
    char text[2][WISDOM_SHAPE];

    (void)state;
    for (int k = 0; k < 2; k++) {
        location at[6] = {0};
        topo *t;
        for (int r = 0; r < 6; r++)
            at[r].node = nodes[k][r];
        assert_non_null(t = topo_make(at, 6));
        wisdom_shape(t, text[k], sizeof text[k]);
        topo_free(t);
        assert_int_equal(strncmp(text[k], "node:3@", 7), 0);
        assert_int_equal(strlen(text[k]), 7 + 8);
    }
    assert_string_not_equal(text[0], text[1]);
}

static void long_shapes_have_a_hash(void **state)
{
    static const char *const machines[] = {"node:4,2,1", "node:4,1,2"};
    char text[2][WISDOM_SHAPE], why[200];
    static location at[300];

    (void)state;
    for (int k = 0; k < 2; k++) {
        topo *t;
        assert_true(shape_places(machines[k], 280, at, why, sizeof why));
        assert_non_null(t = topo_make(at, 280));
        wisdom_shape(t, text[k], sizeof text[k]);
        assert_int_equal(strncmp(text[k], "node:1-4 ~", 10), 0);
        assert_int_equal(strlen(text[k]), 10 + 16);
        topo_free(t);
    }
    assert_string_not_equal(text[0], text[1]);
}

/* ---- files ---- */

static char folder[64], file[96];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/tutti_wisdom_XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(file, sizeof file, "%s/wisdom", folder);
    return 0;
}

static int files_in_folder(void)
{
    char command[128];
    int n;
    FILE *in;

    snprintf(command, sizeof command, "ls -A %s | wc -l", folder);
    assert_non_null(in = popen(command, "r"));
    assert_int_equal(fscanf(in, "%d", &n), 1);
    pclose(in);
    return n;
}

static int drop_folder(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void save(wisdom *w)
{
    char why[300];

    if (!wisdom_save(file, w, mpi, why, sizeof why))
        fail_msg("%s", why);
}

static void what_is_saved_is_loaded(void **state)
{
    char why[300];
    wisdom *w = few(), *more = wisdom_make(), *back;
    struct stat s;
    mode_t mask = umask(027);

    (void)state;
    assert_null(wisdom_load(file, mpi, why, sizeof why));
    assert_non_null(strstr(why, "No such file"));
    save(w);
    umask(mask);
    assert_int_equal(stat(file, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0640);
    add(more, 64, 4096, "node:8", "ring");
    add(more, 64, 8192, "node:8", "ring");
    save(more);
    assert_int_equal(stat(file, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0640);
    assert_int_equal(wisdom_count(more), 2);
    back = wisdom_load(file, mpi, why, sizeof why);
    assert_int_equal(wisdom_count(back), 3);
    assert_true(wisdom_merge(w, more));
    assert_has(back, w, true);
    assert_int_equal(files_in_folder(), 1);
    wisdom_free(back);
    wisdom_free(more);
    wisdom_free(w);
}

static void what_is_refused_is_kept_aside(void **state)
{
    char why[300], kept[128];
    wisdom *w = few(), *back;

    (void)state;
    snprintf(kept, sizeof kept, "%s.refused", file);
    assert_true(wisdom_save(file, w, "Other MPI", why, sizeof why));
    assert_null(wisdom_load(file, mpi, why, sizeof why));
    assert_non_null(strstr(why, "another MPI"));
    save(w);
    assert_non_null(back = wisdom_load(kept, "Other MPI", why, sizeof why));
    wisdom_free(back);
    assert_non_null(back = wisdom_load(file, mpi, why, sizeof why));
    wisdom_free(back);
    assert_int_equal(files_in_folder(), 2);
    assert_true(wisdom_save(file, w, "Third MPI", why, sizeof why));
    assert_non_null(strstr(why, "could not be read; it is kept as "));
    assert_non_null(strstr(why, ".refused.2"));
    assert_non_null(back = wisdom_load(kept, "Other MPI", why, sizeof why));
    wisdom_free(back);
    assert_true(wisdom_save(file, w, "Third MPI", why, sizeof why));
    assert_string_equal(why, "");
    wisdom_free(w);
}

static void what_is_no_wisdom_is_not_replaced(void **state)
{
    static const char *const texts[] = {"int main(void)", "tutti wisdo", "tutti constants 1\n"};
    char why[300], text[50];
    wisdom *w = few();

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        FILE *f = fopen(file, "w");
        assert_non_null(f);
        fputs(texts[i], f);
        fclose(f);
        assert_false(wisdom_save(file, w, mpi, why, sizeof why));
        assert_non_null(strstr(why, "there is something else in it than wisdom"));
        assert_non_null(f = fopen(file, "r"));
        assert_non_null(fgets(text, sizeof text, f));
        assert_string_equal(text, texts[i]);
        fclose(f);
    }
    assert_int_equal(truncate(file, 0), 0);
    save(w);
    assert_int_equal(files_in_folder(), 1);
    wisdom_free(w);
}

static void only_files_are_read_and_replaced(void **state)
{
    char why[300];
    wisdom *w = few();

    (void)state;
    alarm(20);
    assert_int_equal(mkfifo(file, 0600), 0);
    assert_null(wisdom_load(file, mpi, why, sizeof why));
    assert_non_null(strstr(why, "not a file"));
    assert_false(wisdom_save(file, w, mpi, why, sizeof why));
    assert_null(wisdom_load(folder, mpi, why, sizeof why));
    assert_false(wisdom_save(folder, w, mpi, why, sizeof why));
    assert_int_equal(files_in_folder(), 1);
    unlink(file);
    save(w);
    assert_int_equal(truncate(file, WISDOM_FILE + 1), 0);
    assert_null(wisdom_load(file, mpi, why, sizeof why));
    assert_non_null(strstr(why, "too large"));
    alarm(0);
    wisdom_free(w);
}

static void a_link_stays_a_link(void **state)
{
    char target[128];
    struct stat s;
    wisdom *w = few();

    (void)state;
    snprintf(target, sizeof target, "%s/there", folder);
    save(w);
    assert_int_equal(rename(file, target), 0);
    assert_int_equal(symlink(target, file), 0);
    save(w);
    assert_int_equal(lstat(file, &s), 0);
    assert_true(S_ISLNK(s.st_mode));
    wisdom_free(w);
}

/* More than 1 KiB does not fit. */
static void a_failed_write_leaves_what_was(void **state)
{
    struct rlimit was, small;
    char why[300];
    wisdom *w = few(), *all = every_algorithm(), *back;
    bool saved;

    (void)state;
    save(w);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &was);
    small = (struct rlimit){1024, was.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    saved = wisdom_save(file, all, mpi, why, sizeof why);
    setrlimit(RLIMIT_FSIZE, &was);
    assert_false(saved);
    assert_non_null(strstr(why, "too large"));
    assert_null(strchr(why, '\n'));
    assert_non_null(back = wisdom_load(file, mpi, why, sizeof why));
    assert_has(back, w, true);
    assert_int_equal(files_in_folder(), 1);
    assert_false(wisdom_save("/nonexistent/wisdom", w, mpi, why, sizeof why));
    wisdom_free(back);
    wisdom_free(all);
    wisdom_free(w);
}

enum { SAVES = 50, EACH = 200 };

static wisdom *writers(const char *name)
{
    wisdom *w = wisdom_make();

    for (int p = 3; p < 3 + EACH; p++)
        add(w, p, 4096, "one-place", name);
    return w;
}

static pid_t start_writer(const char *name)
{
    pid_t pid = fork();

    if (pid == 0) {
        char why[300];
        wisdom *w = writers(name);
        for (int i = 0; i < SAVES; i++)
            if (!wisdom_save(file, w, mpi, why, sizeof why))
                _exit(1);
        wisdom_free(w);
        _exit(0);
    }
    return pid;
}

static int ended_now(pid_t pid)
{
    int status = 0;
    bool ended = waitpid(pid, &status, WNOHANG) == pid;

    assert_int_equal(status, 0);
    return ended;
}

static void who_loads_gets_all_of_one(void **state)
{
    pid_t a, b;
    int loads = 0, ended = 0;
    wisdom *w = writers("ring");

    (void)state;
    save(w);
    wisdom_free(w);
    a = start_writer("ring");
    b = start_writer("rabenseifner");
    for (; ended < 2; ended += ended_now(a) + ended_now(b)) { /* a second time: no such child */
        char why[300];
        const verdict *v = NULL;
        int algo;
        w = wisdom_load(file, mpi, why, sizeof why);
        if (!w)
            fail_msg("%s", why);
        assert_int_equal(wisdom_count(w), EACH);
        algo = wisdom_next(w, NULL)->choice.algo;
        while ((v = wisdom_next(w, v)))
            assert_int_equal(v->choice.algo, algo);
        wisdom_free(w);
        loads++;
    }
    assert_true(loads > 5);
    assert_int_equal(files_in_folder(), 1);
}

#define WITH_FILES(test) cmocka_unit_test_setup_teardown(test, make_folder, drop_folder)

/* All that it has is no send buffer. */
static void a_barrier_is_not_in_place(void **state)
{
    coll c = {.kind = COLL_barrier, .p = 4, .in_place = true};

    (void)state;
    assert_false(wisdom_key_of(&c, 0, "one-place").in_place);
    refused("allreduce 64 4096 commutes - node:8 | lane:ring,block,1",
            "barrier 64 0 - in_place node:8 | dissemination", "not all ranks know");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_can_be_read),
        cmocka_unit_test(an_empty_one_and_all_sizes_can_be_read),
        cmocka_unit_test(cut_off_anywhere_it_is_refused),
        cmocka_unit_test(with_any_bit_changed_it_is_refused),
        cmocka_unit_test(what_is_wrong_is_refused),
        cmocka_unit_test(given_twice_is_refused),
        cmocka_unit_test(a_byte_0_is_refused),
        cmocka_unit_test(who_edits_says_so),
        cmocka_unit_test(a_name_of_an_mpi_is_one_line),
        cmocka_unit_test(a_later_one_takes_the_place),
        cmocka_unit_test(the_order_is_not_that_of_adding),
        cmocka_unit_test(what_cannot_be_right_is_not_added),
        cmocka_unit_test(without_memory_nothing_is_lost),
        cmocka_unit_test(seconds_become_nanoseconds),
        cmocka_unit_test(who_serves_is_kept_beside_the_algorithm),
        cmocka_unit_test(what_is_picked_is_taken),
        cmocka_unit_test(damaged_bytes_do_no_harm),
        cmocka_unit_test(shapes_tell_machines_apart),
        cmocka_unit_test(parts_are_listed_node_by_node),
        cmocka_unit_test(any_other_order_has_a_hash),
        cmocka_unit_test(long_shapes_have_a_hash),
        cmocka_unit_test(a_barrier_is_not_in_place),
        WITH_FILES(what_is_saved_is_loaded),
        WITH_FILES(what_is_refused_is_kept_aside),
        WITH_FILES(what_is_no_wisdom_is_not_replaced),
        WITH_FILES(only_files_are_read_and_replaced),
        WITH_FILES(a_link_stays_a_link),
        WITH_FILES(a_failed_write_leaves_what_was),
        WITH_FILES(who_loads_gets_all_of_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
