/* choose.c - see choose.h. */
#include "api/choose.h"

#include "nbc/env.h"

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

/* Info values and environment variables name algorithms alike. */
static int from_info(coll_kind kind, MPI_Info info, int p, int64_t bytes, choice *c, bool *found)
{
    char text[MPI_MAX_INFO_VAL + 1];
    int flag = 0;

    *found = false;
    if (info == MPI_INFO_NULL)
        return MPI_SUCCESS;
    if (PMPI_Info_get(info, "tutti_algorithm", MPI_MAX_INFO_VAL, text, &flag) != MPI_SUCCESS)
        return MPI_ERR_INFO;
    if (!flag || strcmp(text, "auto") == 0)
        return MPI_SUCCESS;
    if (!select_parse(kind, text, p, bytes, c))
        return MPI_ERR_INFO_VALUE;
    *found = true;
    return applicable(*c, kind, p);
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

int choose(const args *a, MPI_Info info, int p, int64_t bytes, choice *result)
{
    const char *why;
    bool found;
    int error;

    if (a->algo != ALGO_NONE) {
        if (!select_named(a->algo, a->parameter, p, bytes, result))
            return MPI_ERR_ARG;
        return applicable(*result, a->kind, p);
    }
    error = from_info(a->kind, info, p, bytes, result, &found);
    if (error || found)
        return error;
    error = from_environment(a->kind, p, bytes, result, &found);
    if (error || found)
        return error;
    *result = select_auto(a->kind, p, bytes, &why);
    return MPI_SUCCESS;
}
