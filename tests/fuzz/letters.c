/* SPDX-License-Identifier: BSD-3-Clause */
/* letters.c - point-to-point messages on the communicators of the collectives.
 *
 * Each rank sends up to three messages to anybody, itself included. A message says in its first
 * bytes what it is, and all others follow from that, so any receive can be checked. On a
 * communicator with named mail a receive gives tag and source (or the tag, with MPI_ANY_SOURCE),
 * and tags belong to one operation. On a wild one every receive and probe is MPI_ANY_SOURCE and
 * MPI_ANY_TAG, and there is one for each message. There a message of a rank that is ahead may take
 * the receive that was meant for an earlier one: so nobody waits for a send before all receives of
 * the program are posted. */
#include "call.h"
#include "layout.h"
#include "rows.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PER_RANK = 3, LONGEST = 20000, RECEIVES = 100 /* first part of a receive */ };

/* The first bytes of a message. */
typedef struct stamp {
    int operation, turn, source, dest, number, bytes, reserved[2];
} stamp;

typedef struct letter {
    stamp stamp;
    int tag;
    bool sync;
    unsigned char *memory, *image;
} letter;

typedef struct letters {
    int out, in; /* how many */
    letter sent[PER_RANK];
    letter got[PER_RANK * MAX_RANKS]; /* stamp: what is expected by name; memory */
    bool any_source;
    MPI_Comm comm;
    MPI_Request *requests; /* persistent: receives, then sends */
} letters;

static uint64_t hash(const fuzz *f, const stamp *s)
{
    uint64_t k = mix(f->ops[s->operation].key, (uint64_t)s->turn);
    return mix(mix(k, (uint64_t)s->source * 1000 + (uint64_t)s->dest), (uint64_t)s->number);
}

/* Message `number` of rank `source`; false: it sends no more. */
static bool letter_choose(const op *o, int p, int source, int number, letter *l)
{
    rng r = {mix(mix(o->key, (uint64_t)source), (uint64_t)number)};
    int size = rng_below(&r, 100);

    if (number == PER_RANK || rng_chance(&r, 30))
        return false;
    int extra = rng_below(&r, size < 70 ? 64 : size < 94 ? 2000 : LONGEST - 100);
    l->stamp = (stamp){.operation = o->index,
                       .source = source,
                       .dest = rng_below(&r, p),
                       .number = number,
                       .bytes = (int)sizeof(stamp) + extra};
    l->tag = o->index * 4 + number;
    l->sync = rng_chance(&r, 25);
    return true;
}

static letters *make(fuzz *f, op *o)
{
    const fcomm *c = &f->comms[o->comm];
    letters *x = calloc(1, sizeof *x);

    x->comm = c->comm;
    x->any_source = c->mail == MAIL_WILD || rng_chance(&f->mine, 40);
    for (int s = 0; s < c->size; s++) {
        letter l = {0};
        for (int k = 0; letter_choose(o, c->size, s, k, &l); k++) {
            if (s == c->rank)
                x->sent[x->out++] = l;
            if (l.stamp.dest == c->rank)
                x->got[x->in++] = l;
        }
    }
    for (int i = 0; i < x->out; i++) {
        x->sent[i].memory = malloc(LONGEST);
        x->sent[i].image = malloc(LONGEST);
    }
    for (int i = 0; i < x->in; i++)
        x->got[i].memory = malloc(LONGEST);
    o->state = x;
    for (int i = 0; f->opt->verbose && i < x->out; i++)
        printf("  %d: %d -> %d, tag %d, %d bytes%s%s\n", o->index, c->rank, x->sent[i].stamp.dest,
               x->sent[i].tag, x->sent[i].stamp.bytes, x->sent[i].sync ? ", synchronous" : "",
               c->mail == MAIL_WILD ? ", wild"
               : x->any_source      ? ", any"
                                    : ", named");
    return x;
}

static void write_letters(fuzz *f, const op *o, letters *x, int turn)
{
    fcomm *c = &f->comms[o->comm];

    for (int i = 0; i < x->out; i++) {
        letter *l = &x->sent[i];
        size_t n = (size_t)l->stamp.bytes;
        l->stamp.turn = turn;
        memcpy(l->image, &l->stamp, sizeof l->stamp);
        data_bytes(hash(f, &l->stamp), l->image + sizeof l->stamp, n - sizeof l->stamp);
        memcpy(l->memory, l->image, n);
    }
    for (int i = 0; i < x->in; i++) {
        x->got[i].stamp.turn = turn;
        c->expected += hash(f, &x->got[i].stamp);
        memset(x->got[i].memory, 0x5c, LONGEST);
    }
}

