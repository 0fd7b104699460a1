/* SPDX-License-Identifier: BSD-3-Clause */
/* blockmap.c - block index -> interval, and messages of several blocks. */
#include "algos/blockmap.h"

#include "algos/group.h"

interval row_at(const blockrow *row, int k)
{
    int pieces = row->pieces ? row->pieces : 1, i = k / pieces;

    if (row->counts)
        return interval_make(row->space,
                             row->base + pieces * row->displs[i] + k % pieces * row->counts[i],
                             row->counts[i]);
    return interval_make(row->space, row->base + k * row->count, row->count);
}

static int item_size(const blockmap *b, int i)
{
    return b->first ? b->first[i + 1] - b->first[i] : b->pieces;
}

static int item_block(const blockmap *b, int i, int k)
{
    if (b->first)
        return b->list[b->first[i] + k];
    return (b->list ? b->list[i] : i) * b->pieces + k;
}

/* One side of the call. A vector is blocks of one element. `single`: there is only the block of
 * this rank, at the begin of the space, and the other side has the others. */
static blockrow row_of(const coll *c, const coll_side *side, const coll_side *other, bool single,
                       sched_space space, int pieces)
{
    if (single && coll_has(c->kind, COLL_REDUCES) && other->counts)
        return (blockrow){.space = space,
                          .counts = other->counts,
                          .displs = other->displs,
                          .base = -pieces * other->displs[c->rank],
                          .pieces = pieces};
    return (blockrow){.space = space,
                      .count = side->count,
                      .counts = side->counts,
                      .displs = side->displs,
                      .base = single ? -pieces * c->rank * side->count : 0,
                      .pieces = pieces};
}

static int items_of(const coll *c, int parts)
{
    const coll_shape *shape = &coll_shapes[c->kind];

    if (shape->recv == COLL_NONE)
        return 0;
    if (shape->traits & COLL_NEIGHBORS)
        return c->neighbors->nsources;
    return coll_is_vector(c->kind) ? parts : c->p;
}

blockmap blockmap_make(const coll *c, int parts)
{
    const coll_shape *shape = &coll_shapes[c->kind];
    bool gathers = shape->send == COLL_ONE && shape->recv > COLL_ONE;
    bool scatters = shape->send > COLL_ONE && shape->recv == COLL_ONE;
    bool aliases = c->in_place && !(shape->traits & COLL_ROOT_SENDS);
    int n = items_of(c, parts), pieces = coll_is_vector(c->kind) ? 1 : parts;
    blockmap b = {.n = n, .pieces = pieces, .blocks = n * pieces, .mine = gathers ? c->rank : -1};

    if (shape->traits & COLL_NEIGHBORS) {
        b.in = row_of(c, &c->recv, &c->send, false, SPACE_RECV, pieces);
        b.out = row_of(c, &c->send, &c->recv, false, SPACE_SEND, pieces);
        b.own = interval_make(SPACE_SEND, 0, c->send.count);
        b.mine = gathers ? 0 : -1;
        return b;
    }
    b.in = row_of(c, &c->recv, &c->send, scatters, SPACE_RECV, pieces);
    if (aliases && !scatters)
        b.out = b.in;
    else
        b.out = row_of(c, &c->send, &c->recv, gathers, aliases ? SPACE_RECV : SPACE_SEND, pieces);
    if (gathers)
        b.own = whole_at(&b, &b.out, c->rank);
    return b;
}

interval place_of(const blockmap *b, int k)
{
    return row_at(&b->in, k);
}

/* All pieces of the item's block. */
static interval block_of(const blockmap *b, const blockrow *row, int i)
{
    interval first = row_at(row, item_block(b, wrap(i, b->n), 0));

    return part_of(first, 0, b->pieces, (int64_t)first.length);
}

interval block(const blockmap *b, int i)
{
    return block_of(b, &b->in, i);
}

