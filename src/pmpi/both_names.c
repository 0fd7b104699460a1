/* SPDX-License-Identifier: BSD-3-Clause */
/* both_names.c - see both_names.h. */
#define _GNU_SOURCE /* RTLD_NEXT, dladdr */
#include "pmpi/both_names.h"

#include "api/interposed.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Through a union because ISO C has no conversion from a function to void *. */
typedef union symbol {
    void *object;
    native_mpi_calls *(*function)(void);
} symbol;

static bool same_library(void *one, void *other)
{
    Dl_info a, b;

    return dladdr(one, &a) && dladdr(other, &b) && a.dli_fbase == b.dli_fbase;
}

/* libtutti has some of MPI's functions for programs without this library (api/mpi_names.c). */
static bool is_libtuttis(void *function)
{
    return same_library(function, (symbol){.function = tutti_interposed_native_mpi}.object);
}

void both_names_bind(const char *p_name, void *own, void *next)
{
    void *mpis = dlsym(RTLD_NEXT, p_name), *tools = dlsym(RTLD_NEXT, p_name + 1);

    if (mpis)
        memcpy(own, &mpis, sizeof mpis);
    if (tools && !is_libtuttis(tools) && !(mpis && same_library(tools, mpis)))
        memcpy(next, &tools, sizeof tools);
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
