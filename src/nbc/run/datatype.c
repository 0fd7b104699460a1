/* SPDX-License-Identifier: BSD-3-Clause */
/* datatype.c - describe, hold and enlarge datatypes. */
#include "nbc/run/datatype.h"

#include "nbc/process/mpi_calls.h"
#include "nbc/process/native_mpi.h"
#include "nbc/process/process.h"
#include "nbc/process/reason.h"
#include "nbc/process/test_knobs.h"

#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

int64_t datatype_max_count = INT_MAX;
atomic_int datatype_held;

/* What is known of a derived type. */
typedef enum answer { UNASKED, NO, YES } answer;

typedef struct described {
    lifetime life; /* first: it is found by that */
    datatype type;
    _Atomic answer committed, contiguous, mixed;
} described;

/* NULL: of a predefined one, or of one that is not kept. */
static described *described_of(const datatype *d)
{
    return (described *)d->life;
}

/* Descriptions of predefined datatypes: their handles are never reused. Saves four MPI calls in
 * each non-blocking call. */
enum { CACHED = 16 };
static _Thread_local datatype cache[CACHED];
static _Thread_local bool cached[CACHED];

static unsigned cache_slot(MPI_Datatype type)
{
    uintptr_t bits = (uintptr_t)type;

    return (unsigned)((bits >> 4 ^ bits >> 9 ^ bits) % CACHED);
}

