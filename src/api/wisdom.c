/* SPDX-License-Identifier: BSD-3-Clause */
/* wisdom.c - the calls that bring wisdom into a job, and out of it.
 *
 * Rank 0 reads and broadcasts: so all have the same, and a file is read once.
 */
#include "api/decision_tables.h"
#include "api/together.h"
#include "nbc/comm/meet.h"
#include "nbc/library.h"
#include "nbc/plan/plan.h"
#include "nbc/process/env.h"
#include "nbc/process/mpi_library.h"
#include "nbc/process/mutex.h"
#include "nbc/process/native_mpi.h"
#include "nbc/process/reason.h"
#include "nbc/process/wisdom_file.h"
#include "nbc/run/engine.h"
#include "tune/wisdom_text.h"

#include <errno.h>
#include <stdlib.h>
#include <tutti.h>
#include <unistd.h>

int tutti_wisdom(size_t *verdicts, const char **source)
{
    int error = library_enter();
    wisdom *w;

    if (!error && (!verdicts || !source))
        error = comm_raise("tutti_wisdom", NULL,
                           reason_set(MPI_ERR_ARG, "%s is NULL", verdicts ? "source" : "verdicts"));
    if (error)
        return error;
    w = process_wisdom();
    *verdicts = wisdom_count(w);
    *source = process_wisdom_source();
    wisdom_free(w);
    return MPI_SUCCESS;
}

/* Rank 0: what the file says. What is wrong is said. */
static int load_file(const char *file, wisdom **w)
{
    char why[1200];

    *w = file ? wisdom_load(file, mpi_library_here()->name, why, sizeof why) : wisdom_make();
    if (*w)
        return MPI_SUCCESS;
    if (!file)
        return MPI_ERR_NO_MEM;
    env_say_here("tutti_wisdom_import: %s", why);
    return reason_printed(access(file, F_OK) != 0 && errno == ENOENT ? MPI_ERR_NO_SUCH_FILE
                                                                     : MPI_ERR_IO);
}

static const char importing[] = "tutti_wisdom_import";

/* All ranks come, with an error or without; operations advance meanwhile. Returns the error of the
 * first rank that has one. Close h afterwards. */
static int meet_all(comm *c, const char *caller, int error, handshake *h)
{
    hello mine = {.error = error, .environment_digest = env_asked()};

    error = together_meet(c, caller, &mine, h);
    for (int r = 0; !error && r < c->p; r++)
        error = h->all[r].error;
    return error;
}

/* A text to all ranks from rank 0, which has it already, if all have memory for it. */
static int broadcast_text(comm *c, char **text, size_t *n, handshake *h)
{
    int length = (int)*n, error = native_mpi.Bcast(&length, 1, MPI_INT, 0, c->user);

    *n = (size_t)length;
    if (!error && !*text && !(*text = malloc(*n)))
        error = MPI_ERR_NO_MEM;
    error = comm_meet_again(c, importing, error, h);
    return error ? error : native_mpi.Bcast(*text, length, MPI_CHAR, 0, c->user);
}

/* Operations that start from now on use this wisdom. */
static void adopt(comm *c, wisdom *w, bool same_environment)
{
    wisdom *before;

    mutex_lock(&c->state_lock);
    engine_enter();
    before = c->wisdom;
    c->wisdom = wisdom_hold(w);
    c->same_environment = same_environment;
    c->same_wisdom = true;
    engine_leave();
    decision_tables_leave(c);
    mutex_unlock(&c->state_lock);
    wisdom_free(before);
    plan_cache_clear(c);
}

/* Only rank 0 knows the file. */
static const char *source_of(const comm *c, const wisdom *w, const char *file)
{
    if (wisdom_count(w) == 0)
        return "none";
    return c->rank == 0 ? file : "read by rank 0 of a communicator";
}

static int import(comm *c, const char *file)
{
    bool same_environment = false;
    char why[200];
    size_t n = 0;
    wisdom *w = NULL;
    handshake h = {0};
    int error = c->rank == 0 ? load_file(file, &w) : MPI_SUCCESS;
    char *text = w ? wisdom_write(w, mpi_library_here()->name, &n) : NULL;

    if (w && (!text || n > WISDOM_FILE))
        error = MPI_ERR_NO_MEM;
    error = meet_all(c, importing, error, &h);
    if (!error) {
        same_environment = handshake_other_environment(&h) == 0;
        error = broadcast_text(c, &text, &n, &h);
    }
    if (!error) {
        if (!w)
            w = wisdom_read(text, n, mpi_library_here()->name, why, sizeof why);
        error = comm_meet_again(c, importing, w ? MPI_SUCCESS : MPI_ERR_NO_MEM, &h);
    }
    free(text);
    handshake_close(&h);
    if (!error) { /* on all ranks, or on none */
        process_wisdom_replace(w, source_of(c, w, file));
        together_pass_gate(c);
        adopt(c, w, same_environment);
    }
    wisdom_free(w);
    return error;
}

/* What is wrong with the file has been printed by rank 0. */
static int raise_error(const char *caller, MPI_Comm user, const comm *c, int error)
{
    if (error == MPI_ERR_NO_SUCH_FILE || error == MPI_ERR_IO)
        reason_printed(error);
    return comm_raise_for(caller, user, c, error);
}

int tutti_wisdom_import(MPI_Comm user, const char *file)
{
    comm *c;
    int error = together_ready(user, importing, &c);

    if (!error)
        error = import(c, file);
    return raise_error(importing, user, c, error);
}

/* Rank 0 of the communicator: what is known there, and what this process has measured. */
static int export_to(const comm *c, const char *file)
{
    char why[1200];
    wisdom *all = file ? wisdom_make() : NULL;
    int error = file ? MPI_ERR_NO_MEM : reason_set(MPI_ERR_ARG, "file is NULL");

    if (all && wisdom_merge(all, c->wisdom) && process_wisdom_add_learned(all)) {
        error = wisdom_save(file, all, mpi_library_here()->name, why, sizeof why) ? MPI_SUCCESS
                                                                                  : MPI_ERR_IO;
        if (*why)
            env_say_here("tutti_wisdom_export: %s", why);
        if (error)
            reason_printed(error);
    }
    wisdom_free(all);
    return error;
}

int tutti_wisdom_export(MPI_Comm user, const char *file)
{
    comm *c;
    handshake h = {0};
    int error = together_ready(user, "tutti_wisdom_export", &c);

    if (!error)
        error =
            meet_all(c, "tutti_wisdom_export", c->rank == 0 ? export_to(c, file) : MPI_SUCCESS, &h);
    handshake_close(&h);
    return raise_error("tutti_wisdom_export", user, c, error);
}
