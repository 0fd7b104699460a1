/* SPDX-License-Identifier: BSD-3-Clause */
/* delay.c - ranks get out of step: computing, looking for messages, calls that advance. */
#include "call.h"

#include <sched.h>

static void look_for_messages(fuzz *f, int times)
{
    const fcomm *c = &f->comms[rng_below(&f->mine, f->comm_count)];
    int flag;
    MPI_Status status;

    if (c->comm == MPI_COMM_NULL)
        return;
    for (int i = 0; i < times; i++) {
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, c->comm, &flag, &status);
        if (flag && c->mail == MAIL_SILENT)
            fail(f, f->current, "a message from %d with tag %d where the program sends none",
                 status.MPI_SOURCE, status.MPI_TAG);
        if (flag)
            break;
    }
}

static void compute(fuzz *f, int rounds)
{
    volatile double x = 1;

    for (int i = 0; i < rounds; i++)
        x = x * 1.0000001 + 0.5;
    (void)f;
}

void delay(fuzz *f)
{
    /* some ranks idle much more than others */
    int weight = rng_chance(&f->mine, 15) ? 1000 : 20;

    f->doing = "delay";
    switch (rng_below(&f->mine, 6)) {
    case 0:
        compute(f, weight * 200);
        break;
    case 1:
        look_for_messages(f, rng_below(&f->mine, weight));
        break;
    case 2:
        for (int i = rng_below(&f->mine, weight); i > 0; i--)
            own_progress();
        break;
    case 3:
        for (int i = rng_below(&f->mine, 20); i > 0; i--)
            sched_yield();
        break;
    default:
        break;
    }
}
