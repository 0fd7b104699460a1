/* SPDX-License-Identifier: BSD-3-Clause */
/* device.c - see device.h: notices which libraries are loaded, and knows memory of the host. */
#define _GNU_SOURCE /* dl_iterate_phdr, pthread_getattr_np */
#include "nbc/process/device.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static struct link_map always = {.l_next = &always};
_Atomic(struct link_map *) device_watched = &always;

static const device_runtime *_Atomic found[DEVICE_RUNTIMES];
static atomic_int nfound;

/* ---- memory of the host for as long as the process runs ---- */

/* The end of the heap, glibc's: sbrk(0) takes 1,300 ns where UCX has put a hook into it. */
extern char *__curbrk __attribute__((weak));

static uintptr_t data_low, data_high, heap_low; /* set at the first look */

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

/* Is the address in the used part of the caller's stack? The unused part may belong to another
 * mapping. */
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

/* How many libraries the process has ever loaded, when they were looked through. */
static atomic_ullong seen;

static int count_loads(struct dl_phdr_info *program, size_t size, void *loads)
{
    *(unsigned long long *)loads = program->dlpi_adds;
    return 1;
}

typedef struct libraries {
    unsigned long long loads;
    char last[PATH_MAX], runtime[DEVICE_RUNTIMES][PATH_MAX];
} libraries;

static void note_name(char *to, const char *name)
{
    if (strlen(name) < PATH_MAX)
        strcpy(to, name);
}

static int walk(struct dl_phdr_info *library, size_t size, void *all)
{
    const char *name = library->dlpi_name, *slash = strrchr(name, '/');
    const char *file = slash ? slash + 1 : name;
    libraries *l = all;

    if (!data_high) /* the program comes first */
        find_data(library);
    l->loads = library->dlpi_adds;
    note_name(l->last, name);
    for (int i = 0; i < DEVICE_RUNTIMES; i++)
        if (strncmp(file, device_runtimes[i].library, strlen(device_runtimes[i].library)) == 0)
            note_name(l->runtime[i], name);
    return 0;
}

static void find_runtimes(const libraries *l)
{
    for (int i = 0; i < DEVICE_RUNTIMES; i++) {
        void *handle = NULL; /* for good */
        if (!found[i] && l->runtime[i][0])
            handle = dlopen(l->runtime[i], RTLD_LAZY | RTLD_NOLOAD);
        if (handle && device_runtimes[i].find(handle)) {
            found[i] = &device_runtimes[i];
            nfound++;
        }
    }
}

/* It is held for good, and the only one: the program may close what it loads later. */
static struct link_map *held(const char *name)
{
    void *handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    struct link_map *m = NULL;

    return handle && dlinfo(handle, RTLD_DI_LINKMAP, &m) == 0 && m ? m : &always;
}

/* dlopen waits for constructors that another thread runs: it is called here at the first look, and
 * where a runtime has been loaded. */
static void look_through(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct link_map *last;
    static libraries l;

    pthread_mutex_lock(&lock);
    memset(l.runtime, 0, sizeof l.runtime);
    dl_iterate_phdr(walk, &l);
    if (!last) {
        find_heap();
        last = held(l.last);
    }
    find_runtimes(&l);
    atomic_store(&device_watched, nfound ? &always : last);
    atomic_store(&seen, l.loads);
    pthread_mutex_unlock(&lock);
}

bool device_find_runtimes(void)
{
    unsigned long long loads = 0;

    dl_iterate_phdr(count_loads, &loads);
    if (loads != atomic_load_explicit(&seen, memory_order_acquire))
        look_through();
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

bool device_transfer(const device_copy *c)
{
    const device_runtime *r = owner_of(c->device);

    return r && r->copy(c);
}

bool device_pin(const void *device, void *host, size_t bytes)
{
    const device_runtime *r = owner_of(device);

    return r && r->pin && r->pin(device, host, bytes);
}
