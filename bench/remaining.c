/* remaining.c - see remaining.h. */
#include "remaining.h"

#include <mpi.h>
#include <stdio.h>

static bool active, visible;
static double all, started, shown_at;

void remaining_start(bool shown, double total)
{
    active = shown;
    all = total;
    started = shown_at = MPI_Wtime();
}

void remaining_show(double done)
{
    double now;

    if (!active || done <= 0)
        return;
    now = MPI_Wtime();
    if (now - started < 2 || now - shown_at < 0.5)
        return;
    shown_at = now;
    visible = true;
    fprintf(stderr, "\r\033[K%3.0f %%, %.0f s left", 100 * done / all,
            (now - started) * (all - done) / done);
    fflush(stderr);
}

void remaining_hide(void)
{
    if (visible)
        fputs("\r\033[K", stderr);
    visible = false;
}
