/* SPDX-License-Identifier: BSD-3-Clause */
/* pu.h - where a helper thread of this process may run without disturbing anybody (hwloc).
 *
 *   1. a processing unit of the process's binding, on a core where none of its threads runs now,
 *      that no other process of the job may use
 *   2. a sibling hyper-thread of one of the process's own, under the same condition
 *   3. nowhere in particular
 *
 * The other processes of the job are those on this machine that have our parent (the launcher's
 * daemon) or run our program; without their bindings it is not known who shares what.
 */
#ifndef TUTTI_PU_H
#define TUTTI_PU_H

#include <hwloc.h>

enum { PU_NONE = -1, PU_DEFAULT = -2 };

/* The rule above. mine: the process's binding; used: where its threads run now; others: where other
 * processes may run. Returns the unit's number as the operating system counts, or PU_NONE. */
int pu_pick(hwloc_topology_t topology, hwloc_const_bitmap_t mine, hwloc_const_bitmap_t used,
            hwloc_const_bitmap_t others);

/* pu_pick for this process, as it is bound now. PU_NONE also if that cannot be found out. */
int pu_choose(void);

/* Bind the calling thread to one unit. Returns 0, or -1: no such unit, or not allowed. */
int pu_bind(int pu);

#endif
