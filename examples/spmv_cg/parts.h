/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h - which rank has which rows. */
#ifndef SPMV_CG_PARTS_H
#define SPMV_CG_PARTS_H

#include "whole.h"

#include <stdbool.h>

/* "rows": consecutive ones, with about the same number of non-zeros; "boxes": of the grid's points;
 * "scotch": as the library Scotch cuts the matrix's graph. */
bool parts_known(const char *name);

/* part[row] = rank, below p. NULL, or what is wrong. */
const char *parts_make(const char *name, const whole *w, int p, int *part);

/* parts_scotch.c. */
const char *parts_scotch(const whole *w, int p, int *part);

#endif
