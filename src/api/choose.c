/* SPDX-License-Identifier: BSD-3-Clause */
/* choose.c - see choose.h. */
#include "api/choose.h"

#include "api/decisions.h"
#include "api/hints.h"
#include "api/try_both.h"
#include "nbc/process/env.h"
#include "nbc/process/mpi_library.h"
#include "nbc/process/reason.h"
#include "nbc/process/settings.h"
#include "tune/reproducible.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { ADVICE = 2300 }; /* all names */

/* A call, as selection sees it. */
typedef struct question {
    const coll *call;
    int64_t bytes; /* all, of coll_bytes */
    MPI_Info info;
    comm *c;
    bool known; /* where the ranks are */
    bool reproducible;
    algo_set without; /* algorithms that are forbidden */
    decision *by;     /* of the rule */
} question;

static int applicable(choice c, const question *q)
{
    const algo *a = algo_table[c.algo];
    const coll *call = q->call;
    const char *why = algo_refuses(a, call);

    if (!why && q->reproducible)
        why = reproducible_refuses(&c, call, q->bytes);
    if (why && env_verbose())
        env_say("%s on %d rank%s: %s", a->name, call->p, call->p == 1 ? "" : "s", why);
    if (why)
        return reason_set(MPI_ERR_UNSUPPORTED_OPERATION, "%s on %d rank%s: %s", a->name, call->p,
                          call->p == 1 ? "" : "s", why);
    return MPI_SUCCESS;
}

static bool parse_choice(const question *q, const char *text, choice *result)
{
    return select_parse(q->call->kind, text, q->call->p, q->bytes, result);
}

/* "^ring,linear": *forbids, and then nothing is chosen. MPI_ERR_ARG: a name is wrong. */
static int forbid(question *q, const char *text, bool *forbids)
{
    *forbids = text[0] == '^';
    if (*forbids && select_forbid(q->call->kind, text, &q->without) != 0)
        return MPI_ERR_ARG;
    return MPI_SUCCESS;
}

/* Rank 0 says it once, whatever the error handler: all ranks have the same variables. */
static int refuse_variables(const question *q, atomic_bool *said, const char *text)
{
    if (q->c->rank != 0 || atomic_exchange(said, true))
        return reason_set(MPI_ERR_ARG, "%s", text);
    env_say_here("%s", text);
    return reason_printed(MPI_ERR_ARG);
}

/* said: of a variable, whether it has been said; NULL: of info. */
static int wrong_name(const question *q, const char *setting, const char *value, atomic_bool *said)
{
    char text[ADVICE];
    size_t n = (size_t)snprintf(text, ADVICE,
                                "%s=%.200s: unknown algorithm for %s; valid names: ", setting,
                                value, coll_kind_name(q->call->kind));

    select_print_names(q->call->kind, text + n, ADVICE - n);
    return said ? refuse_variables(q, said, text) : reason_set(MPI_ERR_INFO_VALUE, "%s", text);
}

/* Info values and environment variables name algorithms in the same way. */
static int from_info(question *q, choice *c, bool *found)
{
    char text[MPI_MAX_INFO_VAL + 1];
    bool forbids;
    int error = hints_value(q->info, "tutti_algorithm", text, found);

    if (error || !*found)
        return error;
    if (forbid(q, text, &forbids))
        return wrong_name(q, "tutti_algorithm", text, NULL);
    *found = !forbids && strcmp(text, "auto") != 0;
    if (!*found)
        return MPI_SUCCESS;
    return parse_choice(q, text, c) ? applicable(*c, q)
                                    : wrong_name(q, "tutti_algorithm", text, NULL);
}

/* Neither forbidden nor refused. */
static bool possible(const question *q, const choice *c)
{
    return !algo_set_has(&q->without, c->algo) && applicable(*c, q) == MPI_SUCCESS;
}

/* Hints name an algorithm for all collectives that have it, wherever it applies. */
static bool from_hints(question *q, choice *result)
{
    const char *text = q->c->hints.algorithm[q->call->kind];
    bool forbids;

    forbid(q, text, &forbids); /* names that this collective has not are of others */
    return *text && !forbids && parse_choice(q, text, result) && possible(q, result);
}

/* How blocks keep their order, unless the name of the algorithm says so. */
static int set_choice_order(MPI_Info info, const comm *c, choice *result)
{
    char text[MPI_MAX_INFO_VAL + 1];
    coll_order order = c->hints.has_order ? c->hints.order : ORDER_PLACE;
    bool found;
    int error = hints_value(info, "tutti_order", text, &found);

    if (!error && found)
        error = hints_read_order(text, &order);
    if (!error && algo_table[result->algo]->orders && !result->order_named)
        result->order = order;
    return error;
}

