/* SPDX-License-Identifier: BSD-3-Clause */
/* in_place.h - output files that are not renamed over: devices, pipes, links (as /dev/stdout). */
#ifndef TUTTI_IN_PLACE_H
#define TUTTI_IN_PLACE_H

#include <stdbool.h>
#include <stdio.h>

/* Is there something of this name that is no regular file? */
bool in_place_wanted(const char *name);

/* For writing. Does not wait for the reader of a pipe: NULL (ENXIO) if there is none. */
FILE *in_place_open(const char *name);

#endif
