/* SPDX-License-Identifier: BSD-3-Clause */
/* rest.h - a thread that waits gives its processor away. */
#ifndef TUTTI_REST_H
#define TUTTI_REST_H

#include <stdbool.h>

/* After fruitless turns. `again`: rests since the last fruitful turn, or any number that does not
 * fall until the next one. Returns whether to rest again after one more fruitless turn, else only
 * after as many as before. */
bool rest(int again);

#endif
