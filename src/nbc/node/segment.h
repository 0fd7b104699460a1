/* SPDX-License-Identifier: BSD-3-Clause */
/* segment.h - memory that the processes of one node share: one file without a name, of which each
 * process gives away its own slice.
 *
 *   [ header | slice of process 0 | slice of process 1 | ... | shared heap of process 0 | ... ]
 *
 * Slices are for what the library needs; their pages come when they are touched first, so what two
 * processes never use takes no memory. A shared heap is a range of addresses, as long as the
 * machine's memory allows, for buffers: memory comes and goes with them. Who has no room for that
 * many addresses, or a limit on them (RLIMIT_AS), does without shared heaps.
 *
 * It is made together with the channel, in a call that may block, by all processes of it. The first
 * one of a node makes the file (memfd_create); the others open it through /proc. Each maps it,
 * reads the nonce back, and says so in the header. Whoever has not said so when all have come uses
 * MPI only: everybody knows which those are.
 *
 * Nothing has a name in any file system: when the last process is gone, whatever it died of, so is
 * the memory. A process that is forked off does not have it.
 */
#ifndef TUTTI_SEGMENT_H
#define TUTTI_SEGMENT_H

#include "nbc/process/env.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Collective over `all`, the channel; blocks. wish: does this process want to take part? COPY: but
 * that no process reads memory of another (vmread.h). Never fails: what is not possible is not
 * there. */
void segment_make(MPI_Comm all, node_wire wish);

/* The channel is gone. */
void segment_end(void);

/* Why this process has none, or no shared heaps, or NULL: for people. */
const char *segment_absent(void);

/* How many processes of this node have the segment; and bytes of a slice. */
int segment_processes(void);
size_t segment_slice(void);

/* Does this process share memory with that rank of the channel? Symmetric. */
bool segment_shared_with(int channel_rank);

/* Tuning, for who takes parts of a slice. */
enum {
    SEGMENT_SHARE = 3,         /* one takes at most one part in so many of what is left */
    SEGMENT_CLEARED = 1 << 16, /* more bytes than these are returned rather than cleared */
    SEGMENT_TOUCHED = 4096     /* bytes that come with the first one that is touched */
};

/* Part of my slice, aligned to 128 bytes: zeros, of which pages come when they are touched. NULL:
 * too little is left. It is given back as zeros; or returned as it is: then pages go back to the
 * system, and each process that has mapped the segment forgets them, which is not for a little; or
 * retired, and never taken again: another process may still write there. */
void *segment_take(size_t bytes);
void segment_give(void *memory, size_t bytes);
void segment_return(void *memory, size_t bytes);
void segment_retire(void *memory, size_t bytes);
bool segment_touched(const void *memory); /* has anybody touched its page? Perhaps, if true */
bool segment_is_mine(void);               /* a fork's child has no memory there */
size_t segment_left(void);

/* An address in the segment as others know it, in units of 64 bytes; 0: none. */
uint32_t segment_where(const void *memory);
void *segment_at(uint32_t where);

/* ---- memory that is not shared ---- */

/* Can this process read the memory of all others of its node that expose theirs? And does it expose
 * its own? */
bool segment_reads(void);
bool segment_exposes_all(void);

/* The number by which the system knows a process that shares memory with this one. */
int64_t segment_pid(int channel_rank);

/* The same for memory of segment_take, in bytes. */
uint64_t segment_offset(const void *memory);
void *segment_at_offset(uint64_t offset);

#endif
