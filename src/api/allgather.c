/* allgather.c - MPIX_Allgather_*, MPIX_Iallgather_*, MPIX_Allgather_*_init, and their v and
 * large-count forms.
 *
 * All entry points fill one struct of arguments and go the same way: check, choose, plan, bind,
 * run, start or init. The named functions are made from algos.def.
 */
#include "api/call.h"

#include "nbc/library.h"

#include <stdlib.h>
#include <string.h>

typedef struct args {
    coll_kind kind;
    int algo; /* index in algo_table, or ALGO_NONE for auto */
    const void *sendbuf;
    MPI_Count sendcount;
    MPI_Datatype sendtype;
    void *recvbuf;
    MPI_Count recvcount; /* COLL_ALLGATHER */
    const int *counts;   /* COLL_ALLGATHERV: either the int arrays ... */
    const int *displs;
    const MPI_Count *counts_c; /* ... or the large ones */
    const MPI_Aint *displs_c;
    MPI_Datatype recvtype;
    MPI_Comm comm;
    MPI_Info info;
} args;

/* What the checks find out. */
typedef struct facts {
    comm *comm;
    bool in_place;
    datatype sendtype, recvtype;
    int64_t mine;       /* elements of recvtype in my block */
    int64_t mine_displ; /* and where it begins, in extents */
    int64_t total;      /* elements of recvtype in all blocks */
} facts;

/* ---- check ---- */

static int64_t count_of(const args *a, int i)
{
    if (a->kind == COLL_ALLGATHER)
        return a->recvcount;
    return a->counts ? a->counts[i] : a->counts_c[i];
}

static int64_t displ_of(const args *a, int i)
{
    if (a->kind == COLL_ALLGATHER)
        return i * a->recvcount;
    return a->displs ? a->displs[i] : a->displs_c[i];
}

static int check_counts(const args *a, facts *f)
{
    int me = f->comm->rank, p = f->comm->p;

    if (a->kind == COLL_ALLGATHERV &&
        ((!a->counts && !a->counts_c) || (!a->displs && !a->displs_c)))
        return MPI_ERR_ARG;
    if (!f->in_place && a->sendcount < 0)
        return MPI_ERR_COUNT;
    if (a->kind == COLL_ALLGATHER) {
        if (a->recvcount < 0)
            return MPI_ERR_COUNT;
        f->total = a->recvcount * p;
    } else {
        for (int i = 0; i < p; i++) {
            if (count_of(a, i) < 0)
                return MPI_ERR_COUNT;
            f->total += count_of(a, i);
        }
    }
    f->mine = count_of(a, me);
    f->mine_displ = displ_of(a, me);
    return MPI_SUCCESS;
}

static int check_types(const args *a, facts *f)
{
    int error = datatype_describe(a->recvtype, &f->recvtype);

    if (!error)
        error = datatype_check_committed(&f->recvtype);
    if (error || f->in_place)
        return error;
    error = datatype_describe(a->sendtype, &f->sendtype);
    return error ? error : datatype_check_committed(&f->sendtype);
}

/* A null address is MPI_BOTTOM: right for a type of absolute addresses, whose data begins far from
 * it, and an error for any other. */
static bool is_null(const void *buffer, const datatype *d, int64_t n)
{
    return buffer == NULL && n * d->size > 0 && d->true_lb == 0;
}

static int check_buffers(const args *a, const facts *f)
{
    if (a->recvbuf == MPI_IN_PLACE || is_null(a->recvbuf, &f->recvtype, f->total))
        return MPI_ERR_BUFFER;
    if (f->in_place)
        return MPI_SUCCESS;
    if (is_null(a->sendbuf, &f->sendtype, a->sendcount))
        return MPI_ERR_BUFFER;
    if (a->sendcount * f->sendtype.size > f->mine * f->recvtype.size)
        return MPI_ERR_TRUNCATE;
    if (a->sendcount * f->sendtype.size < f->mine * f->recvtype.size)
        return MPI_ERR_COUNT;
    if (f->mine * f->recvtype.size > 0 && a->sendbuf != NULL &&
        a->sendbuf == (const char *)a->recvbuf + f->mine_displ * f->recvtype.extent)
        return MPI_ERR_BUFFER;
    return MPI_SUCCESS;
}

static int check(const args *a, facts *f)
{
    int error;

    f->in_place = a->sendbuf == MPI_IN_PLACE;
    error = check_counts(a, f);
    if (!error)
        error = check_types(a, f);
    return error ? error : check_buffers(a, f);
}

