/* SPDX-License-Identifier: BSD-3-Clause */
/* pu.c - see pu.h. */
#include "topo/pu.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The last unit of `from` that is not in `not`. */
static int last_but(hwloc_const_bitmap_t from, hwloc_const_bitmap_t not )
{
    hwloc_bitmap_t rest = hwloc_bitmap_alloc();
    int last = PU_NONE;

    if (rest && hwloc_bitmap_andnot(rest, from, not ) == 0)
        last = hwloc_bitmap_last(rest);
    hwloc_bitmap_free(rest);
    return last;
}

/* All units of the cores that `set` touches. */
static void add_cores(hwloc_topology_t topology, hwloc_const_bitmap_t set, hwloc_bitmap_t cores)
{
    hwloc_obj_t core = NULL;

    hwloc_bitmap_copy(cores, set);
    while ((core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core)) != NULL)
        if (hwloc_bitmap_intersects(core->cpuset, set))
            hwloc_bitmap_or(cores, cores, core->cpuset);
}

int pu_pick(hwloc_topology_t topology, hwloc_const_bitmap_t mine, hwloc_const_bitmap_t used,
            hwloc_const_bitmap_t others)
{
    hwloc_bitmap_t cores = hwloc_bitmap_alloc(), taken = hwloc_bitmap_alloc();
    int pu = PU_NONE;

    if (cores && taken) {
        add_cores(topology, used, cores);
        hwloc_bitmap_or(taken, cores, others);
        pu = last_but(mine, taken);
        if (pu == PU_NONE) {
            add_cores(topology, mine, cores);
            hwloc_bitmap_and(cores, cores, hwloc_topology_get_allowed_cpuset(topology));
            hwloc_bitmap_or(taken, used, others);
            pu = last_but(cores, taken);
        }
    }
    hwloc_bitmap_free(cores);
    hwloc_bitmap_free(taken);
    return pu;
}

/* ---- what the system says of threads and processes ---- */

typedef struct task {
    char state; /* R: running or ready */
    int parent, processor;
} task;

/* From /proc/.../stat; see proc(5). */
static bool read_task(const char *path, task *t)
{
    char text[1024];
    size_t n;
    FILE *file = fopen(path, "r");

    if (!file)
        return false;
    n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = '\0';
    char *at = strrchr(text, ')'); /* the name may hold anything */
    if (!at || sscanf(at + 1, " %c %d", &t->state, &t->parent) != 2)
        return false;
    for (int field = 2; at && field < 39; field++)
        at = strchr(at + 1, ' ');
    return at && sscanf(at, " %d", &t->processor) == 1;
}

/* Where the threads of this process run that do run now: the calling one among them. Others, such
 * as the MPI's helpers, sleep nearly always. */
static void add_used(hwloc_bitmap_t used)
{
    char path[320];
    task t;
    DIR *tasks = opendir("/proc/self/task");

    for (struct dirent *d; tasks && (d = readdir(tasks)) != NULL;) {
        snprintf(path, sizeof path, "/proc/self/task/%s/stat", d->d_name);
        if (isdigit((unsigned char)d->d_name[0]) && read_task(path, &t) && t.state == 'R')
            hwloc_bitmap_set(used, (unsigned)t.processor);
    }
    if (tasks)
        closedir(tasks);
}

static int parent_of(pid_t pid)
{
    char path[64];
    task t;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    return read_task(path, &t) ? t.parent : -1;
}

/* ---- the other processes of the job ---- */

static bool same_program(pid_t pid)
{
    char path[64], theirs[1024], ours[1024];
    ssize_t n, m = readlink("/proc/self/exe", ours, sizeof ours);

    snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    n = readlink(path, theirs, sizeof theirs);
    return n > 0 && n == m && memcmp(theirs, ours, (size_t)n) == 0;
}

static void add_others(hwloc_topology_t topology, hwloc_bitmap_t others)
{
    hwloc_bitmap_t theirs = hwloc_bitmap_alloc();
    DIR *proc = opendir("/proc");

    for (struct dirent *d; theirs && proc && (d = readdir(proc)) != NULL;) {
        pid_t pid = (pid_t)atol(d->d_name);
        if (!isdigit((unsigned char)d->d_name[0]) || pid == getpid())
            continue;
        if ((parent_of(pid) == getppid() || same_program(pid)) &&
            hwloc_get_proc_cpubind(topology, pid, theirs, 0) == 0)
            hwloc_bitmap_or(others, others, theirs);
    }
    if (proc)
        closedir(proc);
    hwloc_bitmap_free(theirs);
}

/* ---- this machine ---- */

/* Cores and units only: the caches and devices would take longer to find. */
static hwloc_topology_t load_topology(void)
{
    hwloc_topology_t topology;

    if (hwloc_topology_init(&topology) != 0)
        return NULL;
    hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_type_filter(topology, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
    if (hwloc_topology_load(topology) == 0)
        return topology;
    hwloc_topology_destroy(topology);
    return NULL;
}

int pu_choose(void)
{
    hwloc_topology_t topology = load_topology();
    hwloc_bitmap_t mine = hwloc_bitmap_alloc(), used = hwloc_bitmap_alloc(),
                   others = hwloc_bitmap_alloc();
    int pu = PU_NONE;

    if (topology && mine && used && others &&
        hwloc_get_cpubind(topology, mine, HWLOC_CPUBIND_PROCESS) == 0) {
        add_used(used);
        add_others(topology, others);
        pu = pu_pick(topology, mine, used, others);
    }
    hwloc_bitmap_free(mine);
    hwloc_bitmap_free(used);
    hwloc_bitmap_free(others);
    if (topology)
        hwloc_topology_destroy(topology);
    return pu;
}

int pu_bind(int pu)
{
    hwloc_topology_t topology = load_topology();
    hwloc_obj_t unit = NULL;
    int error = -1;

    if (topology)
        unit = hwloc_get_pu_obj_by_os_index(topology, (unsigned)pu);
    if (unit)
        error = hwloc_set_cpubind(topology, unit->cpuset, HWLOC_CPUBIND_THREAD);
    if (topology)
        hwloc_topology_destroy(topology);
    return error ? -1 : 0;
}
