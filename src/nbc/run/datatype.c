/* datatype.c - describe, hold and enlarge datatypes. */
#include "nbc/run/datatype.h"

#include "nbc/process/process.h"
#include "nbc/process/test_knobs.h"

#include <limits.h>
#include <stddef.h>

int64_t datatype_max_count = INT_MAX;

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
static bool is_predefined(int combiner)
{
    return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
           combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

static int describe(MPI_Datatype type, datatype *d)
{
    int nints, naddresses, ntypes, combiner;
    MPI_Count size, lb, extent, true_lb, true_extent;
    int error = PMPI_Type_get_envelope(type, &nints, &naddresses, &ntypes, &combiner);

    if (!error)
        error = PMPI_Type_size_x(type, &size);
    if (!error)
        error = PMPI_Type_get_extent_x(type, &lb, &extent);
    if (!error)
        error = PMPI_Type_get_true_extent_x(type, &true_lb, &true_extent);
    if (error)
        return MPI_ERR_TYPE;
    *d = (datatype){.type = type,
                    .predefined = is_predefined(combiner),
                    .dense = size == extent && true_lb == 0 && true_extent == size,
                    .size = size,
                    .extent = extent,
                    .true_lb = true_lb,
                    .true_extent = true_extent};
    return MPI_SUCCESS;
}

int datatype_describe(MPI_Datatype type, datatype *d)
{
    unsigned slot = cache_slot(type);
    int error;

    if (cached[slot] && cache[slot].type == type) {
        *d = cache[slot];
        return MPI_SUCCESS;
    }
    if (type == MPI_DATATYPE_NULL)
        return MPI_ERR_TYPE;
    error = describe(type, d);
    if (!error && d->predefined) {
        cache[slot] = *d;
        cached[slot] = true;
    }
    return error;
}

/* MPI has no query for this; a send of one element to nobody checks it in both MPIs. */
int datatype_check_committed(const datatype *d)
{
    char nothing[1];
    int error, class = MPI_SUCCESS;

    if (d->predefined)
        return MPI_SUCCESS;
    error = PMPI_Send(nothing, 1, d->type, MPI_PROC_NULL, 0, process_self());
    if (error)
        PMPI_Error_class(error, &class);
    return class;
}

int datatype_hold(datatype *d)
{
    MPI_Datatype own;
    int error;

    if (d->predefined || d->held)
        return MPI_SUCCESS;
    error = PMPI_Type_dup(d->type, &own);
    if (error)
        return error;
    d->type = own;
    d->held = true;
    return MPI_SUCCESS;
}

void datatype_release(datatype *d)
{
    if (d->held)
        PMPI_Type_free(&d->type);
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
        PMPI_Type_free(type);
    return error;
}

/* Duplicates of and runs of predefined types; of others nobody knows the order of their parts. */
bool datatype_is_run(const datatype *d)
{
    int nints, naddresses, ntypes, combiner, length;
    MPI_Datatype inner;
    datatype of = {0};
    bool run;

    if (!d->dense || d->predefined)
        return d->dense;
    if (PMPI_Type_get_envelope(d->type, &nints, &naddresses, &ntypes, &combiner) ||
        (combiner != MPI_COMBINER_DUP && combiner != MPI_COMBINER_CONTIGUOUS) ||
        PMPI_Type_get_contents(d->type, nints, naddresses, ntypes, &length, NULL, &inner))
        return false;
    run = datatype_describe(inner, &of) == MPI_SUCCESS && datatype_is_run(&of);
    if (!of.predefined)
        PMPI_Type_free(&inner);
    return run;
}

/* n elements as chunks of datatype_max_count, and the rest behind them. */
static int large_type(MPI_Datatype type, int64_t n, MPI_Datatype *result)
{
    int64_t chunks = n / datatype_max_count, rest = n % datatype_max_count;
    MPI_Datatype parts[2] = {MPI_DATATYPE_NULL, type}, chunk;
    int lengths[2] = {1, (int)rest}, error;
    MPI_Count lb, extent;
    MPI_Aint at[2] = {0, 0};

    if (chunks > INT_MAX)
        return MPI_ERR_COUNT;
    error = PMPI_Type_get_extent_x(type, &lb, &extent);
    if (!error)
        error = PMPI_Type_contiguous((int)datatype_max_count, type, &chunk);
    if (error)
        return error;
    error = PMPI_Type_contiguous((int)chunks, chunk, &parts[0]);
    PMPI_Type_free(&chunk);
    if (error)
        return error;
    at[1] = (MPI_Aint)(chunks * datatype_max_count * extent);
    error = PMPI_Type_create_struct(rest ? 2 : 1, lengths, at, parts, result);
    PMPI_Type_free(&parts[0]);
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
