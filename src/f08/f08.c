/* SPDX-License-Identifier: BSD-3-Clause */
/* f08.c - see f08.h. */
#include "f08/f08.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- constants ---- */

void tutti_f08_get_constants(void); /* the module's, calls tutti_f08_set_constants */

static f08_constants constants;

void tutti_f08_set_constants(const CFI_cdesc_t *in_place, const CFI_cdesc_t *bottom,
                             const void *status_ignore, const void *statuses_ignore)
{
    constants =
        (f08_constants){in_place->base_addr, bottom->base_addr, status_ignore, statuses_ignore};
}

static const f08_constants *f08_known(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, tutti_f08_get_constants);
    return &constants;
}

MPI_Status *f08_status(MPI_Status *status)
{
    return status == f08_known()->status_ignore ? MPI_STATUS_IGNORE : status;
}

MPI_Status *f08_statuses(MPI_Status *statuses)
{
    return statuses == f08_known()->statuses_ignore ? MPI_STATUSES_IGNORE : statuses;
}

/* ---- sections ---- */

/* An assumed-size array has the extent -1 in its last dimension: it is in one piece. */
static bool in_one_piece(const CFI_cdesc_t *d)
{
    CFI_index_t length = (CFI_index_t)d->elem_len;

    for (int i = 0; i < d->rank; i++) {
        if (d->dim[i].extent == 0)
            return true;
        if (d->dim[i].extent > 1 && d->dim[i].sm != length)
            return i == d->rank - 1 && d->dim[i].extent < 0;
        length *= d->dim[i].extent;
    }
    return true;
}

static size_t section_size(const CFI_cdesc_t *d)
{
    size_t size = d->elem_len;

    for (int i = 0; i < d->rank; i++)
        size *= (size_t)d->dim[i].extent;
    return size;
}

/* Copy dimensions 0 to dim of the section to or from `packed`, in the order of the elements; the
 * address after it. */
static char *copy_section(const CFI_cdesc_t *d, int dim, char *at, char *packed, bool pack)
{
    if (dim < 0) {
        memcpy(pack ? packed : at, pack ? at : packed, d->elem_len);
        return packed + d->elem_len;
    }
    for (CFI_index_t i = 0; i < d->dim[dim].extent; i++)
        packed = copy_section(d, dim - 1, at + i * d->dim[dim].sm, packed, pack);
    return packed;
}

/* ---- one call ---- */

static int take_buffer(void **address, void **copy, const f08_side *side, f08_way way)
{
    const f08_constants *known = f08_known();
    const CFI_cdesc_t *d = side->buffer;

    if (!d)
        return MPI_SUCCESS;
    *address = d->base_addr;
    if (d->base_addr && d->base_addr == known->in_place)
        *address = MPI_IN_PLACE;
    else if (d->base_addr && d->base_addr == known->bottom)
        *address = MPI_BOTTOM;
    else if (d->base_addr && !side->unused && !in_one_piece(d)) {
        if (way == F08_LASTING)
            return MPI_ERR_BUFFER;
        *address = *copy = malloc(section_size(d));
        if (!*copy)
            return MPI_ERR_NO_MEM;
        copy_section(d, d->rank - 1, d->base_addr, *copy, true);
    }
    return MPI_SUCCESS;
}

static int take_types(MPI_Datatype **types, const CFI_cdesc_t *d)
{
    const char *at;
    size_t n;

    if (!d)
        return MPI_SUCCESS;
    n = (size_t)d->dim[0].extent;
    at = d->base_addr;
    *types = malloc(n * sizeof **types + 1);
    for (size_t i = 0; *types && i < n; i++)
        (*types)[i] =
            f08_datatype((const MPI_Fint *)(const void *)(at + (CFI_index_t)i * d->dim[0].sm));
    return *types ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

int f08_enter(f08_call *call, const f08_side *send, const f08_side *recv, const MPI_Fint *comm,
              f08_way way)
{
    int error;

    *call = (f08_call){.recv_section = recv->buffer};
    error = take_buffer(&call->send, &call->send_copy, send, way);
    if (error == MPI_SUCCESS)
        error = take_buffer(&call->recv, &call->recv_copy, recv, way);
    if (error == MPI_SUCCESS && call->send != MPI_IN_PLACE)
        error = take_types(&call->sendtypes, send->types);
    if (error == MPI_SUCCESS)
        error = take_types(&call->recvtypes, recv->types);
    if (error != MPI_SUCCESS)
        MPI_Comm_call_errhandler(f08_comm(comm), error);
    return error;
}

void f08_leave(f08_call *call)
{
    const CFI_cdesc_t *d = call->recv_section;

    if (call->recv_copy)
        copy_section(d, d->rank - 1, d->base_addr, call->recv_copy, false);
    free(call->send_copy);
    free(call->recv_copy);
    free(call->sendtypes);
    free(call->recvtypes);
}
