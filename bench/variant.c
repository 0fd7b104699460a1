/* SPDX-License-Identifier: BSD-3-Clause */
/* variant.c - see variant.h. */
#include "variant.h"

#include "arrivals.h"

#include <stdio.h>
#include <string.h>

/* Cut a form off the end of the name that is before the colon. */
static bool cut_form(char *name, form *f)
{
    static const struct {
        const char *suffix;
        form form;
    } suffixes[] = {
        {"_b", BLOCKING}, {"_init", PERSISTENT}, {"_i", NONBLOCKING}, {"_thread", THREADED}};
    size_t n = strcspn(name, ":");

    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t k = strlen(suffixes[i].suffix);
        if (n > k && strncmp(name + n - k, suffixes[i].suffix, k) == 0) {
            memmove(name + n - k, name + n, strlen(name + n) + 1);
            *f = suffixes[i].form;
            return true;
        }
    }
    return false;
}

static bool is_tutti(const char *name)
{
    return strcmp(name, "native") != 0 && strcmp(name, "mpi") != 0 && strcmp(name, "hand") != 0;
}

/* Does Tutti know the name with its words? Asked of a communicator of one rank. */
static bool words_known(const char *name)
{
    MPI_Comm alone;
    MPI_Info info;
    int error;

    MPI_Comm_dup(MPI_COMM_SELF, &alone);
    MPI_Comm_set_errhandler(alone, MPI_ERRORS_RETURN);
    MPI_Info_create(&info);
    MPI_Info_set(info, "tutti_algorithm", name);
    error = tutti_comm_set_hints(alone, info);
    MPI_Info_free(&info);
    MPI_Comm_free(&alone);
    return error == MPI_SUCCESS;
}

bool variant_parse(variant *v, const options *o, const char *name)
{
    bool data = coll_shapes[o->what].recv != COLL_NONE;

    *v = (variant){.form = o->form,
                   .fill = data ? buffers_fill : arrivals_begin,
                   .wrong = data ? buffers_wrong : arrivals_early};
    if (strlen(name) >= NAME_SIZE)
        return false;
    strcpy(v->name, name);
    strcpy(v->words, name);
    if (!cut_form(v->words, &v->form) && !is_tutti(v->words))
        v->form = BLOCKING;
    return calls_find(o->what, v->words, v->form, &v->how) &&
           (!strchr(v->words, ':') || words_known(v->words));
}

/* All ranks on a torus of two dimensions. */
static void open_torus(run *r)
{
    int p, dims[2] = {0}, periodic[2] = {1, 1};

    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Dims_create(p, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periodic, 0, &r->comm);
    MPI_Comm_set_errhandler(r->comm, MPI_ERRORS_RETURN);
    for (int d = 0; d < 2; d++)
        MPI_Cart_shift(r->comm, d, 1, &r->neighbors[2 * d], &r->neighbors[2 * d + 1]);
}

void variant_open(variant *v, const options *o)
{
    run *r = &v->r;

    *r = (run){.what = o->what,
               .root = o->root,
               .op = buffers_type(o->what) == MPI_BYTE ? MPI_BOR : MPI_SUM, /* of mock-ups */
               .comm = MPI_COMM_WORLD,
               .words = strchr(v->words, ':') ? v->words : NULL,
               .named = v->words,
               .native = MPI_REQUEST_NULL,
               .tutti = MPIX_REQUEST_NULL};
    if (coll_has(o->what, COLL_NEIGHBORS))
        open_torus(r);
    else if (v->how.own_comm)
        MPI_Comm_dup(MPI_COMM_WORLD, &r->comm);
    MPI_Comm_size(r->comm, &r->p);
    MPI_Comm_rank(r->comm, &r->rank);
    r->blocks = coll_has(o->what, COLL_NEIGHBORS) ? TORUS_NEIGHBORS : r->p;
}

void variant_close(variant *v)
{
    if (v->how.own_comm || coll_has(v->r.what, COLL_NEIGHBORS))
        MPI_Comm_free(&v->r.comm);
}

void variant_use(variant *v, const buffers *b, int size)
{
    v->r.send = coll_shapes[v->r.what].send == COLL_NONE ? b->recv : b->send;
    v->r.recv = b->recv;
    v->r.counts = b->counts;
    v->r.displs = b->displs;
    v->r.byte_displs = b->byte_displs;
    v->r.types = b->types;
    v->r.type = b->type;
    v->r.size = size;
    v->r.count = size / b->unit;
}