interval outgoing(const blockmap *b, int i)
{
    return block_of(b, &b->out, i);
}

interval part_of(interval all, int64_t first, int64_t n, int64_t length)
{
    return interval_make(all.space, all.offset + first * length, n * length);
}

interval whole_at(const blockmap *b, const blockrow *row, int rank)
{
    interval first = row_at(row, rank * b->pieces);

    return part_of(first, 0, b->pieces, (int64_t)first.length);
}

/* Does b begin where a ends? */
static bool follows(interval a, interval b)
{
    return a.space == b.space && interval_end(a) == b.offset;
}

void copy_out(sched_builder *s, const blockmap *b, int first, int n, interval to)
{
    for (int i = 0; i < n;) {
        interval run = outgoing(b, first + i);
        for (i++; i < n && follows(run, outgoing(b, first + i)); i++)
            run.length += outgoing(b, first + i).length;
        to.length = run.length;
        sched_copy(s, run, to);
        to.offset += (int64_t)run.length;
    }
}

void copy_in(sched_builder *s, interval from, const blockmap *b, int first, int n)
{
    for (int i = 0; i < n;) {
        interval run = block(b, first + i);
        for (i++; i < n && follows(run, block(b, first + i)); i++)
            run.length += block(b, first + i).length;
        from.length = run.length;
        sched_copy(s, from, run);
        from.offset += (int64_t)run.length;
    }
}

/* ---- items ---- */

itemlist items_begin(const blockmap *b, int n, sched_builder *s)
{
    itemlist t = {.map = *b};

    t.first = sched_borrow(s, ((size_t)n + 1) * sizeof *t.first);
    t.list = sched_borrow(s, (size_t)b->blocks * sizeof *t.list);
    t.map.n = 0;
    t.map.first = t.first;
    t.map.list = t.list;
    return t;
}

void items_add(itemlist *t, const blockmap *from, int item)
{
    if (!t->first || !t->list)
        return;
    for (int k = 0; k < item_size(from, item); k++)
        t->list[t->used++] = item_block(from, item, k);
}

void items_next(itemlist *t)
{
    t->map.n++;
    if (t->first && t->list)
        t->first[t->map.n] = t->used;
}

blockmap cut(const blockmap *b, int n, sched_builder *s)
{
    itemlist t = items_begin(b, n, s);

    for (int i = 0; i < n; i++) {
        for (int k = (int)((int64_t)i * b->n / n); k < (int64_t)(i + 1) * b->n / n; k++)
            items_add(&t, b, k);
        items_next(&t);
    }
    return t.map;
}

int slices_of(const blockmap *b, const sched_builder *s)
{
    return sched_form(s) == FORM_BLOCK ? b->pieces : 1;
}

blockmap slice(const blockmap *b, int q, sched_builder *s)
{
    blockmap part = *b;
    int *first, *list, used = 0;

    if (slices_of(b, s) == 1)
        return part;
    first = sched_borrow(s, ((size_t)b->n + 1) * sizeof *first);
    list = sched_borrow(s, (size_t)(b->blocks / b->pieces) * sizeof *list);
    for (int i = 0; first && list && i < b->n; i++) {
        for (int k = q; k < item_size(b, i); k += b->pieces)
            list[used++] = item_block(b, i, k);
        first[i + 1] = used;
    }
    part.first = first;
    part.list = list;
    return part;
}

/* ---- rows of a vector ---- */

/* All blocks, one behind the other, of one length. */
static blockrow equal_blocks(sched_builder *s, const blockmap *b)
{
    return (blockrow){.space = SPACE_SCRATCH,
                      .count = b->in.count,
                      .base = sched_scratch(s, b->blocks * b->in.count).offset};
}

