/* SPDX-License-Identifier: BSD-3-Clause */
/* decision_tables.c - see decision_tables.h. */
#include "api/decision_tables.h"

#include "nbc/process/process.h"

#include <stdlib.h>
/* uthash's own would look at each byte, and mostly nothing is forbidden. */
#define HASH_FUNCTION(asked, length, hash) (hash) = hash_of_question(asked)
#define HASH_NONFATAL_OOM                  1
#include <uthash.h>

/* No padding: compared as bytes. */
typedef struct question {
    uint64_t situation;
    decision_call call;
} question;

typedef struct entry {
    UT_hash_handle hh;
    question asked;
    decided decided;
} entry;

static entry *entries; /* library lock, as all here */

static unsigned hash_of_question(const question *q)
{
    uint64_t h = (q->situation ^ q->call.key) * 0x9e3779b97f4a7c15;

    for (size_t i = 0; i < sizeof q->call.without.word / sizeof *q->call.without.word; i++)
        h = (h ^ q->call.without.word[i]) * 0x9e3779b97f4a7c15;
    return (unsigned)(h >> 32);
}

/* Never 0. Wisdom counts only where all ranks have the same. */
static uint64_t situation_of(const comm *c)
{
    const topo *t = c->topo;
    const uint32_t all[] = {(uint32_t)c->p, (uint32_t)t->far, c->same_wisdom,
                            c->same_wisdom ? wisdom_digest_of(c->wisdom) : 0};
    uint64_t hash = wisdom_hash(WISDOM_HASH, all, sizeof all);
    uint16_t machine[CONSTANTS_PACKED];

    constants_pack(&c->machine, machine);
    hash = wisdom_hash(hash, machine, sizeof machine);
    for (const topo_level *l = t->level; l < t->level + t->nlevels; l++) {
        const int one[] = {(int)l->kind, l->height, l->distance};
        hash = wisdom_hash(hash, one, sizeof one);
        hash = wisdom_hash(hash, l->region, (size_t)c->p * sizeof *l->region);
    }
    return hash | 1;
}

/* NULL: there is none. Situation 0: its ranks could not exchange where they are, and all
 * calls fail. */
static entry *find_entry(comm *c, const decision_call *call, question *q)
{
    entry *e = NULL;

    if (!c->decisions && c->topo)
        c->decisions = situation_of(c);
    *q = (question){.situation = c->decisions, .call = *call};
    HASH_FIND(hh, entries, q, sizeof *q, e);
    return e;
}

bool decision_tables_find(comm *c, const decision_call *call, decided *result)
{
    question q;

    process_lock();
    const entry *e = find_entry(c, call, &q);
    if (e)
        *result = e->decided;
    process_unlock();
    return e != NULL;
}

static void forget_all(void)
{
    entry *e, *next;

    HASH_ITER (hh, entries, e, next) {
        HASH_DEL(entries, e);
        free(e);
    }
}

/* NULL: out of memory. */
static entry *insert_entry(const question *q)
{
    entry *e = malloc(sizeof *e);

    if (!e)
        return NULL;
    if (HASH_COUNT(entries) >= DECISIONS)
        forget_all();
    e->asked = *q;
    HASH_ADD(hh, entries, asked, sizeof *q, e);
    if (e->hh.tbl)
        return e;
    free(e);
    return NULL;
}

/* Two threads may both have found it; what was tried may have been tried again. */
void decision_tables_keep(comm *c, const decision_call *call, const decided *result)
{
    question q;

    process_lock();
    entry *e = find_entry(c, call, &q);
    if (!e && q.situation)
        e = insert_entry(&q);
    if (e)
        e->decided = *result;
    process_unlock();
}

void decision_tables_leave(comm *c)
{
    process_lock();
    c->decisions = 0;
    process_unlock();
}
