/* SPDX-License-Identifier: BSD-3-Clause */
/* simulated.c - the calls of tutti_simulated.h that need the engine; only in a build for SimGrid.
 */
#include "nbc/run/engine.h"

#include <tutti_simulated.h>

void tutti_simulated_wait(void)
{
    engine_wait_all();
}
