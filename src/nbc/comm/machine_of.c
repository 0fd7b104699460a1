/* SPDX-License-Identifier: BSD-3-Clause */
/* machine_of.c - see machine_of.h. */
#include "nbc/comm/machine_of.h"

#include "nbc/node/crowd.h"
#include "nbc/process/env.h"
#include "nbc/process/machine.h"

void comm_put_machine(hello *mine)
{
    constants k = *machine_constants();

    if (!(k.cores > 0))
        k.cores = crowd_cores();
    constants_pack(&k, mine->machine);
}

void comm_take_machine(comm *c)
{
    constants k = constants_unpack(c->first.all[0].machine);

    if (c->rank == 0)
        env_explain_machine();
    c->machine = constants_shared(&k, topo_most_on_node(c->topo));
}

void comm_find_eager(comm *c)
{
    const topo_level *inner = topo_inner(c->topo);

    for (int r = c->shm_peers ? c->shm_peers->low : 0; c->shm_peers && r <= c->shm_peers->high;
         r++) {
        shm_peer *way = shm_peers_find(c->shm_peers, r);
        enum way kind = inner && inner->region[r] == inner->region[c->rank] ? WAY_INNER : WAY_NODE;
        if (way)
            way->eager =
                c->hints.has_eager ? c->hints.node_eager : (int64_t)c->machine.way[kind].eager;
    }
}
