/* SPDX-License-Identifier: BSD-3-Clause */
/* edges_check.c - see edges.h: every call against a reference. */
#include "mpi/edges.h"

#include <stdlib.h>

enum { TURNS = 4 };

typedef struct job {
    const graph *g;
    edges_reference *reference;
    coll_kind kind;
    edges_form form;
    char *expected[TURNS];
} job;

/* Whatever displacements count from, the data lies at the same addresses. */
static void ask_the_mpi(job *j)
{
    edges_form form = j->form;
    edges e;

    form.displs = DISPLS_RELATIVE;
    edges_open(&e, j->g, j->kind, form);
    for (int turn = 0; turn < TURNS; turn++) {
        edges_fill(&e, j->g, turn);
        CHECK(j->reference(j->g, j->kind, &e.a) == MPI_SUCCESS);
        j->expected[turn] = edges_copy(&e);
    }
    edges_close(&e);
}

static void blocking(const job *j, const call_set *set, bool large)
{
    edges e;

    edges_open(&e, j->g, j->kind, j->form);
    for (int turn = 0; turn < 2; turn++) {
        edges_fill(&e, j->g, turn);
        CHECK(calls_run(set, large, &e.a) == MPI_SUCCESS);
        CHECK(edges_right(&e, j->expected[turn]));
    }
    edges_close(&e);
}

/* Tutti has read the lists when the call returns; the MPI, which libtutti_mpi.so may leave a call
 * to, need not. */
static void nonblocking(const job *j, const call_set *set, bool large)
{
    MPI_Request request = MPI_REQUEST_NULL;
    edges e;

    edges_open(&e, j->g, j->kind, j->form);
    edges_fill(&e, j->g, 1);
    CHECK(calls_start(set, large, &e.a, &request) == MPI_SUCCESS);
#ifndef PLAIN
    edges_spoil(&e);
#endif
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(edges_right(&e, j->expected[1]));
    edges_close(&e);
}

static void persistently(const job *j, const call_set *set, bool large)
{
    persistent p = PERSISTENT_NULL;
    edges e;

    edges_open(&e, j->g, j->kind, j->form);
    CHECK(calls_init(set, large, &e.a, MPI_INFO_NULL, &p) == MPI_SUCCESS);
    edges_spoil(&e);
    for (int turn = 0; turn < TURNS; turn++) {
        edges_fill(&e, j->g, turn);
        CHECK(persistent_start(&p) == MPI_SUCCESS);
        CHECK(persistent_wait(&p, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(edges_right(&e, j->expected[turn]));
    }
    CHECK(persistent_free(&p) == MPI_SUCCESS);
    edges_close(&e);
}

/* An int is too short for an address. */
static bool is_too_wide(const edges_form *f, coll_kind kind, bool large)
{
    return kind == COLL_alltoallw && f->displs == DISPLS_ABSOLUTE && !large;
}

void edges_check(const graph *g, coll_kind kind, edges_form form, edges_reference *reference)
{
    job j = {.g = g, .reference = reference, .kind = kind, .form = form};

    mpi_test_context("%s: %s of the MPI", g->name, coll_kind_name(kind));
    ask_the_mpi(&j);
    for (int i = 0; i < call_set_count; i++)
        for (int large = 0; large < 2; large++) {
            const call_set *set = &call_sets[i];
            if (set->kind != kind || !set->run[large] || is_too_wide(&form, kind, large))
                continue;
            mpi_test_context("%s: %s %s%s, %d units, types %d, displs %d", g->name,
                             coll_kind_name(kind), set->algorithm, large ? "_c" : "", form.units,
                             form.types, (int)form.displs);
            blocking(&j, set, large);
            nonblocking(&j, set, large);
            persistently(&j, set, large);
        }
    for (int turn = 0; turn < TURNS; turn++)
        free(j.expected[turn]);
}
