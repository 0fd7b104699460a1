/* SPDX-License-Identifier: BSD-3-Clause */
/* topology.c - the calls about a communicator: where its ranks are, what is set for it, what it
 * chooses.
 */
#include "api/choose.h"
#include "api/decision_tables.h"
#include "api/halo_choice.h"
#include "api/hints.h"
#include "api/together.h"
#include "nbc/comm/degrees.h"
#include "nbc/comm/first.h"
#include "nbc/comm/machine_of.h"
#include "nbc/comm/meet.h"
#include "nbc/comm/own_location.h"
#include "nbc/library.h"
#include "nbc/process/mutex.h"
#include "nbc/process/reason.h"
#include "nbc/run/engine.h"
#include "topo/shape.h"
#include "tune/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

int tutti_comm_prepare(MPI_Comm user)
{
    comm *c;
    int error = together_ready(user, "tutti_comm_prepare", &c);

    return comm_raise_for("tutti_comm_prepare", user, c, error);
}

int tutti_comm_prepared(MPI_Comm user, int *flag)
{
    comm *c = NULL;
    int error = library_enter();

    if (!error)
        error = comm_get(user, &c);
    if (!error && !flag)
        error = reason_set(MPI_ERR_ARG, "flag is NULL");
    if (error)
        return comm_raise_for("tutti_comm_prepared", user, c, error);
    *flag = comm_prepared(c);
    return MPI_SUCCESS;
}

/* ---- hints ---- */

/* What a call of tutti_comm_set_hints asks for. */
typedef struct wishes {
    comm_hints hints;
    char regions[MPI_MAX_INFO_VAL + 1]; /* empty: the machine's own */
} wishes;

static int read_regions(MPI_Info info, int p, char regions[MPI_MAX_INFO_VAL + 1])
{
    location *at;
    char why[200] = "out of memory";
    bool good;
    int error = hints_value(info, "tutti_regions", regions, &good);

    if (error)
        return error;
    if (!good || strcmp(regions, "hwloc") == 0) {
        regions[0] = '\0';
        return MPI_SUCCESS;
    }
    at = malloc((size_t)p * sizeof *at);
    good = at && shape_locations(regions, p, at, why, sizeof why);
    free(at);
    if (good)
        return MPI_SUCCESS;
    return reason_set(MPI_ERR_INFO_VALUE, "tutti_regions=%s: %s; or hwloc, or none", regions, why);
}

static int read_wishes(MPI_Info info, int p, wishes *w)
{
    int error;

    memset(w, 0, sizeof *w);
    if (info == MPI_INFO_NULL)
        return MPI_SUCCESS;
    error = hints_read(info, p, &w->hints);
    return error ? error : read_regions(info, p, w->regions);
}

/* A number of the wishes; equal wishes, equal numbers. */
static uint64_t digest_wishes(const wishes *w)
{
    char text[sizeof w->regions + 64]; /* with six numbers */
    uint64_t sum = 0;

    for (int kind = 0; kind < COLL_KINDS; kind++)
        sum = sum * 31 + shape_identity(w->hints.algorithm[kind]);
    snprintf(text, sizeof text, "%d;%d;%d;%lld;%d;%d;%s", w->hints.has_order, w->hints.order,
             w->hints.has_eager, (long long)w->hints.node_eager, w->hints.has_reproducible,
             w->hints.reproducible, w->regions);
    return sum * 31 + shape_identity(text);
}

/* What a rank sends to the others. One with an error takes part, so that nobody waits for it for
 * ever. */
static hello hello_with_wishes(comm *c, const wishes *w, int error)
{
    hello mine = {.digest = digest_wishes(w), .error = error};

    if (!error)
        mine.error = *w->regions ? own_location_made_up(w->regions, c->p, c->rank, &mine.at)
                                 : own_location(&mine.at);
    if (!mine.error)
        mine.error = degrees_count(c, &mine);
    return mine;
}

/* The same on all ranks, and none with an error? */
static int compare_wishes(const handshake *h)
{
    bool same = true;

    if (h->mine.error)
        return h->mine.error;
    for (int r = 0; r < h->p; r++) {
        if (h->all[r].error)
            return reason_elsewhere(MPI_ERR_INFO_VALUE, "rank %d has given a wrong value", r);
        same &= h->all[r].digest == h->mine.digest;
    }
    if (same)
        return MPI_SUCCESS;
    return reason_set(MPI_ERR_INFO_VALUE, "the ranks give different values");
}

/* A rank without memory for the topology says so to all: else it would go on with another one. */
static int agree_on_wishes(comm *c, const wishes *w, int error, topo **result, int64_t **degrees)
{
    static const char caller[] = "tutti_comm_set_hints";
    handshake h = {0};
    hello mine = hello_with_wishes(c, w, error);

    error = together_meet(c, caller, &mine, &h);
    if (!error)
        error = compare_wishes(&h);
    if (!error) {
        *result = handshake_topo(&h);
        error = *result ? degrees_on_node(&h, *result, degrees) : MPI_ERR_NO_MEM;
        error = comm_meet_again(c, caller, error, &h);
    }
    handshake_close(&h);
    if (error) {
        topo_free(*result);
        free(*degrees);
    }
    return error;
}

static void adopt_wishes(comm *c, const wishes *w, topo *t, int64_t *degrees)
{
    topo *old;
    int64_t *old_degrees;

    mutex_lock(&c->state_lock);
    engine_enter();
    old = c->topo;
    old_degrees = c->degrees;
    c->topo = t;
    c->degrees = degrees;
    c->hints = w->hints;
    comm_find_eager(c);
    engine_leave();
    decision_tables_leave(c);
    mutex_unlock(&c->state_lock);
    plan_cache_clear(c);
    topo_free(old);
    free(old_degrees);
}

