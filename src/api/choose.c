/* choose.c - see choose.h. */
#include "api/choose.h"

#include "nbc/process/env.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static int applicable(choice c, coll_kind kind, int p)
{
    const algo *a = algo_table[c.algo];
    coll call = {.kind = kind, .p = p};
    const char *why = a->inapplicable ? a->inapplicable(&call) : NULL;

    if (why && env_verbose())
        env_say("%s, here are %d", why, p);
    return why ? MPI_ERR_UNSUPPORTED_OPERATION : MPI_SUCCESS;
}

/* The value of a key of ours, if info has it. */
static int value_of(MPI_Info info, const char *key, char text[MPI_MAX_INFO_VAL + 1], bool *found)
{
    int flag = 0;

    *found = false;
    if (info != MPI_INFO_NULL &&
        PMPI_Info_get(info, key, MPI_MAX_INFO_VAL, text, &flag) != MPI_SUCCESS)
        return MPI_ERR_INFO;
    *found = flag;
    return MPI_SUCCESS;
}

/* Info values and environment variables name algorithms alike. */
static int from_info(coll_kind kind, MPI_Info info, int p, int64_t bytes, choice *c, bool *found)
{
    char text[MPI_MAX_INFO_VAL + 1];
    int error = value_of(info, "tutti_algorithm", text, found);

    if (error || !*found)
        return error;
    *found = strcmp(text, "auto") != 0;
    if (!*found)
        return MPI_SUCCESS;
    return select_parse(kind, text, p, bytes, c) ? applicable(*c, kind, p) : MPI_ERR_INFO_VALUE;
}

/* Hints name an algorithm for all collectives that have it, wherever it applies. */
static bool from_hints(const comm *c, coll_kind kind, int64_t bytes, choice *result)
{
    const char *text = c->hints.algorithm[kind];

    return *text && select_parse(kind, text, c->p, bytes, result) &&
           applicable(*result, kind, c->p) == MPI_SUCCESS;
}

/* How blocks keep their order, unless the name of the algorithm says so. */
static int set_order(MPI_Info info, const comm *c, choice *result)
{
    char text[MPI_MAX_INFO_VAL + 1];
    coll_order order = c->hints.has_order ? c->hints.order : ORDER_PLACE;
    bool found;
    int error = value_of(info, "tutti_order", text, &found);

    if (!error && found)
        order = coll_order_find(text);
    if (order == ORDERS)
        return MPI_ERR_INFO_VALUE;
    if (!error && algo_table[result->algo]->orders && !result->order_named)
        result->order = order;
    return error;
}

/* ", name" and what may follow it. */
static size_t print_name(char *text, size_t size, const algo *a)
{
    int n;

    if (a->parameter.name)
        n = snprintf(text, size, ", %s[:%s >= %d]", a->name, a->parameter.name, a->parameter.least);
    else
        n = snprintf(text, size, ", %s%s", a->name, a->has_forms ? "[:step|:block]" : "");
    return (size_t)n;
}

static void say_valid(coll_kind kind, const char *text)
{
    char names[512] = "auto";
    size_t n = strlen(names);

    for (int i = 0; i < algo_count && n < sizeof names; i++)
        if (algo_serves(algo_table[i], kind))
            n += print_name(names + n, sizeof names - n, algo_table[i]);
    env_say_here("%s: no algorithm for %s; there are %s", text, coll_kind_name(kind), names);
}

/* A variable names an algorithm for all communicators: where it does not apply, the rule does. */
static int from_environment(coll_kind kind, int p, int64_t bytes, choice *c, bool *found)
{
    static _Atomic bool said;
    const char *text = env_algorithm(kind);

    *found = false;
    if (!text || strcmp(text, "auto") == 0)
        return MPI_SUCCESS;
    if (!select_parse(kind, text, p, bytes, c)) {
        if (!atomic_exchange(&said, true))
            say_valid(kind, text);
        return MPI_ERR_ARG;
    }
    *found = applicable(*c, kind, p) == MPI_SUCCESS;
    return MPI_SUCCESS;
}

