/* SPDX-License-Identifier: BSD-3-Clause */
/* waker.c - see waker.h. */
#include "nbc/process/waker.h"

_Atomic(waker *) waker_registered;