/* ---- what has arrived ---- */

static bool sensible(const fuzz *f, const op *o, const stamp *s)
{
    const fcomm *c = &f->comms[o->comm];

    return s->operation >= 0 && s->operation < f->op_count &&
           f->ops[s->operation].comm == o->comm && s->dest == c->rank && s->source >= 0 &&
           s->source < c->size && s->number >= 0 && s->number < PER_RANK;
}

static void read_letter(fuzz *f, const op *o, const letter *l, const MPI_Status *status)
{
    static _Thread_local unsigned char body[LONGEST];
    fcomm *c = &f->comms[o->comm];
    stamp s;
    int count;

    memcpy(&s, l->memory, sizeof s);
    MPI_Get_count(status, MPI_BYTE, &count);
    if (count < (int)sizeof s || !sensible(f, o, &s)) {
        fail(f, o, "%d bytes from %d with tag %d are no message of the program", count,
             status->MPI_SOURCE, status->MPI_TAG);
        return;
    }
    const op *from = &f->ops[s.operation];
    int tag = (from->of >= 0 ? from->of : s.operation) * 4 + s.number;
    if (status->MPI_SOURCE != s.source || status->MPI_TAG != tag || count != s.bytes)
        fail(f, o, "status: %d bytes from %d, tag %d; message: %d from %d, tag %d", count,
             status->MPI_SOURCE, status->MPI_TAG, s.bytes, s.source, tag);
    data_bytes(hash(f, &s), body, (size_t)count - sizeof s);
    if (memcmp(body, l->memory + sizeof s, (size_t)count - sizeof s) != 0)
        fail(f, o, "message from %d: wrong bytes", s.source);
    c->received += hash(f, &s);
    if (c->mail == MAIL_NAMED && s.operation != l->stamp.operation)
        fail(f, o, "a message of operation %d", s.operation);
}

static letters *letters_of(fuzz *f, const op *o)
{
    return o->of >= 0 ? f->ops[o->of].state : o->state;
}

void letters_part(fuzz *f, op *o, int part, const MPI_Status *status)
{
    if (part >= RECEIVES)
        read_letter(f, o, &letters_of(f, o)->got[part - RECEIVES], status);
}

void letters_check(fuzz *f, op *o)
{
    letters *x = letters_of(f, o);

    for (int i = 0; i < x->out; i++)
        if (memcmp(x->sent[i].memory, x->sent[i].image, (size_t)x->sent[i].stamp.bytes) != 0)
            fail(f, o, "a send buffer was changed");
}

/* ---- sending and receiving ---- */

static int source_of(const letters *x, const letter *l)
{
    return x->any_source ? MPI_ANY_SOURCE : l->stamp.source;
}

static int tag_of(const fuzz *f, const op *o, const letter *l)
{
    return f->comms[o->comm].mail == MAIL_WILD ? MPI_ANY_TAG : l->tag;
}

static void post_receives(fuzz *f, op *o, letters *x)
{
    for (int i = 0; i < x->in; i++) {
        MPI_Request r;
        letter *l = &x->got[i];
        MPI_Irecv(l->memory, LONGEST, MPI_BYTE, source_of(x, l), tag_of(f, o, l), x->comm, &r);
        pending_add(f, o, RECEIVES + i, r, NULL);
    }
}

static void post_sends(fuzz *f, op *o, letters *x)
{
    for (int i = 0; i < x->out; i++) {
        MPI_Request r;
        letter *l = &x->sent[i];
        (l->sync ? MPI_Issend : MPI_Isend)(l->memory, l->stamp.bytes, MPI_BYTE, l->stamp.dest,
                                           l->tag, x->comm, &r);
        pending_add(f, o, i, r, NULL);
        if (f->comms[o->comm].mail == MAIL_WILD)
            f->pending[f->pending_count - 1].wait_from = f->op_count;
    }
}

bool letters_generate_named(fuzz *f, op *o)
{
    o->comm = random_comm(f);
    return f->comms[o->comm].mail == MAIL_NAMED;
}

