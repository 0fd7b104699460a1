/* SPDX-License-Identifier: BSD-3-Clause */
/* comms.c - communicators that come and go while operations run, their attributes, windows.
 *
 * The callbacks of attributes count: the program's own calls and nothing else may call them. keyval
 * 0 is copied, keyval 1 is not (its copy callback says so), the copy callback of keyval 2 refuses:
 * no communicator that has it is duplicated here. */
#include "rows.h"

#include <stdlib.h>

enum { TAG = 30000 }; /* above those of messages */

static int value;

static fuzz *callers[KEYVALS][MAX_THREADS];

static int on_copy(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    fuzz *f = *(fuzz **)extra;
    int k = (int)((fuzz **)extra - &callers[0][0]) / MAX_THREADS;

    (void)comm;
    (void)keyval;
    __atomic_add_fetch(&f->copied[k], 1, __ATOMIC_SEQ_CST);
    *(void **)out = in;
    *flag = k == 0;
    return k == 2 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int on_delete(MPI_Comm comm, int keyval, void *attribute, void *extra)
{
    fuzz *f = *(fuzz **)extra;
    int k = (int)((fuzz **)extra - &callers[0][0]) / MAX_THREADS;

    (void)comm;
    (void)keyval;
    (void)attribute;
    __atomic_add_fetch(&f->deleted[k], 1, __ATOMIC_SEQ_CST);
    return MPI_SUCCESS;
}

static void fill(fuzz *f, int slot, MPI_Comm comm)
{
    fcomm *c = &f->comms[slot];

    c->comm = comm;
    if (comm == MPI_COMM_NULL)
        return;
    MPI_Comm_rank(comm, &c->rank);
    MPI_Comm_size(comm, &c->size);
}

void comms_begin(fuzz *f, const MPI_Comm bases[])
{
    for (int k = 0; k < KEYVALS; k++) {
        callers[k][f->thread] = f;
        MPI_Comm_create_keyval(on_copy, on_delete, &f->keyval[k], &callers[k][f->thread]);
    }
    for (int i = 0; i < BASES; i++) {
        fcomm *c = &f->comms[f->comm_count];
        c->live = c->borrowed = true;
        c->mail = rng_below(&f->shared, MAILS);
        fill(f, f->comm_count++, bases[i]);
    }
    for (int i = 0; i < MAX_COMMS; i++) {
        f->comms[i].freed = MPI_COMM_NULL;
        if (i >= BASES)
            f->comms[i].comm = MPI_COMM_NULL;
    }
}

static void forget_attributes(fuzz *f, fcomm *c)
{
    for (int k = 0; k < KEYVALS; k++) {
        if (!(c->cached & 1 << k) || c->comm == MPI_COMM_NULL)
            continue;
        f->deletes_expected[k]++;
        if (c->borrowed)
            MPI_Comm_delete_attr(c->comm, f->keyval[k]);
    }
    c->cached = 0;
}

void comms_end(fuzz *f)
{
    for (int i = 0; i < f->comm_count; i++) {
        fcomm *c = &f->comms[i];
        if (c->expected != c->received)
            fail(f, NULL, "other messages were received on comm %d than were sent", i);
        if (c->freed != MPI_COMM_NULL)
            MPI_Comm_free(&c->freed);
        if (!c->live)
            continue;
        forget_attributes(f, c);
        if (!c->borrowed && c->comm != MPI_COMM_NULL)
            MPI_Comm_free(&c->comm);
    }
    for (int k = 0; k < KEYVALS; k++) {
        if (f->copied[k] != f->copies_expected[k])
            fail(f, NULL, "copy callback %d was called %ld times, not %ld", k, f->copied[k],
                 f->copies_expected[k]);
        if (f->deleted[k] != f->deletes_expected[k])
            fail(f, NULL, "delete callback %d was called %ld times, not %ld", k, f->deleted[k],
                 f->deletes_expected[k]);
        MPI_Comm_free_keyval(&f->keyval[k]);
    }
}

/* ---- making ---- */

bool make_generate(fuzz *f, op *o)
{
    o->comm = o->what->argument == DUP_SELF ? SELF : random_comm(f);
    fcomm *from = &f->comms[o->comm], *made = &f->comms[f->comm_count];
    int how = o->what->argument;
    bool copies = how == DUP || how == DUP_SELF || how == IDUP;

    if (f->comm_count == MAX_COMMS || (copies && from->cached & 1 << 2))
        return false;
    /* Open MPI 4.1 copies attributes here, and sends messages on the communicator that wildcards
     * catch */
    if (how == CREATE_GROUP && (from->cached || from->mail != MAIL_NAMED))
        return false;
    o->made = f->comm_count++;
    o->variant = copies ? from->cached : 0;
    made->live = true;
    made->mail = rng_below(&f->shared, MAILS);
    made->cached = o->variant & 1;
    return true;
}

/* Members: a part of the ranks, of which rank 0 is one. */
static MPI_Group part_of(const fcomm *c, const op *o, bool *member)
{
    MPI_Group all, part;
    int ranks[MAX_RANKS], n = 0;

    *member = false;
    for (int i = 0; i < c->size; i++) {
        if (i > 0 && mix(o->key, (uint64_t)i) % 4 == 0)
            continue;
        ranks[n++] = i;
        *member |= i == c->rank;
    }
    MPI_Comm_group(c->comm, &all);
    MPI_Group_incl(all, n, ranks, &part);
    MPI_Group_free(&all);
    return part;
}

static MPI_Comm split(const fcomm *c, const op *o)
{
    MPI_Comm made;
    int colors = 1 + (int)(o->key % 3);
    int color = (int)(mix(o->key, (uint64_t)c->rank) % (uint64_t)colors);
    int key = (int)(mix(o->key, 100 + (uint64_t)c->rank) % 8);

    if (mix(o->key, 200 + (uint64_t)c->rank) % 10 == 0)
        color = MPI_UNDEFINED;
    MPI_Comm_split(c->comm, color, key, &made);
    return made;
}

static MPI_Comm make(fuzz *f, const op *o)
{
    const fcomm *c = &f->comms[o->comm];
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Request request;
    int periodic = 1, dims = c->size;
    bool member;

    switch (o->what->argument) {
    case DUP:
    case DUP_SELF:
        MPI_Comm_dup(c->comm, &made);
        break;
    case IDUP: /* nothing may begin on the communicator meanwhile: natively that hangs */
        MPI_Comm_idup(c->comm, &made, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    case SPLIT:
        return split(c, o);
    case CART:
        MPI_Cart_create(c->comm, 1, &dims, &periodic, (int)(o->key % 2), &made);
        break;
    default:
        group = part_of(c, o, &member);
        if (o->what->argument == CREATE)
            MPI_Comm_create(c->comm, group, &made);
        else if (member)
            MPI_Comm_create_group(c->comm, group, TAG + o->index, &made);
        MPI_Group_free(&group);
    }
    return made;
}

void make_start(fuzz *f, op *o)
{
    for (int k = 0; k < KEYVALS; k++)
        f->copies_expected[k] += o->variant >> k & 1;
    fill(f, o->made, make(f, o));
}

/* ---- freeing ---- */

bool free_generate(fuzz *f, op *o)
{
    o->comm = random_comm(f);
    fcomm *c = &f->comms[o->comm];

    if (c->borrowed)
        return false;
    c->live = false;
    o->variant = c->cached;
    c->cached = 0;
    return true;
}

/* What runs on it, and persistent requests, go on. */
void free_start(fuzz *f, op *o)
{
    for (int k = 0; k < KEYVALS; k++)
        f->deletes_expected[k] += o->variant >> k & 1;
#ifdef AVOID_OPEN_MPI /* 4.1, 6.0 crash when native collectives go on: also beside ours */
    f->comms[o->comm].freed = f->comms[o->comm].comm;
    f->comms[o->comm].comm = MPI_COMM_NULL;
#else
    MPI_Comm_free(&f->comms[o->comm].comm);
#endif
}

/* ---- attributes and windows ---- */

bool attribute_generate(fuzz *f, op *o)
{
    o->comm = random_comm(f);
    o->variant = rng_below(&f->shared, KEYVALS);
    fcomm *c = &f->comms[o->comm];

    if (c->cached & 1 << o->variant)
        return false;
    c->cached |= 1 << o->variant;
    return true;
}

void attribute_start(fuzz *f, op *o)
{
    MPI_Comm_set_attr(f->comms[o->comm].comm, f->keyval[o->variant], &value);
}

/* MPICH duplicates the communicator of a window, attributes too. */
bool window_generate(fuzz *f, op *o)
{
    o->comm = random_comm(f);
    return f->comms[o->comm].cached == 0;
}

/* MPICH 4.0.2 loses MPI_Put in such windows now and then: only what is collective. */
void window_start(fuzz *f, op *o)
{
    const fcomm *c = &f->comms[o->comm];
    uint64_t *base, mine = mix(o->key, (uint64_t)c->rank);
    MPI_Win window;

    MPI_Win_allocate(sizeof mine, 1, MPI_INFO_NULL, c->comm, &base, &window);
    MPI_Win_fence(0, window);
    *base = mine;
    MPI_Win_fence(0, window);
    if (*base != mine)
        fail(f, o, "wrong number in the window");
    MPI_Win_free(&window);
}
