/* SPDX-License-Identifier: BSD-3-Clause */
/* samples.c - see samples.h. */
#include "tune/samples.h"

/* Doublings of nodes, and of ranks of a node. */
static const int shape[SAMPLES_MOST][SAMPLES_AXES] = {{0, 0}, {1, 0}, {0, 1},
                                                      {2, 0}, {0, 2}, {1, 1}};

/* The first of each axis: a power of two where the whole is one, because algorithms like them; all
 * that there are where they are few. */
static int first_of(int whole)
{
    int n = (whole & (whole - 1)) != 0 ? 3 : whole > 16 ? 4 : 2;

    return whole > 4 * n ? n : whole;
}

static int times_of(const samples *s, int i, int axis)
{
    return s->times[axis] > 0 ? 1 << shape[i][axis] : 1;
}

/* Not if it would have more of what does not grow. */
static bool is_needed(const samples *s, int i)
{
    for (int axis = 0; axis < SAMPLES_AXES; axis++)
        if (shape[i][axis] > 0 && s->times[axis] == 0)
            return false;
    return true;
}

bool samples_make(samples *s, const machine_model *whole, bool may_fold)
{
    int all[SAMPLES_AXES] = {machine_model_nodes(whole), machine_model_largest_node(whole)},
        first[SAMPLES_AXES];
    double full = (double)whole->p / all[SAMPLES_RANKS]; /* nodes, if all had as many ranks */

    *s = (samples){.times = {0}};
    for (int axis = 0; axis < SAMPLES_AXES; axis++) {
        first[axis] = first_of(all[axis]);
        s->times[axis] = first[axis] == all[axis] ? 0
                         : axis == SAMPLES_NODES  ? full / (4 * first[axis])
                                                  : all[axis] / (4.0 * first[axis]);
    }
    for (int i = 0; i < SAMPLES_MOST && is_needed(s, 1) + is_needed(s, 2) > 0; i++)
        if (is_needed(s, i) &&
            !machine_model_make_smaller(
                &s->at[i], whole, first[SAMPLES_NODES] * times_of(s, i, SAMPLES_NODES),
                first[SAMPLES_RANKS] * times_of(s, i, SAMPLES_RANKS), may_fold)) {
            samples_free(s);
            return false;
        }
    return s->at[0].p > 0;
}

void samples_free(samples *s)
{
    for (int i = 0; i < SAMPLES_MOST; i++)
        machine_model_free(&s->at[i]);
}

/* What a doubling adds, as a multiple of what the one before it has added: of what grows as ranks
 * do, and as their square. */
enum { LINEAR = 2, SQUARE = 4 };

/* Never so long that its double is no int64_t. */
static int64_t rounded(double value)
{
    return value < (double)(INT64_MAX / 8) ? (int64_t)(value + 0.5) : INT64_MAX / 8;
}

/* What c - a grows to on a machine of `times` the size of that of c; a, b, c: of three, each of
 * twice the size of the one before. What it grows by from each doubling to the next is a constant
 * factor: 1 for logarithmic algorithms, 2 for linear ones, 4 for what each rank of a node has to do
 * for each rank; not more than `most`. What falls falls by less and less, or not at all; what jumps
 * once does not do so again. No functions of the C library: they differ from one to another. */
static double grown(int64_t a, int64_t b, int64_t c, double times, double most)
{
    double first = (double)(b - a), second = (double)(c - b), factor = 1, value = (double)(c - a);

    if ((first > 0 && second > 0) || (first < 0 && second < 0))
        factor = second / first;
    if (second < 0)
        factor = first < 0 && factor < 1 ? factor : 0;
    if (factor > most)
        factor = most;
    for (; times >= 2; times /= 2)
        value += second *= factor;
    return value + second * factor * (times - 1); /* a part of a doubling */
}