/* ---- plan ---- */

static plan_key key_header(const args *a, const facts *f, choice c)
{
    return (plan_key){.kind = a->kind,
                      .algo = c.algo,
                      .form = c.form,
                      .in_place = f->in_place,
                      .send_empty = f->mine * f->recvtype.size == 0,
                      .recv_empty = f->total * f->recvtype.size == 0};
}

static binding bind_of(const args *a, const facts *f)
{
    binding b = {.sendbuf = f->in_place ? NULL : (void *)a->sendbuf,
                 .sendtype = f->in_place ? MPI_DATATYPE_NULL : a->sendtype,
                 .sendcount = f->in_place ? 0 : a->sendcount,
                 .recvbuf = a->recvbuf,
                 .recvtype = a->recvtype,
                 .recvcount = a->kind == COLL_ALLGATHER ? a->recvcount : 1,
                 .op = MPI_OP_NULL};
    return b;
}

/* One element of RECV is a block: the plan serves every count. */
static int exec_regular(const args *a, const facts *f, choice c, exec **e)
{
    plan_key key = key_header(a, f, c);
    binding b = bind_of(a, f);

    return call_exec(f->comm, &key, sizeof key, &b, e);
}

/* One element of RECV is one of recvtype: the plan depends on counts and displacements. */
static int exec_irregular(const args *a, const facts *f, choice c, exec **e)
{
    int p = f->comm->p, error;
    size_t size = sizeof(plan_key) + 2 * (size_t)p * sizeof(int64_t);
    plan_key *key = malloc(size);
    binding b = bind_of(a, f);

    if (!key)
        return MPI_ERR_NO_MEM;
    *key = key_header(a, f, c);
    for (int i = 0; i < p; i++) {
        key->v[i] = key->recv_empty ? 0 : count_of(a, i);
        key->v[p + i] = key->v[i] ? displ_of(a, i) : 0;
    }
    error = call_exec(f->comm, key, size, &b, e);
    free(key);
    return error;
}

/* Everything up to a bound exec; nothing has been sent. request: where the result is to go. */
static int prepare(const args *a, const void *request, exec **e, comm **c)
{
    facts f = {0};
    choice chosen;
    int error = library_enter();

    if (!error)
        error = comm_get(a->comm, &f.comm);
    if (error)
        return error;
    *c = f.comm;
    comm_reap();
    error = request ? check(a, &f) : MPI_ERR_ARG;
    if (!error)
        error =
            call_choose(a->kind, a->algo, a->info, f.comm->p, f.total * f.recvtype.size, &chosen);
    if (error)
        return error;
    return a->kind == COLL_ALLGATHER ? exec_regular(a, &f, chosen, e)
                                     : exec_irregular(a, &f, chosen, e);
}

static int raise_for(const args *a, const comm *c, int error)
{
    if (!c && a->comm != MPI_COMM_NULL && error != MPI_ERR_OTHER) {
        PMPI_Comm_call_errhandler(a->comm, error); /* an intercommunicator */
        return error;
    }
    if (error == MPI_ERR_OTHER && !c)
        return error; /* MPI is not running: there is no handler to call */
    return comm_raise(c, error);
}

static int run(const args *a)
{
    comm *c = NULL;
    exec *e = NULL;
    int error = prepare(a, a, &e, &c); /* the result goes nowhere */

    if (!error)
        error = call_run(e);
    return error ? raise_for(a, c, error) : MPI_SUCCESS;
}

static int start(const args *a, MPI_Request *request)
{
    comm *c = NULL;
    exec *e = NULL;
    int error = prepare(a, request, &e, &c);

    if (!error)
        error = call_start(e, request);
    return error ? raise_for(a, c, error) : MPI_SUCCESS;
}

static int init(const args *a, MPIX_Request *request)
{
    comm *c = NULL;
    exec *e = NULL;
    int error = prepare(a, request, &e, &c);

    if (!error)
        error = call_init(e, a->info, request);
    return error ? raise_for(a, c, error) : MPI_SUCCESS;
}

/* ---- the named entry points ---- */

enum {
#define ALGO(collective, name) INDEX_##collective##_##name,
#include "algos/algos.def"
#undef ALGO
    INDEX_allgather_auto = ALGO_NONE
};