bool letters_generate(fuzz *f, op *o)
{
    o->comm = random_comm(f);
    return f->comms[o->comm].mail != MAIL_SILENT;
}

void letters_start(fuzz *f, op *o)
{
    letters *x = make(f, o);

    write_letters(f, o, x, 0);
    post_receives(f, o, x);
    post_sends(f, o, x);
}

/* Blocking sends: all ranks have posted their receives before. */
void letters_run(fuzz *f, op *o)
{
    letters *x = make(f, o);

    write_letters(f, o, x, 0);
    post_receives(f, o, x);
    for (int i = 0; i < x->out; i++) {
        letter *l = &x->sent[i];
        (l->sync ? MPI_Ssend : MPI_Send)(l->memory, l->stamp.bytes, MPI_BYTE, l->stamp.dest, l->tag,
                                         x->comm);
    }
}

static bool probe_one(fuzz *f, op *o, letters *x, int i)
{
    letter *l = &x->got[i];
    int source = source_of(x, l), tag = tag_of(f, o, l), flag, count;
    MPI_Message message;
    MPI_Status status;

    if (o->key % 2 == 0) {
        MPI_Iprobe(source, tag, x->comm, &flag, &status);
        if (!flag)
            return false;
        MPI_Get_count(&status, MPI_BYTE, &count);
        MPI_Recv(l->memory, count, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, x->comm, &status);
    } else {
        MPI_Improbe(source, tag, x->comm, &flag, &message, &status);
        if (!flag)
            return false;
        MPI_Mrecv(l->memory, LONGEST, MPI_BYTE, &message, &status);
    }
    read_letter(f, o, l, &status);
    return true;
}

/* Receives found by looking for them. */
void letters_probe(fuzz *f, op *o)
{
    letters *x = make(f, o);

    write_letters(f, o, x, 0);
    post_sends(f, o, x);
    for (int i = 0; i < x->in;) {
        if (probe_one(f, o, x, i)) {
            i++;
            continue;
        }
        own_progress();
        sched_yield();
    }
}

/* ---- persistent ---- */

void letters_init(fuzz *f, op *o)
{
    letters *x = make(f, o);

    x->any_source = false; /* starts of a rank that is ahead: see above */
    x->requests = malloc((size_t)(x->in + x->out + 1) * sizeof *x->requests);
    for (int i = 0; i < x->in; i++) {
        letter *l = &x->got[i];
        MPI_Recv_init(l->memory, LONGEST, MPI_BYTE, source_of(x, l), tag_of(f, o, l), x->comm,
                      &x->requests[i]);
    }
    for (int i = 0; i < x->out; i++) {
        letter *l = &x->sent[i];
        (l->sync ? MPI_Ssend_init : MPI_Send_init)(l->memory, l->stamp.bytes, MPI_BYTE,
                                                   l->stamp.dest, l->tag, x->comm,
                                                   &x->requests[x->in + i]);
    }
}

bool letters_generate_restart(fuzz *f, op *o)
{
    return generate_of(f, o, letters_init, false);
}

bool letters_generate_free(fuzz *f, op *o)
{
    return generate_of(f, o, letters_init, true);
}

void letters_restart(fuzz *f, op *o)
{
    letters *x = letters_of(f, o);

    for (int i = 0; i < x->out; i++)
        x->sent[i].stamp.operation = o->index;
    for (int i = 0; i < x->in; i++)
        x->got[i].stamp.operation = o->index;
    write_letters(f, o, x, o->turn);
    MPI_Startall(x->in + x->out, x->requests);
    for (int i = 0; i < x->in + x->out; i++)
        pending_add(f, o, i < x->in ? RECEIVES + i : i - x->in, x->requests[i], NULL);
}

void letters_unmake(fuzz *f, op *o)
{
    letters *x = letters_of(f, o);

    for (int i = 0; i < x->in + x->out; i++)
        MPI_Request_free(&x->requests[i]);
}

void letters_release(op *o)
{
    letters *x = o->state;

    for (int i = 0; i < x->out; i++) {
        free(x->sent[i].memory);
        free(x->sent[i].image);
    }
    for (int i = 0; i < x->in; i++)
        free(x->got[i].memory);
    free(x->requests);
    free(x);
}
