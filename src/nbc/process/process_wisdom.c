/* SPDX-License-Identifier: BSD-3-Clause */
/* process_wisdom.c - see process_wisdom.h. */
#include "nbc/process/process_wisdom.h"

#include "nbc/process/mpi_library.h"
#include "nbc/process/process.h"
#include "nbc/process/wisdom_file.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH = 1000 };

/* Library lock, as all here. */
static wisdom *in_force, *learned; /* learned: NULL: nothing */
static const char *source;

/* Each source once: they have been given to the program, which may look at them at any time. */
static struct origin {
    struct origin *next;
    char text[];
} * origins;

wisdom *process_wisdom(void)
{
    process_lock();
    wisdom *w = wisdom_hold(in_force);
    process_unlock();
    return w;
}

const char *process_wisdom_source(void)
{
    process_lock();
    const char *text = source;
    process_unlock();
    return text;
}

static const char *keep_source(const char *text)
{
    size_t n = strlen(text) + 1;
    struct origin *o = origins;

    while (o && strcmp(o->text, text) != 0)
        o = o->next;
    if (o)
        return o->text;
    o = malloc(sizeof *o + n);
    if (!o)
        return "not known: out of memory";
    memcpy(o->text, text, n);
    o->next = origins;
    origins = o;
    return o->text;
}

void process_wisdom_replace(wisdom *w, const char *from)
{
    process_lock();
    wisdom *before = in_force;
    in_force = wisdom_hold(w);
    source = keep_source(from);
    process_unlock();
    wisdom_free(before);
}

/* ---- files ---- */

typedef struct reading {
    wisdom *all;
    char from[2 * PATH + 100]; /* names of files that were read */
    char *why;                 /* one was refused */
    size_t size;
} reading;

/* Add what the file says, if it can be read. False: out of memory. */
static bool add_file(reading *r, const char *name)
{
    wisdom *found = wisdom_load(name, mpi_library_here()->name, r->why, r->size);
    size_t n = strlen(r->from);
    bool added;

    if (!found)
        return true;
    snprintf(r->from + n, sizeof r->from - n, "%s%s", n ? ", then " : "", name);
    added = wisdom_merge(r->all, found);
    wisdom_free(found);
    return added;
}

static bool add_if_there(reading *r, const char *folder, const char *below)
{
    char name[PATH];
    int n = snprintf(name, sizeof name, "%s%s/wisdom-%s", folder, below,
                     mpi_is_openmpi() ? "openmpi" : "mpich");

    if (n < 0 || (size_t)n >= sizeof name || access(name, F_OK) != 0)
        return true;
    return add_file(r, name);
}

static bool add_files(reading *r, const char *setting, bool may_lack)
{
    const char *home = getenv("HOME");

    if (setting)
        return strcmp(setting, "off") == 0 || (may_lack && access(setting, F_OK) != 0) ||
               add_file(r, setting);
    return add_if_there(r, TUTTI_SYSCONFDIR, "/tutti") &&
           (!home || add_if_there(r, home, "/.config/tutti"));
}

int process_wisdom_read(const char *setting, bool may_lack, char *why, size_t size)
{
    reading r = {.all = wisdom_make(), .why = why, .size = size};
    bool read;

    *why = '\0';
    read = r.all && add_files(&r, setting, may_lack);
    if (read)
        process_wisdom_replace(r.all, *r.from ? r.from : "none");
    wisdom_free(r.all);
    return read ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* ---- what is learned ---- */

void process_wisdom_learn(const verdict *v)
{
    process_lock();
    if (!learned)
        learned = wisdom_make();
    if (learned)
        wisdom_add(learned, v);
    process_unlock();
}

bool process_wisdom_add_learned(wisdom *w)
{
    process_lock();
    bool added = !learned || wisdom_merge(w, learned);
    process_unlock();
    return added;
}

void process_wisdom_save(const char *setting, char *why, size_t size)
{
    *why = '\0';
    if (setting && strcmp(setting, "off") != 0 && learned)
        wisdom_save(setting, learned, mpi_library_here()->name, why, size);
    wisdom_free(learned);
    learned = NULL;
}