/* Those of MPI_Type_create_f90_real and its like are never freed. */
static bool is_predefined_combiner(int combiner)
{
    return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
           combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

/* How a datatype was made. MPICH ends a program that asks in the old way about one that was made
 * with large counts. */
typedef struct envelope {
    MPI_Count ints, addresses, counts, types;
    int combiner;
} envelope;

static int get_envelope(MPI_Datatype type, envelope *e)
{
#if MPI_VERSION >= 4
    return PMPI_Type_get_envelope_c(type, &e->ints, &e->addresses, &e->counts, &e->types,
                                    &e->combiner);
#else
    int ints, addresses, types;
    int error = PMPI_Type_get_envelope(type, &ints, &addresses, &types, &e->combiner);

    e->ints = ints;
    e->addresses = addresses;
    e->counts = 0;
    e->types = types;
    return error;
#endif
}

static int describe_anew(MPI_Datatype type, datatype *d)
{
    MPI_Count size, lb, extent, true_lb, true_extent;
    envelope e;
    int error = get_envelope(type, &e);

    if (!error)
        error = mpi_type_size(type, &size);
    if (!error)
        error = mpi_type_extent(type, &lb, &extent);
    if (!error)
        error = mpi_type_true_extent(type, &true_lb, &true_extent);
    if (error)
        return MPI_ERR_TYPE;
    *d = (datatype){.type = type,
                    .predefined = is_predefined_combiner(e.combiner),
                    .dense = size == extent && true_lb == 0 && true_extent == size,
                    .size = size,
                    .extent = extent,
                    .true_lb = true_lb,
                    .true_extent = true_extent};
    return MPI_SUCCESS;
}

static bool is_kept_type(MPI_Datatype type, datatype *d)
{
    lifetime *life = lifetime_of(type);

    if (life)
        *d = ((described *)life)->type;
    return life;
}

static int keep_new(datatype *d)
{
    described *of = calloc(1, sizeof *of);
    int error;

    if (!of)
        return MPI_ERR_NO_MEM;
    of->type = *d; /* before another thread can find it */
    of->type.life = &of->life;
    error = lifetime_attach(&of->life, d->type);
    if (!error)
        d->life = &of->life;
    return error;
}

/* For the next time; but not while another thread does so, maybe with this type. It is not waited
 * for: MPI may have called us back, and it may wait for a lock of MPI. */
static int keep_type(datatype *d)
{
    static pthread_mutex_t keeping = PTHREAD_MUTEX_INITIALIZER;
    int error = MPI_SUCCESS;

    if (pthread_mutex_trylock(&keeping) != 0)
        return MPI_SUCCESS;
    if (!is_kept_type(d->type, d))
        error = keep_new(d);
    pthread_mutex_unlock(&keeping);
    return error;
}

static int describe_derived(MPI_Datatype type, unsigned slot, datatype *d)
{
    int error;

    if (is_kept_type(type, d))
        return MPI_SUCCESS;
    error = describe_anew(type, d);
    if (error || !d->predefined)
        return error ? error : keep_type(d);
    cache[slot] = *d;
    cached[slot] = true;
    return MPI_SUCCESS;
}

int datatype_describe(MPI_Datatype type, datatype *d)
{
    unsigned slot = cache_slot(type);

    if (cached[slot] && cache[slot].type == type) {
        *d = cache[slot];
        return MPI_SUCCESS;
    }
    if (type == MPI_DATATYPE_NULL)
        return reason_set(MPI_ERR_TYPE, "the datatype is MPI_DATATYPE_NULL");
    return describe_derived(type, slot, d);
}

/* MPI has no query for this; a send of one element to nobody checks it in both MPIs. (Not by
 * the class of the error: on MPICH 4.0 it may be that of an earlier one.) */
int datatype_check_committed(const datatype *d)
{
    described *of = described_of(d);
    char nothing[1];

    if (d->predefined || (of && of->committed == YES))
        return MPI_SUCCESS;
    if (PMPI_Send(nothing, 1, d->type, MPI_PROC_NULL, 0, process_self()) != MPI_SUCCESS)
        return reason_set(MPI_ERR_TYPE, "the datatype is not committed");
    if (of)
        of->committed = YES;
    return MPI_SUCCESS;
}

int datatype_copy(MPI_Datatype type, MPI_Datatype *copy)
{
    int error = PMPI_Type_contiguous(1, type, copy);

    return error ? error : datatype_commit(copy);
}

int datatype_hold(datatype *d)
{
    MPI_Datatype own;
    int error;

    d->contiguous = datatype_is_contiguous(d);
    if (d->predefined || d->held)
        return MPI_SUCCESS;
    error = datatype_copy(d->type, &own);
    if (error)
        return error;
    lifetime_ref(d->life);
    atomic_fetch_add(&datatype_held, 1);
    d->type = own;
    d->held = true;
    return MPI_SUCCESS;
}

void datatype_release(datatype *d)
{
    if (d->held) {
        native_mpi.Type_free(&d->type);
        atomic_fetch_sub(&datatype_held, 1);
        lifetime_unref(d->life);
    }
    d->held = false;
}

int64_t datatype_span(const datatype *d, int64_t n)
{
    int64_t step = d->extent < 0 ? -d->extent : d->extent;

    return n ? (n - 1) * step + d->true_extent : 0;
}

int datatype_commit(MPI_Datatype *type)
{
    int error = PMPI_Type_commit(type);

    if (error)
        native_mpi.Type_free(type);
    return error;
}

/* The types that it was made of, to be freed by free_parts; NULL: they are not to be had. */
static MPI_Datatype *get_parts(MPI_Datatype type, const envelope *e)
{
    size_t n = (size_t)e->types;
    MPI_Datatype *parts = calloc(n + 1, sizeof *parts);
    int *ints = calloc((size_t)e->ints + 1, sizeof *ints), error = MPI_ERR_NO_MEM;
    MPI_Aint *addresses = calloc((size_t)e->addresses + 1, sizeof *addresses);
    MPI_Count *counts = calloc((size_t)e->counts + 1, sizeof *counts);

    if (parts && ints && addresses && counts)
#if MPI_VERSION >= 4
        error = PMPI_Type_get_contents_c(type, e->ints, e->addresses, e->counts, e->types, ints,
                                         addresses, counts, parts);
#else
        error = PMPI_Type_get_contents(type, (int)e->ints, (int)e->addresses, (int)e->types, ints,
                                       addresses, parts);
#endif
    free(ints);
    free(addresses);
    free(counts);
    if (!error)
        return parts;
    free(parts);
    return NULL;
}

static void free_parts(MPI_Datatype *parts, const envelope *e)
{
    envelope part;

    for (MPI_Count i = 0; parts && i < e->types; i++)
        if (get_envelope(parts[i], &part) == MPI_SUCCESS && !is_predefined_combiner(part.combiner))
            native_mpi.Type_free(&parts[i]);
    free(parts);
}

/* Duplicates and contiguous types of predefined types; of others nobody knows the order of their
 * parts. */
static bool is_contiguous_of_parts(MPI_Datatype type)
{
    MPI_Datatype *parts;
    datatype of = {0};
    envelope e;
    bool contiguous;

    if (get_envelope(type, &e) ||
        (e.combiner != MPI_COMBINER_DUP && e.combiner != MPI_COMBINER_CONTIGUOUS))
        return false;
    parts = get_parts(type, &e);
    contiguous =
        parts && datatype_describe(parts[0], &of) == MPI_SUCCESS && datatype_is_contiguous(&of);
    free_parts(parts, &e);
    return contiguous;
}

bool datatype_is_contiguous(const datatype *d)
{
    described *of = described_of(d);

    if (!d->dense || d->predefined)
        return d->dense;
    if (!of)
        return is_contiguous_of_parts(d->type);
    if (of->contiguous == UNASKED)
        of->contiguous = is_contiguous_of_parts(d->type) ? YES : NO;
    return of->contiguous == YES;
}

static bool is_pair(MPI_Datatype type)
{
    return type == MPI_FLOAT_INT || type == MPI_DOUBLE_INT || type == MPI_LONG_INT ||
           type == MPI_SHORT_INT || type == MPI_LONG_DOUBLE_INT;
}

/* Is all of it of one basic type, and of the one found before, if that is not null? */
static bool is_uniform_type(MPI_Datatype type, MPI_Datatype *basic)
{
    MPI_Datatype *parts;
    bool uniform;
    envelope e;

    if (get_envelope(type, &e))
        return false;
    if (is_predefined_combiner(e.combiner)) {
        uniform = !is_pair(type) && (*basic == MPI_DATATYPE_NULL || *basic == type);
        *basic = type;
        return uniform;
    }
    parts = get_parts(type, &e);
    uniform = parts != NULL;
    for (MPI_Count i = 0; uniform && i < e.types; i++)
        uniform = is_uniform_type(parts[i], basic);
    free_parts(parts, &e);
    return uniform;
}

bool datatype_is_mixed(const datatype *d)
{
    MPI_Datatype basic = MPI_DATATYPE_NULL;
    described *of = described_of(d);

    if (d->predefined)
        return is_pair(d->type);
    if (!of)
        return !is_uniform_type(d->type, &basic);
    if (of->mixed == UNASKED)
        of->mixed = is_uniform_type(d->type, &basic) ? NO : YES;
    return of->mixed == YES;
}

/* n elements as chunks of datatype_max_count, and the rest after them. */
static int large_type(MPI_Datatype type, int64_t n, MPI_Datatype *result)
{
    int64_t chunks = n / datatype_max_count, rest = n % datatype_max_count;
    MPI_Datatype parts[2] = {MPI_DATATYPE_NULL, type}, chunk;
    int lengths[2] = {1, (int)rest}, error;
    MPI_Count lb, extent;
    MPI_Aint at[2] = {0, 0};

    if (chunks > INT_MAX)
        return MPI_ERR_COUNT;
    error = mpi_type_extent(type, &lb, &extent);
    if (!error)
        error = PMPI_Type_contiguous((int)datatype_max_count, type, &chunk);
    if (error)
        return error;
    error = PMPI_Type_contiguous((int)chunks, chunk, &parts[0]);
    native_mpi.Type_free(&chunk);
    if (error)
        return error;
    at[1] = (MPI_Aint)(chunks * datatype_max_count * extent);
    error = PMPI_Type_create_struct(rest ? 2 : 1, lengths, at, parts, result);
    native_mpi.Type_free(&parts[0]);
    return error ? error : datatype_commit(result);
}

int datatype_count(MPI_Datatype type, int64_t n, MPI_Datatype *result, int *count, bool *made)
{
    int error = MPI_SUCCESS;

    *made = false;
    *count = 1;
    if (n > datatype_max_count) {
        error = large_type(type, n, result);
        *made = !error;
    } else {
        *result = type;
        *count = (int)n;
    }
    return error;
}