static int wrong_in_environment(const question *q, const char *value)
{
    static atomic_bool said;
    char name[SETTING_NAME];

    setting_name_for("TUTTI_ALGORITHM_*", q->call->kind, name);
    return wrong_name(q, name, value, &said);
}

/* A variable names an algorithm for all communicators: where it does not apply, the rule does; and
 * where not all ranks have the same environment, which is known when the communicator is ready. */
static int from_environment(question *q, choice *c, bool *found)
{
    const char *text = env_algorithm(q->call->kind);
    bool forbids;

    *found = false;
    if (!text || strcmp(text, "auto") == 0 || !q->known || !q->c->same_environment)
        return MPI_SUCCESS;
    if (forbid(q, text, &forbids) || (!forbids && !parse_choice(q, text, c)))
        return wrong_in_environment(q, text);
    *found = !forbids && possible(q, c);
    return MPI_SUCCESS;
}

static int nothing_left(const question *q)
{
    static atomic_bool said;
    char text[100];

    snprintf(text, sizeof text, "%s: every algorithm that could serve the call is forbidden",
             coll_kind_name(q->call->kind));
    return refuse_variables(q, &said, text);
}

/* Another one would have other bits. */
static int take_reproducible(const question *q, choice *result, const char **why)
{
    static atomic_bool said;
    char text[200];

    *result = reproducible_choice(q->call, q->bytes);
    *why = "tutti_reproducible=topology: by the number of ranks and bytes alone";
    if (!algo_set_has(&q->without, result->algo))
        return MPI_SUCCESS;
    snprintf(
        text, sizeof text,
        "%s: tutti_reproducible=topology needs %s for %lld bytes on %d ranks, which is forbidden",
        coll_kind_name(q->call->kind), algo_table[result->algo]->name, (long long)q->bytes,
        q->call->p);
    return refuse_variables(q, &said, text);
}

static int by_rule(const question *q, choice *result, const char **why)
{
    int error;

    if (q->reproducible)
        return take_reproducible(q, result, why);
    if (!algo_set_is_empty(&q->without) && !select_any(q->call, q->bytes, &q->without, result))
        return nothing_left(q);
    if (!q->known) {
        select_rule(q->call, q->bytes, &q->without, result, why);
        return MPI_SUCCESS;
    }
    error = decision_of(q->c, q->call, q->bytes, &q->without, q->by);
    *why = q->by->why;
    *result = q->by->choice;
    return error;
}

/* For `auto`. */
static int choose_any(question *q, choice *result, const char **why)
{
    bool found;
    int error = from_info(q, result, &found);

    *why = "asked for by info";
    if (error || found)
        return error;
    *why = "asked for by the communicator's hints";
    if (from_hints(q, result))
        return MPI_SUCCESS;
    *why = "asked for by the environment";
    error = from_environment(q, result, &found);
    return error || found ? error : by_rule(q, result, why);
}

static int choose_named(const question *q, int algo, choice *result, const char **why)
{
    *why = "asked for by name";
    if (!select_named(algo, 0, q->call->p, q->bytes, result))
        return MPI_ERR_ARG;
    return applicable(*result, q);
}

static int answer_question(question *q, int algo, choice *result, const char **why)
{
    bool known = q->c->ready; /* once: a progress thread may change it meanwhile */
    bool reduces = coll_has(q->call->kind, COLL_REDUCES);
    int error;

    q->known = known;
    error = hints_ask_reproducible(q->info, q->c, known, &q->reproducible);
    if (error)
        return error;
    q->reproducible &= reduces;
    error = algo == ALGO_NONE ? choose_any(q, result, why) : choose_named(q, algo, result, why);
    if (error)
        return error;
    result->in_order = q->reproducible && reproducible_in_order(q->call);
    result->provisional = !known && (result->by_rule || algo_table[result->algo]->regional ||
                                     (reduces && env_reproducible()));
    return set_choice_order(q->info, q->c, result);
}

/* The estimate of the choice, and of the one that would have been next. */
static void print_estimate(const decision *v, char *text, size_t size)
{
    char name[128];
    size_t n;

    if (v->n == 0)
        return;
    n = (size_t)snprintf(text, size, ": %s%.3g us", forecast_sign(&v->best[0]),
                         1e-6 * (double)v->best[0].time);
    if (v->n < 2 || n >= size)
        return;
    select_print(&v->best[1].choice, name, sizeof name);
    snprintf(text + n, size - n, "; then %s: %s%.3g us", name, forecast_sign(&v->best[1]),
             1e-6 * (double)v->best[1].time);
}

int choose_silently(const coll *call, int64_t bytes, MPI_Info info, comm *c, choice *result,
                    char *why, size_t size)
{
    decision by = {0};
    question q = {.call = call, .bytes = bytes, .info = info, .c = c, .by = &by};
    char estimate[200] = "";
    const char *reason;
    int error = answer_question(&q, ALGO_NONE, result, &reason);

    if (error)
        return error;
    print_estimate(&by, estimate, sizeof estimate);
    snprintf(why, size, "%s%s", reason, estimate);
    return MPI_SUCCESS;
}

