/* SPDX-License-Identifier: BSD-3-Clause */
/* deaf_async.c - to be preloaded: an MPIX_Async_start that never calls the function it takes. */
#include <stddef.h>

const int deaf_async = 1; /* by which a test knows */

int MPIX_Async_start(int (*function)(void *), void *state, int stream);

int MPIX_Async_start(int (*function)(void *), void *state, int stream)
{
    (void)state;
    (void)stream;
    return function == NULL;
}
