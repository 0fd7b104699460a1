/* SPDX-License-Identifier: BSD-3-Clause */
/* node_file.h - a file without a name that processes of one node map (segment.h): made by one of
 * them, opened by the others through /proc. */
#ifndef TUTTI_NODE_FILE_H
#define TUTTI_NODE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* So long, of which nothing is in memory yet; or -1. */
int node_file_make(size_t bytes);

/* The file that this process has open under that number; or -1: it is no file of so many bytes
 * that begins with the nonce. */
int node_file_open(pid_t pid, int fd, size_t bytes, const uint64_t nonce[2]);

/* Have these bytes of it in memory. */
bool node_file_allocate(int fd, size_t from, size_t bytes);

/* May this process have files of that length? Beyond its limit the kernel sends a signal. */
bool node_file_may_be(size_t bytes);

/* With vm.overcommit_memory 2 the kernel promises no more memory than it has, and sends a signal to
 * who touches what was not promised: then it must be allocated before. */
bool node_file_must_allocate(void);

#endif
