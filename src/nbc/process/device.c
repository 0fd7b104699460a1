/* SPDX-License-Identifier: BSD-3-Clause */
/* device.c - see device.h: notices which libraries are loaded, and knows memory of the host. */
#define _GNU_SOURCE /* dl_iterate_phdr, pthread_getattr_np */
#include "nbc/process/device.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static struct link_map followed = {.l_next = &followed};
_Atomic(struct link_map *) device_watched = &followed;

static _Atomic(struct link_map *) last; /* device_watched, unless a runtime is loaded */
static const device_runtime *_Atomic found[DEVICE_RUNTIMES];
static atomic_int nfound;

/* ---- memory of the host for as long as the process runs ---- */

/* The end of the heap, glibc's: sbrk(0) takes 1,300 ns where UCX has put a hook into it. */
extern char *__curbrk __attribute__((weak));

static uintptr_t data_low, data_high, heap_low; /* set before the first runtime is found */

static void find_data(const struct dl_phdr_info *program)
{
    for (int i = 0; i < program->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &program->dlpi_phdr[i];
        if (h->p_type != PT_LOAD || !(h->p_flags & PF_W))
            continue;
        data_low = program->dlpi_addr + h->p_vaddr;
        data_high = data_low + h->p_memsz;
    }
}

static void find_heap(void)
{
    unsigned long low;
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "re");

    heap_low = &__curbrk ? (uintptr_t)__curbrk : UINTPTR_MAX;
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "[heap]") && sscanf(line, "%lx-", &low) == 1 && low < heap_low)
            heap_low = low;
    if (maps)
        fclose(maps);
}

/* Of the caller's stack only what is in use: the rest of it may be another mapping's. */
static bool is_on_stack(uintptr_t address)
{
    static _Thread_local uintptr_t low, high;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    pthread_attr_t attributes;
    void *at = NULL;
    size_t size = 0;

    if (!high && pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &at, &size);
        pthread_attr_destroy(&attributes);
        low = (uintptr_t)at;
        high = low + size;
    }
    return here >= low && address >= here && address < high;
}

/* No device can get an address that is in use, and these are for ever: below the end of the heap
 * nothing is mapped but the heap. */
static bool is_host(uintptr_t address)
{
    return (address >= data_low && address < data_high) ||
           (address >= heap_low && address < (uintptr_t)__curbrk) || is_on_stack(address);
}

/* ---- which libraries are loaded ---- */

static char tail[PATH_MAX], paths[DEVICE_RUNTIMES][PATH_MAX]; /* under the lock of look_again */

static void note(char *to, const char *name)
{
    if (strlen(name) < PATH_MAX)
        strcpy(to, name);
}

/* The loader's lock is held: its list stays as it is. */
static int walk(struct dl_phdr_info *program, size_t size, void *unused)
{
    (void)size, (void)unused;
    find_data(program);
    for (const struct link_map *m = _r_debug.r_map; m; m = m->l_next) {
        const char *slash = strrchr(m->l_name, '/'), *file = slash ? slash + 1 : m->l_name;
        note(tail, m->l_name);
        for (int i = 0; i < DEVICE_RUNTIMES; i++)
            if (strncmp(file, device_runtimes[i].library, strlen(device_runtimes[i].library)) == 0)
                note(paths[i], m->l_name);
    }
    return 1; /* the program comes first, and is all that is asked for */
}

/* It is held as long as it is watched: the program may close it. */
static void watch_last(void)
{
    static void *held;
    void *before = held;
    struct link_map *m = NULL;

    held = dlopen(tail, RTLD_LAZY | RTLD_NOLOAD);
    if (!held || dlinfo(held, RTLD_DI_LINKMAP, &m) != 0)
        m = NULL;
    atomic_store(&last, m);
    if (before)
        dlclose(before);
}

static void find_runtimes(void)
{
    for (int i = 0; i < DEVICE_RUNTIMES; i++) {
        void *handle = NULL; /* for good */
        if (!found[i] && paths[i][0])
            handle = dlopen(paths[i], RTLD_LAZY | RTLD_NOLOAD);
        if (handle && device_runtimes[i].find(handle)) {
            found[i] = &device_runtimes[i];
            nfound++;
        }
    }
}

static bool nothing_new(void)
{
    struct link_map *m = atomic_load_explicit(&last, memory_order_acquire);

    return m && !__atomic_load_n(&m->l_next, __ATOMIC_RELAXED);
}

/* Not waited for: who has the lock may wait for the loader, and it for a constructor that calls us.
 */
static void look_again(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    enum { TRIES = 4 }; /* others may load some meanwhile */

    if (pthread_mutex_trylock(&lock) != 0)
        return;
    if (!heap_low)
        find_heap();
    for (int i = 0; i < TRIES && !nothing_new(); i++) {
        dl_iterate_phdr(walk, NULL);
        watch_last();
        find_runtimes();
    }
    atomic_store(&device_watched, nfound || !nothing_new() ? &followed : last);
    pthread_mutex_unlock(&lock);
}

bool device_look(void)
{
    if (!nothing_new())
        look_again();
    return atomic_load_explicit(&nfound, memory_order_acquire) > 0;
}

/* ---- memory of a device ---- */

static const device_runtime *owner_of(const void *address)
{
    for (int i = 0; i < DEVICE_RUNTIMES; i++)
        if (found[i] && found[i]->owns(address))
            return found[i];
    return NULL;
}

const char *device_of(const void *address)
{
    const device_runtime *r = is_host((uintptr_t)address) ? NULL : owner_of(address);

    return r ? r->name : NULL;
}

static bool copy(const device_copy *c)
{
    const device_runtime *r = owner_of(c->device);

    return r && r->copy(c);
}

bool device_read(const char *device, char *host, const device_range *parts, int64_t n)
{
    return copy(
        &(device_copy){.to = host, .from = device, .device = device, .parts = parts, .n = n});
}

bool device_write(char *device, const char *host, const device_range *parts, int64_t n)
{
    return copy(
        &(device_copy){.to = device, .from = host, .device = device, .parts = parts, .n = n});
}
