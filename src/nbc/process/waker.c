/* waker.c - see waker.h. */
#include "nbc/process/waker.h"

_Atomic(waker *) waker_registered;
