/* SPDX-License-Identifier: BSD-3-Clause */
/* halo_estimate.h - how long the forms of a neighborhood collective would take, as far as one node
 * knows it: from the lists that its ranks have exchanged (algos/halo.h). Pure.
 *
 * What each rank of the node does between nodes and, for those forms that join blocks, inside: ends
 * of messages cost its processor, bytes pass its own way and those that the node shares (the
 * max-rate model of Gropp, Olson, Samfass, EuroMPI 2016). Collecting, crossing and handing out come
 * one after the other; edges inside the node are there from the start.
 */
#ifndef TUTTI_HALO_ESTIMATE_H
#define TUTTI_HALO_ESTIMATE_H

#include "tune/constants.h"
#include "tune/select.h"

enum { HALO_FORMS = 6 };

typedef struct halo_form {
    int algo, parameter;
} halo_form;

/* What the node sends to others. */
typedef struct halo_leaving {
    int64_t messages, bytes;
} halo_leaving;

/* `linear` first, even if it is forbidden; then those that are not forbidden and not like another
 * one on these nodes: the same on all ranks. Returns how many. */
int halo_forms(const topo *t, const algo_set *without, halo_form list[HALO_FORMS]);

/* c: the call of this rank, with what HALO_LISTS rounds have found. time: of each form, in
 * picoseconds, but only of forms first, first + step, ... (all ranks of a node find the same, and
 * may divide them among them). False: out of memory. */
bool halo_estimate(const coll *c, const topo *t, const constants *k, const halo_form *list, int n,
                   int first, int step, int64_t *time, halo_leaving *leaving);

/* By the largest of these times over all nodes: one of the list, of at least two. with_first: the
 * first may be taken, and is if no other is clearly faster. */
int halo_fastest(const int64_t *time, int n, bool with_first);

#endif