/* For `auto`. */
static int choose_any(const args *a, MPI_Info info, const comm *c, const topo *t, int64_t bytes,
                      choice *result, const char **why)
{
    bool found;
    int error = from_info(a->kind, info, c->p, bytes, result, &found);

    *why = "asked for by info";
    if (error || found)
        return error;
    *why = "asked for by the communicator's hints";
    if (from_hints(c, a->kind, bytes, result))
        return MPI_SUCCESS;
    *why = "asked for by the environment";
    error = from_environment(a->kind, c->p, bytes, result, &found);
    if (!error && !found)
        *result = select_auto(a->kind, c->p, bytes, t, why);
    return error;
}

int choose_silently(const args *a, MPI_Info info, const comm *c, int64_t bytes, choice *result,
                    const char **why)
{
    bool known = c->ready; /* once: a progress thread may change it meanwhile */
    int error;

    *why = "asked for by name";
    if (a->algo == ALGO_NONE)
        error = choose_any(a, info, c, known ? c->topo : NULL, bytes, result, why);
    else if (!select_named(a->algo, a->parameter, c->p, bytes, result))
        error = MPI_ERR_ARG;
    else
        error = applicable(*result, a->kind, c->p);
    if (error)
        return error;
    result->provisional = !known && (result->by_rule || algo_table[result->algo]->regional);
    return set_order(info, c, result);
}

/* Once for each collective, power of two of the bytes, and algorithm. */
static void say_choice(coll_kind kind, int p, int64_t bytes, const choice *c, const char *why)
{
    static _Atomic uint64_t said[COLL_KINDS][64];
    int class = bytes > 0 ? 64 - __builtin_clzll((unsigned long long)bytes) : 0;
    uint64_t bit = (uint64_t)1 << (c->algo % 64);
    char name[128], size[64] = "";

    if (atomic_fetch_or(&said[kind][class], bit) & bit)
        return;
    select_print(c, name, sizeof name);
    if (kind != COLL_ALLTOALLV) /* whose bytes nobody knows */
        snprintf(size, sizeof size, " of %lld bytes in all", (long long)bytes);
    env_say("%s%s on %d ranks: %s (%s)", coll_kind_name(kind), size, p, name, why);
}

int choose(const args *a, MPI_Info info, const comm *c, int64_t bytes, choice *result,
           const char **why)
{
    int error = choose_silently(a, info, c, bytes, result, why);

    if (!error && a->algo == ALGO_NONE && !result->provisional && env_verbose())
        say_choice(a->kind, c->p, bytes, result, *why);
    return error;
}

/* A name that no collective knows is wrong; one that some know counts for them. */
static int read_algorithm(const char *text, int p, comm_hints *hints)
{
    bool known = strcmp(text, "auto") == 0;
    choice c;

    for (int kind = 0; kind < COLL_KINDS; kind++) {
        bool valid = !known && strlen(text) < sizeof hints->algorithm[kind] &&
                     select_parse((coll_kind)kind, text, p, 0, &c);
        strcpy(hints->algorithm[kind], valid ? text : "");
    }
    for (int kind = 0; kind < COLL_KINDS; kind++)
        known |= hints->algorithm[kind][0] != '\0';
    return known ? MPI_SUCCESS : MPI_ERR_INFO_VALUE;
}

int choose_read_hints(MPI_Info info, int p, comm_hints *hints)
{
    char text[MPI_MAX_INFO_VAL + 1];
    bool found;
    int error = value_of(info, "tutti_algorithm", text, &found);

    if (!error && found)
        error = read_algorithm(text, p, hints);
    if (!error)
        error = value_of(info, "tutti_order", text, &found);
    if (error || !found)
        return error;
    hints->has_order = true;
    hints->order = coll_order_find(text);
    return hints->order == ORDERS ? MPI_ERR_INFO_VALUE : MPI_SUCCESS;
}
