/* SPDX-License-Identifier: BSD-3-Clause */
/* pin.c - the object that our code is part of, whichever it is, cannot be unloaded any more. */
#define _GNU_SOURCE /* dladdr1, RTLD_NODELETE */
#include "nbc/process/pin.h"

#include <dlfcn.h>
#include <link.h>

void pin_code(void)
{
    static const char here;
    const struct link_map *object;
    void *found;
    Dl_info unused;

    if (!dladdr1(&here, &unused, &found, RTLD_DL_LINKMAP))
        return;
    object = found;
    if (object->l_name[0]) /* the program itself has no name, and need not be pinned */
        dlopen(object->l_name, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}
