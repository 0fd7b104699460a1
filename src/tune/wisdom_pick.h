/* SPDX-License-Identifier: BSD-3-Clause */
/* wisdom_pick.h - the choices for one communicator in few bytes, for its other ranks. Pure.
 *
 *   byte   0     1      2      3        4  5   6  7  8  9
 *          kind  class  flags  variant  algo   parameter     of each verdict, in ascending order;
 *                                                            lower bytes first
 *
 * Times do not travel: other ranks only have to choose alike.
 */
#ifndef TUTTI_WISDOM_PICK_H
#define TUTTI_WISDOM_PICK_H

#include "tune/wisdom.h"

enum { WISDOM_PICKED = 10 }; /* bytes of a verdict */

/* Those of p ranks in such a shape: how many bytes they are, 0 if there are none. They are written
 * if `size` is enough, else nothing is; bytes may be NULL if it is 0. */
size_t wisdom_pick(wisdom *w, int p, const char *shape, void *bytes, size_t size);

/* The same verdicts, with ns and starts 0, from all bytes that wisdom_pick wrote, which may be
 * none (NULL). NULL: they are not all right, or there is no memory. The caller owns the result. */
wisdom *wisdom_take(int p, const char *shape, const void *bytes, size_t size);

#endif
