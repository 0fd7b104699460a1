/* SPDX-License-Identifier: BSD-3-Clause */
/* whole_file.h - files that are read, or written, whole or not at all: written under another name
 * first, then renamed.
 *
 * A file that is there keeps its mode. What is no regular file is written in place: devices, pipes,
 * links (as /dev/stdout).
 */
#ifndef TUTTI_WHOLE_FILE_H
#define TUTTI_WHOLE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* `name` becomes what is in `text`. False: errno says why, and what was there before still is. */
bool whole_file_write(const char *name, const char *text, size_t size);

/* All that is in a regular file of at most `most` bytes, *size, then a 0; to be freed.
 * Never waits, as to open a pipe would. NULL: *why says why, and errno is ENOENT if it is not
 * there. */
char *whole_file_read(const char *name, size_t most, size_t *size, const char **why);

/* A new file beside `name`, with the permissions that the umask leaves: mkstemp's are others, and
 * the umask cannot be asked for without changing it for all threads. NULL: none could be made. */
enum { WHOLE_FILE_SUFFIX = 40 }; /* characters that its name is longer, at most */
FILE *whole_file_beside(const char *name, char *made, size_t size);

/* Is there something of this name that is no regular file? */
bool in_place_wanted(const char *name);

/* For writing. Does not wait for the reader of a pipe: NULL (ENXIO) if there is none. */
FILE *in_place_open(const char *name);

#endif
