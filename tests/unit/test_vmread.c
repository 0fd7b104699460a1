/* SPDX-License-Identifier: BSD-3-Clause */
/* test_vmread.c - memory of other processes, where the kernel reads less than it is asked for, is
 * interrupted, or refuses. Linked with --wrap=process_vm_readv.
 */
#define _GNU_SOURCE
#include "nbc/node/vmread.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include <cmocka.h>

enum { BYTES = 10000 };

static size_t most = BYTES;     /* that a call reads */
static size_t readable = BYTES; /* that all of them together read */
static int calls, interrupted;  /* each so-many-th call; 0: none */
static const int errors_of_it[] = {EPERM, EFAULT, ESRCH, ENOSYS};
static int error_of_it;

ssize_t __real_process_vm_readv(pid_t pid, const struct iovec *to, unsigned long nto,
                                const struct iovec *from, unsigned long nfrom, unsigned long flags);
ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *to, unsigned long nto,
                                const struct iovec *from, unsigned long nfrom, unsigned long flags);

ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *to, unsigned long nto,
                                const struct iovec *from, unsigned long nfrom, unsigned long flags)
{
    struct iovec here = *to, there = *from;
    ssize_t n;

    if (interrupted && ++calls % interrupted == 0) {
        errno = EINTR;
        return -1;
    }
    if (readable == 0) {
        errno = error_of_it ? error_of_it : EINTR; /* of an earlier call */
        return error_of_it ? -1 : 0;
    }
    here.iov_len = here.iov_len < most ? here.iov_len : most;
    here.iov_len = here.iov_len < readable ? here.iov_len : readable;
    there.iov_len = here.iov_len;
    n = __real_process_vm_readv(pid, &here, nto, &there, nfrom, flags);
    readable -= n > 0 ? (size_t)n : 0;
    return n;
}

static unsigned char from[BYTES], to[BYTES + 1];

/* All of it, however it comes; nothing after it. */
static void reads(size_t bytes)
{
    for (size_t i = 0; i < BYTES; i++)
        from[i] = (unsigned char)(i * 7 + i / 256);
    memset(to, 0xee, sizeof to);
    readable = BYTES + 1;
    assert_true(vmread(getpid(), to, (uint64_t)(uintptr_t)from, bytes));
    assert_memory_equal(to, from, bytes);
    assert_int_equal(to[bytes], 0xee);
}

static void it_is_read_in_one_call_or_in_many(void **state)
{
    (void)state;
    for (most = 1; most <= BYTES; most = most * 7 + 1)
        reads(BYTES);
    most = BYTES;
    reads(BYTES);
    reads(1);
    reads(0);
}

static void a_signal_does_no_harm(void **state)
{
    (void)state;
    most = 1000;
    for (interrupted = 2; interrupted <= 4; interrupted++)
        reads(BYTES);
    interrupted = 0;
    most = BYTES;
}

/* At once, or after a part; by an error, or by nothing that comes. */
static void what_cannot_be_read_is_said(void **state)
{
    (void)state;
    for (size_t part = 0; part < BYTES; part += BYTES / 2) {
        for (size_t i = 0; i < sizeof errors_of_it / sizeof *errors_of_it; i++) {
            error_of_it = errors_of_it[i];
            readable = part;
            assert_false(vmread(getpid(), to, (uint64_t)(uintptr_t)from, BYTES));
        }
        error_of_it = 0;
        readable = part;
        assert_false(vmread(getpid(), to, (uint64_t)(uintptr_t)from, BYTES));
    }
    readable = BYTES;
}

/* Another process of that number may be there, which shows something else. */
static void an_offer_is_of_this_process(void **state)
{
    vmread_offer mine = vmread_offer_mine(), other = mine;

    (void)state;
    assert_int_equal(mine.pid, getpid());
    assert_true(vmread_works(&mine));
    other.bytes[1]++;
    assert_false(vmread_works(&other));
    other = mine;
    other.at = 64;
    assert_false(vmread_works(&other));
    error_of_it = EPERM;
    readable = 0;
    assert_false(vmread_works(&mine));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_read_in_one_call_or_in_many),
        cmocka_unit_test(a_signal_does_no_harm),
        cmocka_unit_test(what_cannot_be_read_is_said),
        cmocka_unit_test(an_offer_is_of_this_process),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