int tutti_comm_set_hints(MPI_Comm user, MPI_Info info)
{
    comm *c;
    wishes w;
    topo *t = NULL;
    int64_t *degrees = NULL;
    int error = together_ready(user, "tutti_comm_set_hints", &c);

    if (error)
        return comm_raise_for("tutti_comm_set_hints", user, c, error);
    error = agree_on_wishes(c, &w, read_wishes(info, c->p, &w), &t, &degrees);
    if (error)
        return comm_raise_for("tutti_comm_set_hints", user, c, error);
    together_pass_gate(c);
    adopt_wishes(c, &w, t, degrees);
    return MPI_SUCCESS;
}

/* ---- questions ---- */

int tutti_comm_topology(MPI_Comm user, char *text, size_t size, size_t *length)
{
    comm *c;
    size_t n;
    int error = together_ready(user, "tutti_comm_topology", &c);

    if (!error && !text && size)
        error = reason_set(MPI_ERR_ARG, "text is NULL, and its size is not 0");
    if (error)
        return comm_raise_for("tutti_comm_topology", user, c, error);
    mutex_lock(&c->state_lock); /* in another thread tutti_comm_set_hints may bring another one */
    n = topo_draw(c->topo, text, size);
    mutex_unlock(&c->state_lock);
    if (length)
        *length = n;
    return MPI_SUCCESS;
}

/* The finest level that is there and not finer than asked for: those between are the same. */
int tutti_comm_regions(MPI_Comm user, const char *level, int regions[], int *count)
{
    comm *c;
    const topo_level *found = NULL;
    topo_kind kind = level ? topo_kind_find(level) : TOPO_KINDS;
    int error = together_ready(user, "tutti_comm_regions", &c);

    if (!error && kind == TOPO_KINDS)
        error =
            reason_set(MPI_ERR_ARG, "level is %s; must be switch, node, package, numa, l3 or core",
                       level ? level : "NULL");
    if (!error && !regions)
        error = reason_set(MPI_ERR_ARG, "regions is NULL");
    if (error)
        return comm_raise_for("tutti_comm_regions", user, c, error);
    mutex_lock(&c->state_lock);
    for (int i = 0; i < c->topo->nlevels && c->topo->level[i].kind <= kind; i++)
        found = &c->topo->level[i];
    for (int r = 0; r < c->p; r++)
        regions[r] = found ? found->region[r] : 0;
    if (count)
        *count = found ? found->n : 1;
    mutex_unlock(&c->state_lock);
    return MPI_SUCCESS;
}

/* "allgather 1024"; *total: bytes of all blocks, as far as all ranks know them. */
static bool parse_call(const char *call, int p, coll_kind *kind, int64_t *bytes, int64_t *total)
{
    char name[32], bytes_text[32] = "0";
    int n = 0;

    if (!call || sscanf(call, "%31s %n%31s %n", name, &n, bytes_text, &n) < 1)
        return false;
    *kind = coll_kind_find(name);
    if (!number_size(bytes_text, bytes))
        return false;
    if (*kind == COLL_KINDS || call[n])
        return false;
    if (__builtin_mul_overflow(*bytes, coll_is_vector(*kind) ? 1 : p, total))
        return false;
    if (!coll_has_common_size(*kind))
        *total = 0;
    return true;
}

/* What requests take where the choice needs more than the name of the call. */
static void add_halo_report(comm *c, char *text, size_t size)
{
    char last[HALO_CHOICE_TEXT];
    size_t n = strlen(text);

    if (halo_choice_describe(c, last))
        snprintf(text + n, size - n, "; the last %s", last);
}

int tutti_comm_explain(MPI_Comm user, const char *call, char *text, size_t size)
{
    comm *c;
    coll asked = {.symmetric = true}; /* such as a sum */
    choice chosen;
    char name[128];
    char why[300];
    const char *plural;
    int64_t bytes = 0, total = 0;
    int error = together_ready(user, "tutti_comm_explain", &c);

    if (!error && (!text || size == 0))
        error = reason_set(MPI_ERR_ARG, "text is NULL, or its size is 0");
    if (!error && !parse_call(call, c->p, &asked.kind, &bytes, &total))
        error = reason_set(MPI_ERR_ARG,
                           "call is %s; must be a collective and bytes, such as \"allgather 4k\"",
                           call ? call : "NULL");
    if (!error) {
        asked.p = c->p;
        mutex_lock(&c->state_lock);
        error = choose_silently(&asked, total, MPI_INFO_NULL, c, &chosen, why, sizeof why);
        mutex_unlock(&c->state_lock);
    }
    if (error)
        return comm_raise_for("tutti_comm_explain", user, c, error);
    plural = c->p == 1 ? "" : "s";
    select_print(&chosen, name, sizeof name);
    if (coll_shapes[asked.kind].recv == COLL_NONE ||
        (bytes == 0 && !coll_has_common_size(asked.kind)))
        snprintf(text, size, "%s on %d rank%s: %s (%s)", coll_kind_name(asked.kind), c->p, plural,
                 name, why);
    else
        snprintf(text, size, "%s of %lld bytes%s on %d rank%s: %s (%s)", coll_kind_name(asked.kind),
                 (long long)bytes, coll_is_vector(asked.kind) ? "" : " a block", c->p, plural, name,
                 why);
    if (coll_has(asked.kind, COLL_NEIGHBORS))
        add_halo_report(c, text, size);
    return MPI_SUCCESS;
}
