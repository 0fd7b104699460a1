/* SPDX-License-Identifier: BSD-3-Clause */
/* halo_choice.h - which form a persistent neighborhood collective of `auto` takes. The pattern is
 * known to no rank as a whole: each node estimates the forms by the lists that its ranks have
 * exchanged, and the slowest node counts.
 */
#ifndef TUTTI_HALO_CHOICE_H
#define TUTTI_HALO_CHOICE_H

#include "api/choose.h"

/* Leave the choice of `auto` open, where there are several forms: *chosen exchanges the lists then,
 * and is undecided. The communicator is ready; the same on all ranks. */
void halo_choice_open(const call *c, const algo_set *without, choice *chosen);

/* The forms that a request of `auto` may try (tutti_plan=measure), first what it took otherwise.
 * *n: how many, at most `most`; 0: it is not open. An error class. */
int halo_choice_candidates(const call *c, MPI_Info info, choice *list, int most, int *n);

/* Close it, together with all ranks. lists: what HALO_LISTS rounds have found. TUTTI_VERBOSE and
 * tutti_comm_explain say what leaves a node. MPI_ERR_NO_MEM: on this rank; *chosen is nevertheless
 * what all take. */
int halo_choice_close(const call *c, const algo_set *without, const int64_t *lists, choice *chosen);

/* For people: what it has found the last time on this communicator. False: nothing is known. */
enum { HALO_CHOICE_TEXT = 400 };
bool halo_choice_describe(comm *c, char text[HALO_CHOICE_TEXT]);

#endif
