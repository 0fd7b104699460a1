/* SPDX-License-Identifier: BSD-3-Clause */
/* knowledge.c - see knowledge.h. */
#include "nbc/process/knowledge.h"

#include "nbc/process/mpi_library.h"
#include "nbc/process/process.h"
#include "nbc/process/wisdom_file.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH = 1000 };

static knowledge *known;
static wisdom *learned; /* NULL: nothing */

/* Names that have been given to the program, which may look at them at any time. Library lock. */
typedef struct origin {
    struct origin *next;
    char text[];
} origin;

static origin *origins;

/* ---- the MPI ---- */

const char *knowledge_mpi(void)
{
    static char name[WISDOM_SHAPE];

    if (!*name)
        snprintf(name, sizeof name, "%.*s", WISDOM_SHAPE - 1, mpi_library_here()->name);
    return name;
}

static const char *suffix(void)
{
    return mpi_is_openmpi() ? "openmpi" : "mpich";
}

/* ---- what is in force ---- */

const knowledge *knowledge_hold(void)
{
    process_lock();
    knowledge *k = known;
    k->refs++;
    process_unlock();
    return k;
}

void knowledge_release(const knowledge *held)
{
    knowledge *k = (knowledge *)held;

    if (!k)
        return;
    process_lock();
    bool last = --k->refs == 0;
    process_unlock();
    if (!last)
        return;
    wisdom_free(k->wisdom);
    free(k);
}

/* Each name once. NULL: out of memory. */
static const char *keep_name(const char *name)
{
    size_t n = strlen(name) + 1;
    origin *o;

    process_lock();
    for (o = origins; o && strcmp(o->text, name) != 0;)
        o = o->next;
    if (!o && (o = malloc(sizeof *o + n)) != NULL) {
        memcpy(o->text, name, n);
        o->next = origins;
        origins = o;
    }
    process_unlock();
    return o ? o->text : NULL;
}

const knowledge *knowledge_replace(wisdom *w, const char *from)
{
    const char *source = keep_name(from);
    knowledge *k = source ? malloc(sizeof *k) : NULL, *before;

    if (!k) {
        wisdom_free(w);
        return NULL;
    }
    *k = (knowledge){.wisdom = w, .digest = wisdom_digest_of(w), .source = source, .refs = 2};
    process_lock();
    before = known;
    known = k;
    process_unlock();
    knowledge_release(before);
    return k;
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
    wisdom *found = wisdom_load(name, knowledge_mpi(), r->why, r->size);
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
    int n = snprintf(name, sizeof name, "%s%s/wisdom-%s", folder, below, suffix());

    if (n < 0 || (size_t)n >= sizeof name || access(name, F_OK) != 0)
        return true;
    return add_file(r, name);
}

static bool add_files(reading *r, const char *setting)
{
    const char *home = getenv("HOME");

    if (setting)
        return strcmp(setting, "off") == 0 || add_file(r, setting);
    return add_if_there(r, TUTTI_SYSCONFDIR, "/tutti") &&
           (!home || add_if_there(r, home, "/.config/tutti"));
}

int knowledge_read(const char *setting, bool may_lack, char *why, size_t size)
{
    reading r = {.all = wisdom_make(), .why = why, .size = size};
    const knowledge *k;
    bool lacks = may_lack && setting && access(setting, F_OK) != 0;

    *why = '\0';
    knowledge_mpi(); /* while there is one thread: it keeps the name */
    if (!r.all || !(lacks || add_files(&r, setting))) {
        wisdom_free(r.all);
        return MPI_ERR_NO_MEM;
    }
    k = knowledge_replace(r.all, *r.from ? r.from : "none");
    knowledge_release(k);
    return k ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* ---- what is learned ---- */

/* Without memory it is not. */
void knowledge_learn(const verdict *v)
{
    process_lock();
    if (!learned)
        learned = wisdom_make();
    if (learned)
        wisdom_add(learned, v);
    process_unlock();
}

bool knowledge_add_learned(wisdom *w)
{
    process_lock();
    bool added = !learned || wisdom_merge(w, learned);
    process_unlock();
    return added;
}

bool knowledge_save(const char *setting, char *why, size_t size)
{
    bool saved = true;

    *why = '\0';
    if (setting && strcmp(setting, "off") != 0 && learned)
        saved = wisdom_save(setting, learned, knowledge_mpi(), why, size);
    wisdom_free(learned);
    learned = NULL;
    return saved;
}
