/* SPDX-License-Identifier: BSD-3-Clause */
/* remaining.c - see remaining.h. */
#include "remaining.h"

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static bool active, terminal, visible;
static double all, started, shown_at;

void remaining_start(bool shown, double total)
{
    active = shown;
    terminal = isatty(STDERR_FILENO);
    all = total;
    started = shown_at = MPI_Wtime();
}

void remaining_show(double done)
{
    double now, left;

    if (!active || done <= 0)
        return;
    now = MPI_Wtime();
    if (now - started < 2 || (now - shown_at < (terminal ? 0.5 : 5) && shown_at > started))
        return;
    shown_at = now;
    visible = terminal;
    left = (now - started) * (all - done) / done;
    if (terminal)
        fprintf(stderr, "\r\033[K%3.0f %%, %.0f s left", 100 * done / all, left);
    else
        fprintf(stderr, "tutti-bench: %.0f %%, %.0f s left\n", 100 * done / all, left);
    fflush(stderr);
}

void remaining_hide(void)
{
    if (visible)
        fputs("\r\033[K", stderr);
    visible = false;
}
