/* remaining.h - a line on the terminal that says how far a long measurement is. */
#ifndef BENCH_REMAINING_H
#define BENCH_REMAINING_H

#include <stdbool.h>
#include <stdint.h>

/* Rank 0, with standard error a terminal; else all of this does nothing. total: the work of all
 * sizes, in any unit. The line appears after two seconds, and changes twice a second. */
void remaining_start(bool shown, double total);

/* So much of it has been done. */
void remaining_show(double done);

/* Remove the line, for other output. */
void remaining_hide(void);

#endif
