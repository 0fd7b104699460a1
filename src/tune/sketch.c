/* SPDX-License-Identifier: BSD-3-Clause */
/* sketch.c - see sketch.h. */
#include "tune/sketch.h"

#include "tune/extend.h"

/* Doublings of nodes, and of ranks of a node. */
static const int shape[SKETCH_MOST][SKETCH_AXES] = {{0, 0}, {1, 0}, {0, 1}, {2, 0}, {0, 2}, {1, 1}};

/* The first of each axis: a power of two where the whole is one, because algorithms like them; all
 * that there are where they are few. */
static int first_of(int whole)
{
    int n = (whole & (whole - 1)) != 0 ? 3 : whole > 16 ? 4 : 2;

    return whole > 4 * n ? n : whole;
}

static int times_of(const sketch *s, int i, int axis)
{
    return s->times[axis] > 0 ? 1 << shape[i][axis] : 1;
}

/* Not if it would have more of what does not grow. */
static bool is_needed(const sketch *s, int i)
{
    for (int axis = 0; axis < SKETCH_AXES; axis++)
        if (shape[i][axis] > 0 && s->times[axis] == 0)
            return false;
    return true;
}

bool sketch_make(sketch *s, const place *whole)
{
    int all[SKETCH_AXES] = {place_nodes(whole), place_most(whole)}, first[SKETCH_AXES];

    *s = (sketch){.times = {0}};
    for (int axis = 0; axis < SKETCH_AXES; axis++) {
        first[axis] = first_of(all[axis]);
        s->times[axis] = first[axis] < all[axis] ? all[axis] / (4.0 * first[axis]) : 0;
    }
    for (int i = 0; i < SKETCH_MOST && is_needed(s, 1) + is_needed(s, 2) > 0; i++)
        if (is_needed(s, i) &&
            !place_make_smaller(&s->at[i], whole,
                                first[SKETCH_NODES] * times_of(s, i, SKETCH_NODES),
                                first[SKETCH_RANKS] * times_of(s, i, SKETCH_RANKS))) {
            sketch_free(s);
            return false;
        }
    return s->at[0].p > 0;
}

void sketch_free(sketch *s)
{
    for (int i = 0; i < SKETCH_MOST; i++)
        place_free(&s->at[i]);
}

/* What it grows by along an axis, and how many times that is what it grows by at first. */
static double growth(const sketch *s, const int64_t time[SKETCH_MOST], int axis, double *steps)
{
    int one = 1 + axis, two = 3 + axis;
    double grown;

    *steps = 0;
    if (s->times[axis] == 0)
        return 0;
    grown = (double)extend_growth(time[0], time[one], time[two], s->times[axis]);
    if (time[one] != time[0])
        *steps = grown / (double)(time[one] - time[0]);
    return grown;
}

/* Never less than on any of the machines. */
static double extended(const sketch *s, const int64_t time[SKETCH_MOST])
{
    double steps[SKETCH_AXES], sum = (double)time[0], least = (double)time[0];

    for (int axis = 0; axis < SKETCH_AXES; axis++)
        sum += growth(s, time, axis, &steps[axis]);
    if (s->at[5].p > 0 && steps[0] > 0 && steps[1] > 0)
        sum += (double)(time[5] - time[1] - time[2] + time[0]) * steps[0] * steps[1];
    for (int i = 0; i < SKETCH_MOST; i++)
        least = s->at[i].p > 0 && (double)time[i] < least ? (double)time[i] : least;
    return sum > least ? sum : least;
}

static int64_t work_of(const estimate *e, int which)
{
    return which == 0 ? e->memory : which == 1 ? e->out : e->in;
}

/* What a node has to do grows in its own way, which is hidden as long as it is little: the memory
 * of one of 3 ranks waits for them, 100 ranks wait for theirs. So it is extended apart from what
 * the time is longer than it. */
int64_t sketch_time(const sketch *s, const estimate on[SKETCH_MOST])
{
    int64_t rest[SKETCH_MOST], work[SKETCH_MOST];
    double most = 0;

    for (int which = 0; which < 3; which++) {
        double time;
        for (int i = 0; i < SKETCH_MOST; i++) {
            work[i] = work_of(&on[i], which);
            rest[i] = on[i].time - work[i];
        }
        time = extended(s, rest) + extended(s, work);
        most = time > most ? time : most;
    }
    return extend_rounded(most);
}

/* As if each doubling took as much more as the first one does. */
static double grown_evenly(const sketch *s, const int64_t time[SKETCH_FIRST])
{
    double sum = (double)time[0];

    for (int axis = 0; axis < SKETCH_AXES; axis++)
        if (s->times[axis] > 0)
            sum += (double)extend_growth(time[0], time[1 + axis], 2 * time[1 + axis] - time[0],
                                         s->times[axis]);
    return sum > 0 ? sum : 0;
}

/* Memory has as much more to do as a node has ranks more. */
int64_t sketch_least(const sketch *s, const estimate on[SKETCH_FIRST])
{
    int64_t rest[SKETCH_FIRST];
    double memory = (double)on[0].memory, more = (double)(on[2].memory - on[0].memory);

    for (int i = 0; i < SKETCH_FIRST; i++)
        rest[i] = on[i].time - on[i].memory;
    if (s->times[SKETCH_RANKS] > 0 && more > 0)
        memory += more * (4 * s->times[SKETCH_RANKS] - 1);
    return extend_rounded(memory + grown_evenly(s, rest));
}
