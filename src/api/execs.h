/* SPDX-License-Identifier: BSD-3-Clause */
/* execs.h - from a call and a choice to an exec that runs it. */
#ifndef TUTTI_EXECS_H
#define TUTTI_EXECS_H

#include "api/size_exchange.h"

/* The plan for a choice, whose parts go into the key; and the one for what the size exchange has
 * found, if there was anything to ask (s is not NULL). */
int execs_plan(comm *c, plan_key *key, size_t size, choice chosen, plan **result);
int execs_plan_after(comm *c, const size_exchange *s, plan_key *key, size_t size, choice chosen,
                     plan **result);

/* What its plan was made for. */
choice execs_choice(const exec *e);

/* An exec of the plan, whose reference it takes over, bound: takes b over, too. persistent: where
 * its messages go is found by execs_persist. */
int execs_of_plan(comm *c, plan *p, binding *b, bool persistent, exec **result);

/* An exec for the call, bound; persistent: as in execs_of_plan and halo_blocks.h. May ask other
 * ranks, and wait for them; if something goes wrong here after that, the communicator has failed
 * here. */
int execs_bind(const call *c, choice chosen, bool persistent, exec **result);

/* Which form a choice that is undecided becomes, by what HALO_LISTS rounds have found. */
typedef int execs_decide(const call *c, const algo_set *without, const int64_t *lists,
                         choice *chosen);

/* After a round that another one may follow: the error of this rank, or that of another one, or one
 * because not all ranks have made the same choice. */
typedef int execs_agree(const call *c, const choice *chosen, int error);

/* execs_bind in two parts, for callers that must know in between whether the first part has
 * succeeded on all ranks. execs_ask is local and sends nothing; execs_answer exchanges sizes and
 * compiles. After execs_ask without an error one of the two others must be called, once. */
typedef struct execs_asking {
    binding binding;
    bool persistent;
    exec *exec;                   /* that is to ask, or NULL */
    size_exchange *size_exchange; /* NULL: there is nothing to ask */
    execs_decide *decide;         /* if the choice is undecided */
    const algo_set *without;      /* for it */
    execs_agree *agree;           /* NULL: an error of one rank is its own */
    size_t size;
    plan_key *key, small; /* last: it has a variable part */
} execs_asking;

int execs_ask(const call *c, choice chosen, bool persistent, execs_asking *q);

/* Of a persistent one that shows its list (size_exchange.h): it is to be sent. Local. */
int execs_ask_by_sending(const call *c, execs_asking *q);
int execs_answer(const call *c, choice chosen, execs_asking *q, exec **result);
void execs_ask_no_more(execs_asking *q);

/* For people, which collective and algorithm it is. */
void execs_describe(exec *e);

/* The next operation of its communicator. Run it to its end. */
void execs_number(exec *e);
int execs_run(exec *e);

/* Give a persistent one what it has of its communicator, which is ready: a window, and rings or
 * requests of its own. Collective, may wait for other ranks; on failure it is as before. */
int execs_persist(exec *e);

#endif
