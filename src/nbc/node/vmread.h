/* SPDX-License-Identifier: BSD-3-Clause */
/* vmread.h - read memory of other processes of this node that is not shared: the kernel copies it
 * (process_vm_readv), once, where two copies through a ring would be needed.
 *
 * A kernel may forbid it (Yama, seccomp, other users), so each process shows the others
 * random bytes at some address, and who can read those reads whatever is exposed.
 */
#ifndef TUTTI_VMREAD_H
#define TUTTI_VMREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a process shows. No padding. */
typedef struct vmread_offer {
    uint64_t bytes[2]; /* what is there */
    uint64_t at;       /* its address; 0: nothing is exposed */
    int64_t pid;
} vmread_offer;

/* Mine. */
vmread_offer vmread_offer_mine(void);

/* Can this process read what that one shows? */
bool vmread_works(const vmread_offer *its);

/* Read all of so many bytes at that address of another process. False: not possible. */
bool vmread(int64_t pid, void *to, uint64_t from, size_t bytes);

#endif
