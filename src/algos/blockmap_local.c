/* SPDX-License-Identifier: BSD-3-Clause */
/* blockmap_local.c - copy blocks, combine them, and take room for them in scratch: the steps that
 * are no messages. See blockmap.h.
 */
#include "algos/blockmap_inside.h"

/* ---- items ---- */

/* Does b begin where a ends? */
static bool is_adjacent(interval a, interval b)
{
    return a.space == b.space && interval_end(a) == b.offset;
}

/* The items from *i on, before `end`, that lie side by side; *i is after them then. */
static interval joint_items(const blockmap *b, interval (*at)(const blockmap *b, int i), int *i,
                            int end)
{
    interval joint = at(b, *i);

    for (++*i; *i < end && is_adjacent(joint, at(b, *i)); ++*i)
        joint.length += at(b, *i).length;
    return joint;
}

void copy_out(sched_builder *s, const blockmap *b, int first, int n, interval to)
{
    for (int i = first; i < first + n;) {
        interval joint = joint_items(b, outgoing, &i, first + n);
        to.length = joint.length;
        sched_copy(s, joint, to);
        to.offset += (int64_t)joint.length;
    }
}

void copy_in(sched_builder *s, interval from, const blockmap *b, int first, int n)
{
    for (int i = first; i < first + n;) {
        interval joint = joint_items(b, block, &i, first + n);
        from.length = joint.length;
        sched_copy(s, from, joint);
        from.offset += (int64_t)joint.length;
    }
}

/* ---- scratch ---- */

/* All blocks one after the other, all of one length. */
static blockrow equal_blocks(sched_builder *s, const blockmap *b)
{
    return (blockrow){.space = SPACE_SCRATCH,
                      .count = b->in.count,
                      .base = sched_scratch(s, b->blocks * b->in.count).offset};
}

/* Only those of n items; of the other blocks only the lengths are set. */
static blockrow blocks_of_items(sched_builder *s, const blockmap *b, int first, int n)
{
    int64_t *counts = sched_borrow(s, 2 * (size_t)b->blocks * sizeof *counts);
    int64_t *displs = counts ? counts + b->blocks : NULL, length = 0;
    blockrow row = {.space = SPACE_SCRATCH, .counts = counts, .displs = displs};

    for (int k = 0; counts && k < b->blocks; k++)
        counts[k] = (int64_t)row_at(&b->in, k).length;
    for (int i = first; counts && i < first + n; i++)
        for (int k = 0; k < blockmap_item_size(b, wrap(i, b->n)); k++) {
            int at = blockmap_item_block(b, wrap(i, b->n), k);
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

/* ---- rows of a vector ---- */

typedef void local_step(sched_builder *s, interval from, interval to);

/* n items that lie side by side: one step, or two where they wrap around. */
static void local_contiguous(sched_builder *s, local_step *emit, const blockmap *b,
                             const blockrow *from, const blockrow *to, int first, int n)
{
    for (int i = wrap(first, b->n), now; n > 0; i = 0, n -= now) {
        now = n < b->n - i ? n : b->n - i;
        emit(s, blockmap_contiguous(b, from, i, now), blockmap_contiguous(b, to, i, now));
    }
}

static void row_local(sched_builder *s, local_step *emit, const blockmap *b, const blockrow *from,
                      const blockrow *to, int first, int n)
{
    bool joined = sched_form(s) == FORM_STEP;
    interval x = {0}, y = {0};

    if (joined && n > 0 && blockmap_is_contiguous(b, from) && blockmap_is_contiguous(b, to)) {
        local_contiguous(s, emit, b, from, to, first, n);
        return;
    }
    for (int i = first; i < first + n; i++)
        for (int k = 0; k < blockmap_item_size(b, wrap(i, b->n)); k++) {
            int at = blockmap_item_block(b, wrap(i, b->n), k);
            interval next = row_at(from, at), into = row_at(to, at);

            if (joined && x.length && is_adjacent(x, next) && is_adjacent(y, into)) {
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

/* What reaches into where it is to go is copied through scratch: the block of a group of one rank,
 * in place. */
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