static int class_of(int64_t bytes)
{
    return bytes > 0 ? 64 - __builtin_clzll((unsigned long long)bytes) : 0;
}

/* Nothing, if nobody knows them, or there are none. */
static void print_size(int64_t bytes, char *text, size_t size)
{
    text[0] = '\0';
    if (bytes > 0)
        snprintf(text, size, " of %lld bytes in all", (long long)bytes);
}

/* Once for each collective, power of two of the bytes, and algorithm. */
static void say_choice(coll_kind kind, int p, int64_t bytes, const choice *c, const char *why,
                       const decision *by)
{
    static _Atomic uint64_t said[COLL_KINDS][64];
    uint64_t bit = (uint64_t)1 << (c->algo % 64);
    char name[128], size[64], estimate[200] = "";

    if (atomic_fetch_or(&said[kind][class_of(bytes)], bit) & bit)
        return;
    select_print(c, name, sizeof name);
    print_estimate(by, estimate, sizeof estimate);
    print_size(bytes, size, sizeof size);
    env_say("%s%s on %d rank%s: %s (%s%s)", coll_kind_name(kind), size, p, p == 1 ? "" : "s", name,
            why, estimate);
}

static question question_of(const call *c, MPI_Info info, decision *by)
{
    *by = (decision){0};
    return (question){
        .call = &c->coll, .bytes = c->bytes.all, .info = info, .c = c->comm, .by = by};
}

int choose(const call *c, MPI_Info info, selection *result)
{
    decision by;
    question q = question_of(c, info, &by);
    const char *why;
    int error = answer_question(&q, c->algo, &result->choice, &why);

    result->without = q.without;
    if (!error && c->algo == ALGO_NONE && !result->choice.provisional && env_verbose())
        say_choice(c->coll.kind, c->coll.p, q.bytes, &result->choice, why, &by);
    return error;
}

/* Once for each collective and power of two of the bytes. */
static void say_native(const call *c, const decision_server *s)
{
    static _Atomic uint64_t said[COLL_KINDS];
    uint64_t bit = (uint64_t)1 << class_of(c->bytes.all);
    char size[64], why[100] = "there is no estimate";

    if (atomic_fetch_or(&said[c->coll.kind], bit) & bit)
        return;
    print_size(c->bytes.all, size, sizeof size);
    if (s->wise)
        strcpy(why, "wisdom");
    else if (s->estimated)
        snprintf(why, sizeof why, "no gain in the estimate: %.3g us, at best %.3g us",
                 1e-6 * (double)s->times.ours, 1e-6 * (double)s->times.native);
    env_say("%s%s on %d rank%s: left to the MPI where the call blocks (%s)",
            coll_kind_name(c->coll.kind), size, c->coll.p, c->coll.p == 1 ? "" : "s", why);
}

bool choose_may_leave(const call *c)
{
    return !native_errs(&c->coll, c->bytes.all, &mpi_library_here()->version);
}

int choose_native(const call *c, const selection *s, bool *native, comm_tried **tried)
{
    decision_server server;
    int error;

    *native = false;
    if (c->algo != ALGO_NONE || !c->comm->same_environment || !s->choice.by_rule ||
        s->choice.provisional)
        return MPI_SUCCESS;
    error = decision_of_server(c->comm, &c->coll, c->bytes.all, &s->without, &server);
    if (error || !choose_may_leave(c))
        return error;
    error = try_both(c, &s->without, &server, tried);
    if (server.native && !server.tried && env_verbose())
        say_native(c, &server);
    *native = server.native;
    return error;
}

int choose_candidates(const call *c, MPI_Info info, choice *list, int most, int *n, wisdom_key *key)
{
    decision by;
    question q = question_of(c, info, &by);
    char shape[WISDOM_SHAPE];
    const char *why;
    choice first;
    int error, found;

    *n = 0;
    error = c->algo == ALGO_NONE ? answer_question(&q, c->algo, &first, &why) : MPI_SUCCESS;
    if (error || c->algo != ALGO_NONE || !first.by_rule || by.wise)
        return error;
    found = decisions_candidates(c->comm, &c->coll, c->bytes.all, &q.without, &first, list, most);
    if (found < 0)
        return MPI_ERR_NO_MEM;
    for (int i = 1; i < found; i++)
        set_choice_order(info, c->comm, &list[i]);
    wisdom_shape(c->comm->topo, shape, sizeof shape);
    *key = wisdom_key_of(&c->coll, c->bytes.all, shape);
    *n = found;
    return MPI_SUCCESS;
}
