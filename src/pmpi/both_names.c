/* SPDX-License-Identifier: BSD-3-Clause */
/* both_names.c - see both_names.h. */
#define _GNU_SOURCE /* RTLD_NEXT, dladdr */
#include "pmpi/both_names.h"

#include "api/interposed.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static bool same_library(void *one, void *other)
{
    Dl_info a, b;

    return dladdr(one, &a) && dladdr(other, &b) && a.dli_fbase == b.dli_fbase;
}

/* libtutti has some of MPI's functions for programs without this library (api/mpi_names.c). */
static bool is_libtuttis(void *function)
{
    return same_library(function, (void *)tutti_interposed_native_mpi);
}

/* The symbols that a library wants of others: they are before those that are hashed. */
typedef struct wanted {
    const ElfW(Sym) * symbols;
    const char *names;
    uint32_t n;
} wanted;

/* Some systems have relocated the addresses of this section, some have not. */
static const void *address_of(const struct link_map *library, const ElfW(Dyn) * entry)
{
    ElfW(Addr) at = entry->d_un.d_ptr;

    return (const void *)(at < library->l_addr ? library->l_addr + at : at);
}

static wanted wanted_by(const struct link_map *library)
{
    enum { SYMBOLS_OFFSET = 1, CHAINS = 1 }; /* words of either table of hashes */
    wanted found = {.n = 0};

    for (const ElfW(Dyn) *entry = library->l_ld; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_SYMTAB)
            found.symbols = address_of(library, entry);
        else if (entry->d_tag == DT_STRTAB)
            found.names = address_of(library, entry);
        else if (entry->d_tag == DT_GNU_HASH)
            found.n = ((const uint32_t *)address_of(library, entry))[SYMBOLS_OFFSET];
        else if (entry->d_tag == DT_HASH && found.n == 0)
            found.n = ((const uint32_t *)address_of(library, entry))[CHAINS];
    return found;
}

/* Does the library of this function call `name` of another one? */
static bool calls(void *function, const char *name)
{
    struct link_map *library;
    Dl_info info;
    wanted w;

    if (!dladdr1(function, &info, (void **)&library, RTLD_DL_LINKMAP))
        return false;
    w = wanted_by(library);
    for (uint32_t i = 0; i < w.n; i++)
        if (w.symbols[i].st_shndx == SHN_UNDEF && strcmp(w.names + w.symbols[i].st_name, name) == 0)
            return true;
    return false;
}

void both_names_bind(const char *p_name, void *own, void *next)
{
    void *mpis = dlsym(RTLD_NEXT, p_name), *tools = dlsym(RTLD_NEXT, p_name + 1);
    bool is_tool = tools && !is_libtuttis(tools) && !(mpis && same_library(tools, mpis));

    if (is_tool && calls(tools, p_name))
        memcpy(next, &tools, sizeof tools);
    else if (is_tool)
        mpis = tools;
    if (mpis)
        memcpy(own, &mpis, sizeof mpis);
}

/* What libtutti wants of the MPI is not for this library, nor for a tool. */
__attribute__((constructor)) static void bind_libtutti(void)
{
    native_mpi_calls *native = tutti_interposed_native_mpi();
    void *found;

#define CALL(name)                                                                                 \
    found = dlsym(RTLD_NEXT, "PMPI_" #name);                                                       \
    if (found)                                                                                     \
        memcpy(&native->name, &found, sizeof found);
    NATIVE_MPI_CALLS(CALL)
#undef CALL
}