/* What it grows by along an axis, and how many times that is what it grows by at first. */
static double growth(const samples *s, const int64_t time[SAMPLES_MOST], int axis, double most,
                     double *steps)
{
    int one = 1 + axis, two = 3 + axis;
    double value;

    *steps = 0;
    if (s->times[axis] == 0)
        return 0;
    value = grown(time[0], time[one], time[two], s->times[axis], most);
    if (time[one] != time[0])
        *steps = value / (double)(time[one] - time[0]);
    return value;
}

/* Never less than on any of the machines. */
static double extended(const samples *s, const int64_t time[SAMPLES_MOST], double most)
{
    double steps[SAMPLES_AXES], sum = (double)time[0], least = (double)time[0];

    for (int axis = 0; axis < SAMPLES_AXES; axis++)
        sum += growth(s, time, axis, most, &steps[axis]);
    if (s->at[5].p > 0 && steps[0] > 0 && steps[1] > 0)
        sum += (double)(time[5] - time[1] - time[2] + time[0]) * steps[0] * steps[1];
    for (int i = 0; i < SAMPLES_MOST; i++)
        least = s->at[i].p > 0 && (double)time[i] < least ? (double)time[i] : least;
    return sum > least ? sum : least;
}

static int64_t work_of_estimate(const estimate *e, int which)
{
    return which == 0 ? e->memory : which == 1 ? e->out : e->in;
}

/* As if each doubling took as much more as the first one does. */
static double grown_evenly(const samples *s, const int64_t time[SAMPLES_FIRST])
{
    double sum = (double)time[0];

    for (int axis = 0; axis < SAMPLES_AXES; axis++)
        if (s->times[axis] > 0)
            sum += grown(time[0], time[1 + axis], 2 * time[1 + axis] - time[0], s->times[axis],
                         LINEAR);
    return sum > 0 ? sum : 0;
}

/* As if each doubling took as many times as much as the first one does. */
static double multiplied(const samples *s, const int64_t work[SAMPLES_FIRST])
{
    double value = (double)work[0];

    for (int axis = 0; axis < SAMPLES_AXES && value > 0; axis++) {
        double factor = (double)work[1 + axis] / (double)work[0], times = 4 * s->times[axis];
        factor = factor > SQUARE ? SQUARE : factor < 1 ? 1 : factor;
        for (; times >= 2; times /= 2)
            value *= factor;
        if (times > 1)
            value *= 1 + (factor - 1) * (times - 1);
    }
    return value;
}

typedef double extension(const samples *s, const int64_t rest[], const int64_t work[]);

/* What a node has to do grows in its own way, which is hidden as long as it is little: the memory
 * of one of 3 ranks waits for them, 100 ranks wait for theirs. So it is extended apart from what
 * the time is longer than it. */
static int64_t longest(const samples *s, const estimate *on, int n, extension *extend)
{
    int64_t rest[SAMPLES_MOST], work[SAMPLES_MOST];
    double most = 0, time;

    for (int which = 0; which < 3; which++) {
        for (int i = 0; i < n; i++) {
            work[i] = work_of_estimate(&on[i], which);
            rest[i] = on[i].time - work[i];
        }
        time = extend(s, rest, work);
        most = time > most ? time : most;
    }
    return rounded(most);
}

static double by_all(const samples *s, const int64_t rest[], const int64_t work[])
{
    return extended(s, rest, LINEAR) + extended(s, work, SQUARE);
}

static double by_first(const samples *s, const int64_t rest[], const int64_t work[])
{
    return grown_evenly(s, rest) + multiplied(s, work);
}

int64_t samples_time(const samples *s, const estimate on[SAMPLES_MOST])
{
    return longest(s, on, SAMPLES_MOST, by_all);
}

int64_t samples_least(const samples *s, const estimate on[SAMPLES_FIRST])
{
    return longest(s, on, SAMPLES_FIRST, by_first);
}

int64_t samples_steps(const samples *s, const int64_t on[SAMPLES_MOST])
{
    return rounded(extended(s, on, LINEAR));
}
