/* SPDX-License-Identifier: BSD-3-Clause */
/* crowd.c - see crowd.h. */
#define _GNU_SOURCE /* sched_getaffinity, CPU_ */
#include "nbc/node/crowd.h"

#include "nbc/process/native_mpi.h"
#include "nbc/process/rest.h"
#include "topo/here.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- this process ---- */

int64_t crowd_quota(const char *cpu_max)
{
    long long quota, period;

    if (sscanf(cpu_max, "%lld %lld", &quota, &period) != 2 || quota < 1 || period < 1)
        return INT64_MAX;
    return (quota + period - 1) / period;
}

static void read_first_line(const char *name, char *line, int size)
{
    FILE *f = fopen(name, "r");

    line[0] = '\0';
    if (!f)
        return;
    if (!fgets(line, size, f))
        line[0] = '\0';
    fclose(f);
}

/* The quota of the control group, which a container sees as the root. */
static int64_t find_quota(void)
{
    char line[4096], name[sizeof line + 32];
    int64_t inner, outer;

    read_first_line("/sys/fs/cgroup/cpu.max", line, sizeof line);
    outer = crowd_quota(line);
    read_first_line("/proc/self/cgroup", line, sizeof line);
    if (strncmp(line, "0::", 3) != 0)
        return outer;
    line[strcspn(line, "\n")] = '\0';
    snprintf(name, sizeof name, "/sys/fs/cgroup%s/cpu.max", line + 3);
    read_first_line(name, line, sizeof line);
    inner = crowd_quota(line);
    return inner < outer ? inner : outer;
}

static void find_processors(uint64_t may[CROWD_WORDS])
{
    enum { MOST = 1 << 13 }; /* processors of a machine */
    cpu_set_t *set = CPU_ALLOC(MOST);
    size_t size = CPU_ALLOC_SIZE(MOST);

    if (set && sched_getaffinity(0, size, set) == 0)
        for (int i = 0; i < MOST; i++)
            if (CPU_ISSET_S(i, size, set))
                may[i / 64 % CROWD_WORDS] |= UINT64_C(1) << i % 64;
    CPU_FREE(set);
}

crowd_process crowd_mine(void)
{
    char host[TOPO_HOST];
    crowd_process p = {.node = here_node(host), .quota = find_quota()};

    find_processors(p.may);
    return p;
}

/* ---- all ---- */

static bool share_processors(const crowd_process *x, const crowd_process *y)
{
    bool found = false;

    for (int i = 0; i < CROWD_WORDS; i++)
        found |= (x->may[i] & y->may[i]) != 0;
    return found && x->node == y->node;
}

static int64_t count_bits(const uint64_t may[CROWD_WORDS])
{
    int64_t n = 0;

    for (int i = 0; i < CROWD_WORDS; i++)
        n += __builtin_popcountll(may[i]);
    return n;
}

static atomic_int known;

int crowd_cores(void)
{
    return atomic_load_explicit(&known, memory_order_relaxed);
}

/* So many processors, and no more than each of these processes may use. */
static int limited_by_quota(const uint64_t may[CROWD_WORDS], int64_t quota)
{
    int64_t n = count_bits(may);

    return (int)(n < quota ? n : quota);
}

static void add_process(crowd_process *together, const crowd_process *one)
{
    for (int i = 0; i < CROWD_WORDS; i++)
        together->may[i] |= one->may[i];
    if (one->quota < together->quota)
        together->quota = one->quota;
}

crowd crowd_of(const crowd_process *all, int p, const crowd_process *mine)
{
    crowd_process sharing = {.quota = INT64_MAX}, node = sharing;
    crowd c = {0};

    for (int r = 0; r < p; r++) {
        if (all[r].node == mine->node)
            add_process(&node, &all[r]);
        if (!share_processors(&all[r], mine))
            continue;
        c.processes++;
        add_process(&sharing, &all[r]);
    }
    c.processors = limited_by_quota(sharing.may, sharing.quota);
    c.cores = limited_by_quota(node.may, node.quota);
    return c;
}

void crowd_look(MPI_Comm all)
{
    crowd_process mine = crowd_mine(), *others;
    int p = 0;

    PMPI_Comm_size(all, &p);
    others = calloc((size_t)p, sizeof *others);
    if (!others) /* the others would wait for ever; it is 144 bytes for each rank */
        return;
    if (native_mpi.Allgather(&mine, sizeof mine, MPI_BYTE, others, sizeof mine, MPI_BYTE, all) ==
        MPI_SUCCESS) {
        crowd c = crowd_of(others, p, &mine);
        atomic_store_explicit(&known, c.cores, memory_order_relaxed);
        rest_share(c.processes > c.processors);
    }
    free(others);
}
