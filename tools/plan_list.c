/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_list.c - see plan.h. */
#include "plan.h"
#include "words.h"

#include <stdio.h>

int plan_print_list(const request *r)
{
    for (int k = 0; r->kind == COLL_KINDS && k < COLL_KINDS; k++)
        printf("%s\n", coll_kind_name((coll_kind)k));
    for (int i = 0; r->kind != COLL_KINDS && i < algo_count; i++) {
        if (!algo_serves(algo_table[i], r->kind))
            continue;
        printf("%s", algo_table[i]->name);
        for (int k = 0; words_of(algo_table[i], k); k++)
            printf(" %s", words_of(algo_table[i], k));
        printf("\n");
    }
    return 0;
}
