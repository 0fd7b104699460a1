/* SPDX-License-Identifier: BSD-3-Clause */
/* wisdom_made.c - see wisdom_made.h. */
#include "unit/wisdom_made.h"

#include "tune/size.h"
#include "tune/wisdom_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

const char mpi[] = "MPICH 4.0.2";

verdict verdict_of(int p, int64_t bytes, const char *shape, const char *name)
{
    coll c = {.kind = COLL_allreduce, .p = p};
    verdict v = {.key = wisdom_key_of(&c, bytes, shape), .ns = 12500, .starts = 30};

    assert_true(select_parse(COLL_allreduce, name, p, bytes, &v.choice));
    return v;
}

void add_verdict(wisdom *w, int p, int64_t bytes, const char *shape, const char *name)
{
    verdict v = verdict_of(p, bytes, shape, name);

    assert_null(wisdom_add(w, &v));
}

wisdom *few(void)
{
    wisdom *w = wisdom_make();

    assert_non_null(w);
    add_verdict(w, 64, 4096, "node:8", "lane:ring,block");
    add_verdict(w, 4, 0, "one-place", "recursive_doubling");
    return w;
}

bool same_choice(const choice *a, const choice *b)
{
    return a->algo == b->algo && a->form == b->form && a->parameter == b->parameter &&
           a->variant == b->variant && a->order == b->order;
}

void assert_same(wisdom *b, wisdom *a)
{
    for (const verdict *v = NULL; (v = wisdom_next(a, v));) {
        const verdict *found = wisdom_find(b, &v->key);
        assert_non_null(found);
        assert_true(same_choice(&found->choice, &v->choice));
        assert_int_equal(found->ns, v->ns);
        assert_int_equal(found->starts, v->starts);
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

wisdom *every_algorithm(void)
{
    wisdom *w = wisdom_make();
    int n = 0;

    for (int i = 0; i < algo_count; i++)
        n += add_all_of(w, i, n);
    assert_true(wisdom_count(w) >= (size_t)algo_count);
    return w;
}

size_t print_text(wisdom *w, char *text)
{
    size_t n;
    char *written = wisdom_write(w, mpi, &n);

    assert_non_null(written);
    assert_true(n < TEXT);
    memcpy(text, written, n + 1);
    free(written);
    return n;
}

wisdom *read_text(const char *bytes, size_t n, const char *of, char why[200])
{
    wisdom *w;

    strcpy(why, "");
    w = wisdom_read(bytes, n, of, why, 200);
    assert_true(w || why[0]);
    assert_null(strchr(why, '\n'));
    return w;
}
