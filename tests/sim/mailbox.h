/* SPDX-License-Identifier: BSD-3-Clause */
/* mailbox.h - what one simulated rank has posted, and what has arrived for it unexpected: matched
 * by (source, tag), first come first served.
 */
#ifndef TUTTI_MAILBOX_H
#define TUTTI_MAILBOX_H

enum { MAILBOX_BUCKETS = 64 };

/* A posted receive or an unexpected message, in a list of its bucket. */
typedef struct envelope {
    struct envelope *next;
    int rank, step, tag, peer; /* rank, step: whose; peer: the source */
    unsigned char *data;       /* buffered, or NULL */
} envelope;

typedef struct mailbox {
    envelope *posted[MAILBOX_BUCKETS], *arrived[MAILBOX_BUCKETS];
} mailbox;

/* Take the first one of (peer, tag) out of the lists: the caller's, to be freed. NULL: there is
 * none. */
envelope *mailbox_take(envelope **lists, int peer, int tag);
void mailbox_append(envelope **lists, envelope e);

/* Free all, with their data. Returns how many there were. */
int mailbox_drop(envelope **lists);

#endif
