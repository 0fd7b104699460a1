/* select.c - the rule of `auto`.
 *
 *   ranks            bytes in all       choice
 *   1, 2             any                linear: one message is the whole collective
 *   power of two     <= 512 KiB         recursive_doubling
 *   other            <= 80 KiB          bruck
 *   other            <= 512 KiB         sparbit
 *   even             larger             neighbor_exchange
 *   odd              larger             ring
 *
 * The limits are those at which MPICH and Open MPI leave their logarithmic algorithms (Thakur et
 * al., IJHPCA 19(1), 2005); Sparbit takes the middle because it keeps large data on short distances
 * and never shifts it. They are not measured on this machine, which cannot tell.
 */
#include "tune/select.h"

#include <string.h>

enum {
    SMALL_TOTAL = 80 * 1024,
    MEDIUM_TOTAL = 512 * 1024,
    BLOCK_FORM = 32 * 1024, /* bytes of one block from which it travels alone */
};

coll_form select_form(const algo *a, int p, int64_t bytes)
{
    return a->has_forms && bytes / p >= BLOCK_FORM ? FORM_BLOCK : FORM_STEP;
}

static const char *rule(int p, int64_t bytes, const char **why)
{
    if (p <= 2) {
        *why = "at most two ranks: one message is all there is";
        return "linear";
    }
    if (bytes <= MEDIUM_TOTAL && (p & (p - 1)) == 0) {
        *why = "up to 512 KiB in all, a power of two of ranks: fewest steps";
        return "recursive_doubling";
    }
    if (bytes <= SMALL_TOTAL) {
        *why = "up to 80 KiB in all: fewest steps";
        return "bruck";
    }
    if (bytes <= MEDIUM_TOTAL) {
        *why = "80 to 512 KiB in all: few steps, most data over short distances";
        return "sparbit";
    }
    *why = p % 2 ? "over 512 KiB in all, odd number of ranks: neighbours only"
                 : "over 512 KiB in all, even number of ranks: neighbours only, half the steps";
    return p % 2 ? "ring" : "neighbor_exchange";
}

choice select_auto(coll_kind kind, int p, int64_t bytes, const char **why)
{
    choice c = {.algo = algo_find(kind, rule(p, bytes, why))};

    c.form = select_form(algo_table[c.algo], p, bytes);
    return c;
}

bool select_parse(coll_kind kind, const char *text, int p, int64_t bytes, choice *result)
{
    char name[64];
    size_t n = strcspn(text, ":");
    const char *form = text[n] ? text + n + 1 : NULL;
    choice c;

    if (n >= sizeof name)
        return false;
    memcpy(name, text, n);
    name[n] = '\0';
    c.algo = algo_find(kind, name);
    if (c.algo == ALGO_NONE)
        return false;
    c.form = select_form(algo_table[c.algo], p, bytes);
    if (form) {
        if (!algo_table[c.algo]->has_forms)
            return false;
        if (strcmp(form, "step") != 0 && strcmp(form, "block") != 0)
            return false;
        c.form = strcmp(form, "block") == 0 ? FORM_BLOCK : FORM_STEP;
    }
    *result = c;
    return true;
}
