/* SPDX-License-Identifier: BSD-3-Clause */
/* vmread.c - see vmread.h. */
#define _GNU_SOURCE /* process_vm_readv */
#include "nbc/node/vmread.h"

#include "nbc/process/test_knobs.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

int vmread_test_refuses;

static uint64_t shown[2];

vmread_offer vmread_offer_mine(void)
{
    struct timespec now;

    if (getrandom(shown, sizeof shown, GRND_NONBLOCK) != (ssize_t)sizeof shown) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        shown[0] = (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec;
        shown[1] = (uint64_t)(uintptr_t)&now ^ (uint64_t)getpid() << 32;
    }
    return (vmread_offer){
        .bytes = {shown[0], shown[1]}, .at = (uint64_t)(uintptr_t)shown, .pid = getpid()};
}

bool vmread_works(const vmread_offer *its)
{
    uint64_t bytes[2] = {0};

    return vmread(its->pid, bytes, its->at, sizeof bytes) &&
           memcmp(bytes, its->bytes, sizeof bytes) == 0;
}

/* A call reads 2 GiB at most, and what a signal has interrupted in part. */
static bool read_all_bytes(int64_t pid, void *to, uint64_t from, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        struct iovec here = {(char *)to + done, bytes - done};
        struct iovec there = {(void *)(uintptr_t)(from + done), bytes - done};
        ssize_t n = process_vm_readv((pid_t)pid, &here, 1, &there, 1, 0);

        if (n > 0)
            done += (size_t)n;
        else if (n == 0 || errno != EINTR)
            return false;
    }
    return true;
}

bool vmread(int64_t pid, void *to, uint64_t from, size_t bytes)
{
    static int reads; /* engine lock */

    if (vmread_test_refuses && ++reads % vmread_test_refuses == 0) {
        read_all_bytes(pid, to, from, bytes / 2);
        return false;
    }
    return read_all_bytes(pid, to, from, bytes);
}
