/* SPDX-License-Identifier: BSD-3-Clause */
/* here.c - see here.h. */
#include "topo/here.h"

#include "topo/shape.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int32_t only_one(hwloc_topology_t topology, hwloc_obj_type_t type,
                        hwloc_const_bitmap_t binding)
{
    int n = hwloc_get_nbobjs_by_type(topology, type), found = -1;

    for (int i = 0; i < n; i++) {
        hwloc_obj_t o = hwloc_get_obj_by_type(topology, type, (unsigned)i);
        if (!o->cpuset || !hwloc_bitmap_intersects(o->cpuset, binding))
            continue;
        if (found >= 0)
            return -1;
        found = i;
    }
    return found;
}

void here_inside(hwloc_topology_t topology, hwloc_const_bitmap_t binding,
                 int32_t inside[TOPO_KINDS])
{
    inside[TOPO_SWITCH] = inside[TOPO_NODE] = 0;
    inside[TOPO_PACKAGE] = only_one(topology, HWLOC_OBJ_PACKAGE, binding);
    inside[TOPO_NUMA] = only_one(topology, HWLOC_OBJ_NUMANODE, binding);
    inside[TOPO_L3] = only_one(topology, HWLOC_OBJ_L3CACHE, binding);
    inside[TOPO_CORE] = only_one(topology, HWLOC_OBJ_CORE, binding);
}

/* Host names may repeat; two machines with one name have booted apart. Two names on one machine are
 * containers, which need not share memory. */
uint64_t here_node(char host[TOPO_HOST])
{
    char identity[TOPO_HOST + 64] = "";
    FILE *boot = fopen("/proc/sys/kernel/random/boot_id", "r");

    if (gethostname(host, TOPO_HOST) != 0)
        strcpy(host, "unknown");
    host[TOPO_HOST - 1] = '\0';
    snprintf(identity, sizeof identity, "%s ", host);
    if (boot) {
        size_t n = strlen(identity);
        if (!fgets(identity + n, (int)(sizeof identity - n), boot))
            identity[n] = '\0';
        fclose(boot);
    }
    return shape_identity(identity);
}

/* Only what is in a location: caches, devices and distances cost half of the time. */
static void leave_out(hwloc_topology_t topology)
{
    static const hwloc_obj_type_t kept[] = {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_CORE};

    hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        hwloc_topology_set_type_filter(topology, kept[i], HWLOC_TYPE_FILTER_KEEP_ALL);
#if HWLOC_API_VERSION >= 0x00020800
    hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_NO_DISTANCES |
                                           HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS |
                                           HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS);
#endif
}

void here_describe(location *at)
{
    hwloc_topology_t topology;
    hwloc_bitmap_t binding = hwloc_bitmap_alloc();

    memset(at, 0, sizeof *at);
    memset(at->inside, -1, sizeof at->inside);
    at->node = here_node(at->host);
    if (hwloc_topology_init(&topology) == 0) {
        leave_out(topology);
        if (binding && hwloc_topology_load(topology) == 0 &&
            hwloc_get_cpubind(topology, binding, HWLOC_CPUBIND_PROCESS) == 0)
            here_inside(topology, binding, at->inside);
        hwloc_topology_destroy(topology);
    }
    hwloc_bitmap_free(binding);
}
