/* SPDX-License-Identifier: BSD-3-Clause */
/* calls.c - see calls.h. */
#include "calls.h"

#include <string.h>

int extent_blocks(coll_extent e, int n)
{
    return e == COLL_NONE ? 0 : e == COLL_ONE ? 1 : n;
}

coll_sides run_sides(const run *r)
{
    return coll_sides_of(r->what, r->rank, r->root, false);
}

const char *form_suffix(form f)
{
    static const char *const suffixes[] = {"", "_i", "_init", "_thread"};

    return suffixes[f];
}

bool calls_find(coll_kind c, const char *name, form f, way *result)
{
    if (strcmp(name, "native") == 0 || strcmp(name, "mpi") == 0)
        return calls_find_native(c, name, f, result);
    if (strcmp(name, "hand") == 0)
        return calls_find_hand(f, result);
    return calls_find_tutti(c, name, f, result);
}