#define REGULAR_ARGS(algorithm)                                                                    \
    {                                                                                              \
        .kind = COLL_ALLGATHER, .algo = INDEX_allgather_##algorithm, .sendbuf = sendbuf,           \
        .sendcount = sendcount, .sendtype = sendtype, .recvbuf = recvbuf, .recvcount = recvcount,  \
        .recvtype = recvtype, .comm = comm, .info = info                                           \
    }

#define VECTOR_ARGS(algorithm, suffix)                                                             \
    {                                                                                              \
        .kind = COLL_ALLGATHERV, .algo = INDEX_allgather_##algorithm, .sendbuf = sendbuf,          \
        .sendcount = sendcount, .sendtype = sendtype, .recvbuf = recvbuf,                          \
        .counts##suffix = recvcounts, .displs##suffix = displs, .recvtype = recvtype,              \
        .comm = comm, .info = info                                                                 \
    }

#define DEFINE_REGULAR(algorithm, suffix, count_t)                                                 \
    int MPIX_Allgather_##algorithm##suffix(                                                        \
        const void *sendbuf, count_t sendcount, MPI_Datatype sendtype, void *recvbuf,              \
        count_t recvcount, MPI_Datatype recvtype, MPI_Comm comm)                                   \
    {                                                                                              \
        MPI_Info info = MPI_INFO_NULL;                                                             \
        const args a = REGULAR_ARGS(algorithm);                                                    \
        return run(&a);                                                                            \
    }                                                                                              \
    int MPIX_Iallgather_##algorithm##suffix(                                                       \
        const void *sendbuf, count_t sendcount, MPI_Datatype sendtype, void *recvbuf,              \
        count_t recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)             \
    {                                                                                              \
        MPI_Info info = MPI_INFO_NULL;                                                             \
        const args a = REGULAR_ARGS(algorithm);                                                    \
        return start(&a, request);                                                                 \
    }                                                                                              \
    int MPIX_Allgather_##algorithm##_init##suffix(                                                 \
        const void *sendbuf, count_t sendcount, MPI_Datatype sendtype, void *recvbuf,              \
        count_t recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,                    \
        MPIX_Request *request)                                                                     \
    {                                                                                              \
        const args a = REGULAR_ARGS(algorithm);                                                    \
        return init(&a, request);                                                                  \
    }

#define DEFINE_VECTOR(algorithm, suffix, count_t, displ_t)                                         \
    int MPIX_Allgatherv_##algorithm##suffix(                                                       \
        const void *sendbuf, count_t sendcount, MPI_Datatype sendtype, void *recvbuf,              \
        const count_t recvcounts[], const displ_t displs[], MPI_Datatype recvtype, MPI_Comm comm)  \
    {                                                                                              \
        MPI_Info info = MPI_INFO_NULL;                                                             \
        const args a = VECTOR_ARGS(algorithm, suffix);                                             \
        return run(&a);                                                                            \
    }                                                                                              \
    int MPIX_Iallgatherv_##algorithm##suffix(                                                      \
        const void *sendbuf, count_t sendcount, MPI_Datatype sendtype, void *recvbuf,              \
        const count_t recvcounts[], const displ_t displs[], MPI_Datatype recvtype, MPI_Comm comm,  \
        MPI_Request *request)                                                                      \
    {                                                                                              \
        MPI_Info info = MPI_INFO_NULL;                                                             \
        const args a = VECTOR_ARGS(algorithm, suffix);                                             \
        return start(&a, request);                                                                 \
    }                                                                                              \
    int MPIX_Allgatherv_##algorithm##_init##suffix(                                                \
        const void *sendbuf, count_t sendcount, MPI_Datatype sendtype, void *recvbuf,              \
        const count_t recvcounts[], const displ_t displs[], MPI_Datatype recvtype, MPI_Comm comm,  \
        MPI_Info info, MPIX_Request *request)                                                      \
    {                                                                                              \
        const args a = VECTOR_ARGS(algorithm, suffix);                                             \
        return init(&a, request);                                                                  \
    }

#define DEFINE(algorithm)                                                                          \
    DEFINE_REGULAR(algorithm, , int)                                                               \
    DEFINE_REGULAR(algorithm, _c, MPI_Count)                                                       \
    DEFINE_VECTOR(algorithm, , int, int)                                                           \
    DEFINE_VECTOR(algorithm, _c, MPI_Count, MPI_Aint)

#define ALGO(collective, name) DEFINE_##collective(name)
#define DEFINE_allgather(name) DEFINE(name)
#include "algos/algos.def"
#undef ALGO

DEFINE(auto)