/* Those of n items alone; of the others only the lengths. */
static blockrow blocks_of_items(sched_builder *s, const blockmap *b, int first, int n)
{
    int64_t *counts = sched_borrow(s, 2 * (size_t)b->blocks * sizeof *counts);
    int64_t *displs = counts ? counts + b->blocks : NULL, length = 0;
    blockrow row = {.space = SPACE_SCRATCH, .counts = counts, .displs = displs};

    for (int k = 0; counts && k < b->blocks; k++)
        counts[k] = (int64_t)row_at(&b->in, k).length;
    for (int i = first; counts && i < first + n; i++)
        for (int k = 0; k < item_size(b, wrap(i, b->n)); k++) {
            int at = item_block(b, wrap(i, b->n), k);
            displs[at] = length;
            length += counts[at];
        }
    row.base = sched_scratch(s, length).offset;
    return row;
}

blockrow scratch_row(sched_builder *s, const blockmap *b)
{
    return b->in.counts ? blocks_of_items(s, b, 0, b->n) : equal_blocks(s, b);
}

blockrow scratch_items(sched_builder *s, const blockmap *b, int first, int n)
{
    if (n == 0)
        return (blockrow){.space = SPACE_SCRATCH};
    return sched_parts(s) > b->pieces ? equal_blocks(s, b) : blocks_of_items(s, b, first, n);
}

/* Do items that follow one another lie so, too? */
static bool is_run(const blockmap *b, const blockrow *row)
{
    return !b->first && !b->list && !row->counts;
}

/* n of them, that do not wrap around. */
static interval run_at(const blockmap *b, const blockrow *row, int first, int n)
{
    interval one = row_at(row, first * b->pieces);

    return part_of(one, 0, (int64_t)n * b->pieces, (int64_t)one.length);
}

/* Those, at once: in one interval, or in two where they wrap around. */
static void add_run(sched_builder *s, const blockmap *b, const blockrow *row, int first, int n)
{
    for (int i = wrap(first, b->n), now; n > 0; i = 0, n -= now) {
        now = n < b->n - i ? n : b->n - i;
        sched_add(s, run_at(b, row, i, now));
    }
}

void add_row(sched_builder *s, const blockmap *b, const blockrow *row, int first, int n)
{
    if (n > 0 && is_run(b, row)) {
        add_run(s, b, row, first, n);
        return;
    }
    for (int i = first; i < first + n; i++)
        for (int k = 0; k < item_size(b, wrap(i, b->n)); k++)
            sched_add(s, row_at(row, item_block(b, wrap(i, b->n), k)));
}

static void row_message(sched_builder *s, step_kind kind, const blockmap *b, const blockrow *row,
                        int first, int n, int peer)
{
    bool each = sched_form(s) == FORM_BLOCK;

    if (!each) {
        sched_open(s, kind, peer);
        add_row(s, b, row, first, n);
        sched_close(s);
    }
    for (int i = first; each && i < first + n; i++)
        for (int k = 0; k < item_size(b, wrap(i, b->n)); k++) {
            sched_open(s, kind, peer);
            sched_add(s, row_at(row, item_block(b, wrap(i, b->n), k)));
            sched_close(s);
        }
}

void send_row(sched_builder *s, const blockmap *b, const blockrow *row, int first, int n, int peer)
{
    row_message(s, STEP_SEND, b, row, first, n, peer);
}

void recv_row(sched_builder *s, const blockmap *b, const blockrow *row, int first, int n, int peer)
{
    row_message(s, STEP_RECV, b, row, first, n, peer);
}

typedef void local_step(sched_builder *s, interval from, interval to);

/* As add_run. */
static void run_local(sched_builder *s, local_step *emit, const blockmap *b, const blockrow *from,
                      const blockrow *to, int first, int n)
{
    for (int i = wrap(first, b->n), now; n > 0; i = 0, n -= now) {
        now = n < b->n - i ? n : b->n - i;
        emit(s, run_at(b, from, i, now), run_at(b, to, i, now));
    }
}

