/* SPDX-License-Identifier: BSD-3-Clause */
/* whole_file.h - a file that is written whole, or not at all: under another name first, then
 * renamed.
 *
 * A file that is there keeps its mode. What is no regular file is written in place (in_place.h).
 */
#ifndef TUTTI_WHOLE_FILE_H
#define TUTTI_WHOLE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* `name` becomes what is in `text`. False: errno says why, and what was there before still is. */
bool whole_file_write(const char *name, const char *text, size_t size);

/* Could it be, now? Nothing is changed. False: errno says why not. */
bool whole_file_possible(const char *name);

#endif
