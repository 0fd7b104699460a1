/* SPDX-License-Identifier: BSD-3-Clause */
/* mutex.h - locks that cost nothing where the program has one thread. */
#ifndef TUTTI_MUTEX_H
#define TUTTI_MUTEX_H

#include "nbc/process/process.h"

#include <pthread.h>

static inline void mutex_lock(pthread_mutex_t *m)
{
    if (process_threaded)
        pthread_mutex_lock(m);
}

static inline void mutex_unlock(pthread_mutex_t *m)
{
    if (process_threaded)
        pthread_mutex_unlock(m);
}

#endif