static void row_local(sched_builder *s, local_step *emit, const blockmap *b, const blockrow *from,
                      const blockrow *to, int first, int n)
{
    bool joined = sched_form(s) == FORM_STEP;
    interval x = {0}, y = {0};

    if (joined && n > 0 && is_run(b, from) && is_run(b, to)) {
        run_local(s, emit, b, from, to, first, n);
        return;
    }
    for (int i = first; i < first + n; i++)
        for (int k = 0; k < item_size(b, wrap(i, b->n)); k++) {
            int at = item_block(b, wrap(i, b->n), k);
            interval next = row_at(from, at), into = row_at(to, at);

            if (joined && x.length && follows(x, next) && follows(y, into)) {
                x.length += next.length;
                y.length += into.length;
                continue;
            }
            emit(s, x, y);
            x = next;
            y = into;
        }
    emit(s, x, y);
}

void reduce_row(sched_builder *s, const blockmap *b, const blockrow *from, const blockrow *to,
                int first, int n)
{
    row_local(s, sched_reduce, b, from, to, first, n);
}

/* What reaches into its own new place goes by way of scratch: the block of a group of one rank, in
 * place. */
static void copy_apart(sched_builder *s, interval from, interval to)
{
    if (from.offset != to.offset && interval_overlap(from, to)) {
        interval between = sched_scratch(s, (int64_t)from.length);
        sched_copy(s, from, between);
        from = between;
    }
    sched_copy(s, from, to);
}

void copy_row(sched_builder *s, const blockmap *b, const blockrow *from, const blockrow *to,
              int first, int n)
{
    row_local(s, copy_apart, b, from, to, first, n);
}

/* ---- messages ---- */

/* The items of a message, one after the other. */
typedef struct walk {
    int item, left, by;
} walk;

static void walk_on(walk *w, const blockmap *b)
{
    w->left--;
    w->item += w->by;
    if (w->item >= b->n)
        w->item -= b->n;
}

static int count_blocks(const blockmap *b, walk w)
{
    int sum = 0;

    if (!b->first)
        return w.left;
    for (; w.left > 0; walk_on(&w, b))
        sum += item_size(b, w.item);
    return sum;
}

/* Whose block is sent from where: my own from the send buffer, as early as possible. */
static void one_block(sched_builder *s, step_kind kind, const blockmap *b, int k, int peer)
{
    bool mine = b->mine >= 0 && k / b->pieces == b->mine;

    if (kind == STEP_RECV)
        sched_recv(s, place_of(b, k), peer);
    else if (mine)
        sched_send(s, part_of(b->own, k % b->pieces, 1, (int64_t)b->own.length / b->pieces), peer);
    else
        sched_send(s, place_of(b, k), peer);
}

static void message(sched_builder *s, step_kind kind, const blockmap *b, int first, int n,
                    int stride, int peer)
{
    walk w = {wrap(first, b->n), n, wrap(stride, b->n)};
    bool each = sched_form(s) == FORM_BLOCK || count_blocks(b, w) == 1;

    if (!each)
        sched_open(s, kind, peer);
    if (!each && stride == 1 && w.left > 0 && is_run(b, &b->in)) {
        add_run(s, b, &b->in, w.item, w.left);
        w.left = 0;
    }
    for (; w.left > 0; walk_on(&w, b))
        for (int k = 0; k < item_size(b, w.item); k++)
            if (each)
                one_block(s, kind, b, item_block(b, w.item, k), peer);
            else
                sched_add(s, place_of(b, item_block(b, w.item, k)));
    if (!each)
        sched_close(s);
}

void send_blocks(sched_builder *s, const blockmap *b, int first, int n, int stride, int peer)
{
    message(s, STEP_SEND, b, first, n, stride, peer);
}

void recv_blocks(sched_builder *s, const blockmap *b, int first, int n, int stride, int peer)
{
    message(s, STEP_RECV, b, first, n, stride, peer);
}
