/* SPDX-License-Identifier: BSD-3-Clause */
/* hints.c - see hints.h. */
#include "api/hints.h"

#include "nbc/process/mpi_calls.h"
#include "nbc/process/reason.h"
#include "tune/number.h"
#include "tune/reproducible.h"
#include "tune/select.h"

#include <stdio.h>
#include <string.h>

int hints_value(MPI_Info info, const char *key, char text[MPI_MAX_INFO_VAL + 1], bool *found)
{
    int flag = 0;

    *found = false;
    if (info != MPI_INFO_NULL && mpi_info_get(info, key, text, &flag) != MPI_SUCCESS)
        return MPI_ERR_INFO;
    *found = flag;
    return MPI_SUCCESS;
}

/* "^ring,linear": does each name belong to an algorithm of some collective? */
static bool each_is_known(const char *text)
{
    char one[MPI_MAX_INFO_VAL + 2] = "^";
    bool all = true;

    for (const char *name = text + 1; name; name = strchr(name, ',')) {
        bool known = false;
        name += *name == ',';
        snprintf(one + 1, sizeof one - 1, "%.*s", (int)strcspn(name, ","), name);
        for (int kind = 0; kind < COLL_KINDS; kind++)
            known |= select_forbid((coll_kind)kind, one, &(algo_set){{0}}) == 0;
        all &= known;
    }
    return all;
}

static int refuse_algorithm(const char *text)
{
    return reason_set(MPI_ERR_INFO_VALUE,
                      "tutti_algorithm=%s: no collective has such an algorithm; tutti-info "
                      "--algorithms lists all of them",
                      text);
}

static int read_forbidden(const char *text, comm_hints *hints)
{
    if (strlen(text) >= sizeof hints->algorithm[0] || !each_is_known(text))
        return refuse_algorithm(text);
    for (int kind = 0; kind < COLL_KINDS; kind++)
        strcpy(hints->algorithm[kind], text);
    return MPI_SUCCESS;
}

/* A name that no collective knows is wrong; one that some know counts for them. */
static int read_algorithm(const char *text, int p, comm_hints *hints)
{
    bool known = strcmp(text, "auto") == 0;
    choice c;

    if (text[0] == '^')
        return read_forbidden(text, hints);

    for (int kind = 0; kind < COLL_KINDS; kind++) {
        bool valid = !known && strlen(text) < sizeof hints->algorithm[kind] &&
                     select_parse((coll_kind)kind, text, p, 0, &c);
        strcpy(hints->algorithm[kind], valid ? text : "");
    }
    for (int kind = 0; kind < COLL_KINDS; kind++)
        known |= hints->algorithm[kind][0] != '\0';
    return known ? MPI_SUCCESS : refuse_algorithm(text);
}

int hints_read_order(const char *text, coll_order *order)
{
    *order = coll_order_find(text);
    if (*order != ORDERS)
        return MPI_SUCCESS;
    return reason_set(MPI_ERR_INFO_VALUE, "tutti_order=%s: must be place, initcomm or endshuffle",
                      text);
}

static int read_order(MPI_Info info, comm_hints *hints)
{
    char text[MPI_MAX_INFO_VAL + 1];
    int error = hints_value(info, "tutti_order", text, &hints->has_order);

    if (error || !hints->has_order)
        return error;
    return hints_read_order(text, &hints->order);
}

static int read_node_eager(MPI_Info info, comm_hints *hints)
{
    char text[MPI_MAX_INFO_VAL + 1];
    int error = hints_value(info, "tutti_node_eager", text, &hints->has_eager);

    if (error || !hints->has_eager)
        return error;
    if (number_size(text, &hints->node_eager))
        return MPI_SUCCESS;
    return reason_set(MPI_ERR_INFO_VALUE,
                      "tutti_node_eager=%s: must be a number of bytes, such as 4096, 4k, 4KiB",
                      text);
}

static int read_reproducible_hint(MPI_Info info, bool *found, bool *topology)
{
    char text[MPI_MAX_INFO_VAL + 1];
    int error = hints_value(info, "tutti_reproducible", text, found);

    if (error || !*found)
        return error;
    if (reproducible_read(text, topology))
        return MPI_SUCCESS;
    return reason_set(MPI_ERR_INFO_VALUE, "tutti_reproducible=%s: must be topology or off", text);
}

int hints_ask_reproducible(MPI_Info info, const comm *c, bool known, bool *asked)
{
    bool found;
    int error = read_reproducible_hint(info, &found, asked);

    if (error || found)
        return error;
    *asked = c->hints.has_reproducible ? c->hints.reproducible : known && c->reproducible;
    return MPI_SUCCESS;
}

int hints_read(MPI_Info info, int p, comm_hints *hints)
{
    char text[MPI_MAX_INFO_VAL + 1];
    bool found;
    int error = hints_value(info, "tutti_algorithm", text, &found);

    if (!error && found)
        error = read_algorithm(text, p, hints);
    if (!error)
        error = read_order(info, hints);
    if (!error)
        error = read_reproducible_hint(info, &hints->has_reproducible, &hints->reproducible);
    return error ? error : read_node_eager(info, hints);
}
