/* SPDX-License-Identifier: BSD-3-Clause */
// tutti.hpp - Tutti's collectives for C++17: requests that free themselves, contiguous ranges as
// buffers, errors as exceptions. A header only, over tutti.h.
//
//   std::vector<double> mine(1000), every(1000 * ranks);
//   auto gather = tutti::allgather_init(mine, every, MPI_COMM_WORLD, "ring");
//   for (...) {
//       gather.start();       // reads `mine` now
//       tutti_progress();     // your computation, with a call now and then
//       gather.wait();
//   }
//
// A buffer is anything with std::data and std::size (vector, array, span, C array) of arithmetic or
// std::complex elements, or tutti::in_place. It must outlive the operation, and stay where it is: a
// vector must not grow, a temporary one does not compile (a temporary span does). A range with
// something for each rank, or each neighbor, is divided into equal blocks; where only the root has
// such a range the others give any, such as an empty one. Counts and displacements are ranges of
// int, or of MPI_Count and MPI_Aint; they are read during the call only.
//
// Every collective is here in three forms: allgather waits; iallgather gives a native request for
// MPI_Wait; allgather_init takes the name of an algorithm, if you like, and gives a tutti::request.
// The rest is called by the names of tutti.h; tutti::request takes their MPIX_Request.
//
// An error is thrown as tutti::error, a std::runtime_error: what() is the MPI's text, error_class()
// its class (MPI_ERR_COUNT, ...), as tutti.h lists them. For that the communicator's error handler
// must return: MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN). With MPI's default one,
// MPI_ERRORS_ARE_FATAL, the program ends there. What tutti.hpp itself finds is thrown with either:
// ranges of the wrong length (MPI_ERR_COUNT), a communicator without neighbors (MPI_ERR_TOPOLOGY).
#ifndef TUTTI_HPP
#define TUTTI_HPP

#if __cplusplus < 201703L
#error "tutti.hpp needs C++17; C++11 has tutti.h"
#endif

#include <tutti.h>

#include <complex>
#include <cstddef>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace tutti
{

// A call has failed, and the communicator's error handler has returned.
class error : public std::runtime_error
{
  public:
    explicit error(int code) : std::runtime_error(text(code))
    {
        MPI_Error_class(code, &class_);
    }
    int error_class() const noexcept // MPI_ERR_COUNT, ...
    {
        return class_;
    }

  private:
    static std::string text(int code)
    {
        char s[MPI_MAX_ERROR_STRING];
        int length = 0;
        return MPI_Error_string(code, s, &length) == MPI_SUCCESS
                   ? std::string(s, std::size_t(length))
                   : "tutti: error " + std::to_string(code);
    }
    int class_ = MPI_ERR_UNKNOWN;
};

inline void check(int code)
{
    if (code != MPI_SUCCESS)
        throw error(code);
}

// ---- types and buffers ----

// Of an element. A type that is not here has none of MPI's: use the functions of tutti.h.
template <class T> MPI_Datatype datatype() = delete;
// clang-format off
#define TUTTI_TYPE(cxx, mpi) template <> inline MPI_Datatype datatype<cxx>() { return mpi; }
TUTTI_TYPE(char, MPI_CHAR) TUTTI_TYPE(wchar_t, MPI_WCHAR)
TUTTI_TYPE(bool, MPI_C_BOOL) TUTTI_TYPE(std::byte, MPI_BYTE)
TUTTI_TYPE(signed char, MPI_SIGNED_CHAR) TUTTI_TYPE(unsigned char, MPI_UNSIGNED_CHAR)
TUTTI_TYPE(short, MPI_SHORT) TUTTI_TYPE(unsigned short, MPI_UNSIGNED_SHORT)
TUTTI_TYPE(int, MPI_INT) TUTTI_TYPE(unsigned, MPI_UNSIGNED)
TUTTI_TYPE(long, MPI_LONG) TUTTI_TYPE(unsigned long, MPI_UNSIGNED_LONG)
TUTTI_TYPE(long long, MPI_LONG_LONG) TUTTI_TYPE(unsigned long long, MPI_UNSIGNED_LONG_LONG)
TUTTI_TYPE(float, MPI_FLOAT) TUTTI_TYPE(double, MPI_DOUBLE)
TUTTI_TYPE(long double, MPI_LONG_DOUBLE) TUTTI_TYPE(std::complex<float>, MPI_C_FLOAT_COMPLEX)
TUTTI_TYPE(std::complex<double>, MPI_C_DOUBLE_COMPLEX)
#undef TUTTI_TYPE
    // clang-format on

    struct in_place_t {
};
inline constexpr in_place_t in_place{};

// The elements of a range, or MPI_IN_PLACE
struct buffer {
    void *data;
    MPI_Count count;
    MPI_Datatype type;
};

// Does the range belong to somebody else? Elements of a constant container (vector, array) are
// constant, those of a constant view (span) are what they were.
template <class Range> constexpr bool is_view()
{
    using R = std::remove_cv_t<std::remove_reference_t<Range>>;
    return std::is_same_v<decltype(std::data(std::declval<R &>())),
                          decltype(std::data(std::declval<const R &>()))>;
}

template <class Range> buffer as_read(Range &&range)
{
    if constexpr (std::is_same_v<std::decay_t<Range>, in_place_t>)
        return {MPI_IN_PLACE, 0, MPI_DATATYPE_NULL};
    else {
        static_assert(std::is_lvalue_reference_v<Range> || is_view<Range>(),
                      "a temporary container is gone before the operation is done");
        using T = std::remove_cv_t<std::remove_pointer_t<decltype(std::data(range))>>;
        return {const_cast<T *>(std::data(range)), MPI_Count(std::size(range)), datatype<T>()};
    }
}

template <class Range> buffer as_written(Range &&range)
{
    if constexpr (!std::is_same_v<std::decay_t<Range>, in_place_t>)
        static_assert(!std::is_const_v<std::remove_pointer_t<decltype(std::data(range))>>,
                      "nothing can be received here");
    return as_read(std::forward<Range>(range));
}

inline int ranks_of(MPI_Comm comm)
{
    int ranks = 1;
    check(MPI_Comm_size(comm, &ranks));
    return ranks;
}

inline bool is_root(int root, MPI_Comm comm)
{
    int rank = 0;
    check(MPI_Comm_rank(comm, &rank));
    return rank == root;
}

// A range of so many equal blocks: the count of one. MPI_ERR_COUNT: they are not equal.
inline buffer divided(buffer b, int blocks)
{
    if (blocks == 0 ? b.count != 0 : b.count % blocks != 0)
        throw error(MPI_ERR_COUNT);
    b.count /= blocks == 0 ? 1 : blocks;
    return b;
}

// What is reduced is as long on both sides.
inline buffer same(const buffer &send, const buffer &recv)
{
    if (send.data != MPI_IN_PLACE && (send.count != recv.count || send.type != recv.type))
        throw error(MPI_ERR_COUNT);
    return recv;
}

// Blocks that a neighborhood collective sends and receives
struct neighbors {
    int sent = 0, received = 0;
    explicit neighbors(MPI_Comm comm)
    {
        int kind = MPI_UNDEFINED, rank = 0, weighted = 0;
        check(MPI_Topo_test(comm, &kind));
        check(MPI_Comm_rank(comm, &rank));
        if (kind == MPI_UNDEFINED)
            throw error(MPI_ERR_TOPOLOGY);
        if (kind == MPI_DIST_GRAPH) {
            check(MPI_Dist_graph_neighbors_count(comm, &received, &sent, &weighted));
            return;
        }
        check(kind == MPI_CART ? MPI_Cartdim_get(comm, &sent)
                               : MPI_Graph_neighbors_count(comm, rank, &sent));
        received = sent *= kind == MPI_CART ? 2 : 1;
    }
};

// A list is of int, or of MPI_Count: the function, and a count, that go with it. MPI_ERR_COUNT: the
// count is too large for an int.
template <class List>
constexpr bool small = std::is_same_v<
    std::remove_cv_t<std::remove_pointer_t<decltype(std::data(std::declval<List &>()))>>, int>;

template <class List, class Call, class Large> constexpr auto pick(Call call, Large large)
{
    if constexpr (small<List>)
        return call;
    else
        return large;
}

template <class List> auto count_as(MPI_Count n)
{
    if constexpr (small<List>) {
        if (n > std::numeric_limits<int>::max())
            throw error(MPI_ERR_COUNT);
        return int(n);
    } else
        return n;
}

// ---- requests ----

// Of MPI_Info: the name of an algorithm, or nothing
class info
{
  public:
    explicit info(const char *algorithm)
    {
        if (!algorithm)
            return;
        check(MPI_Info_create(&info_));
        const int code = MPI_Info_set(info_, "tutti_algorithm", algorithm);
        if (code != MPI_SUCCESS) // no destructor will run
            MPI_Info_free(&info_);
        check(code);
    }
    info(const info &) = delete;
    info &operator=(const info &) = delete;
    ~info()
    {
        if (info_ != MPI_INFO_NULL)
            MPI_Info_free(&info_);
    }
    operator MPI_Info() const noexcept
    {
        return info_;
    }

  private:
    MPI_Info info_ = MPI_INFO_NULL;
};

// A persistent collective. Its destructor waits for a start that is under way, and frees it: to be
// called before MPI_Finalize.
class request
{
  public:
    request() = default;
    explicit request(MPIX_Request r) noexcept : request_(r)
    {
    }
    request(request &&other) noexcept : request_(std::exchange(other.request_, MPIX_REQUEST_NULL))
    {
    }
    request &operator=(request &&other) noexcept
    {
        std::swap(request_, other.request_);
        return *this;
    }
    ~request()
    {
        if (request_ != MPIX_REQUEST_NULL && MPIX_Wait(&request_, MPI_STATUS_IGNORE) == MPI_SUCCESS)
            MPIX_Request_free(&request_);
    }

    void start()
    {
        check(MPIX_Start(&request_));
    }
    void wait()
    {
        check(MPIX_Wait(&request_, MPI_STATUS_IGNORE));
    }
    bool test()
    {
        int flag = 0;
        check(MPIX_Test(&request_, &flag, MPI_STATUS_IGNORE));
        return flag != 0;
    }
    bool block_arrived(int rank) const
    {
        int flag = 0;
        check(tutti_block_arrived(request_, rank, &flag));
        return flag != 0;
    }
    tutti_stats stats() const
    {
        tutti_stats s;
        check(tutti_get_stats(request_, &s));
        return s;
    }
    MPIX_Request get() const noexcept
    {
        return request_;
    } // for MPIX_Waitall and the others, in arrays

  private:
    MPIX_Request request_ = MPIX_REQUEST_NULL;
};

// ---- collectives: `auto`, or the algorithm that is named ----

template <class Call, class... Arguments>
request make(const char *algorithm, Call init, Arguments... arguments)
{
    MPIX_Request made = MPIX_REQUEST_NULL;
    check(init(arguments..., info(algorithm), &made));
    return request(made);
}

template <class Call, class... Arguments> MPI_Request begin(Call start, Arguments... arguments)
{
    MPI_Request made = MPI_REQUEST_NULL;
    check(start(arguments..., &made));
    return made;
}

// clang-format off
// The three forms of a collective. FUNCTION(f) is the function of tutti.h to call; its arguments
// may name the buffers.
#define TUTTI_UNWRAP(...) __VA_ARGS__
#define TUTTI_FORMS(name, Name, FUNCTION, templates, parameters, buffers, arguments)              \
    template <TUTTI_UNWRAP templates>                                                             \
    request name##_init(TUTTI_UNWRAP parameters, const char *algorithm = nullptr)                 \
    {                                                                                             \
        TUTTI_UNWRAP buffers;                                                                     \
        return make(algorithm, FUNCTION(MPIX_##Name##_auto_init), TUTTI_UNWRAP arguments);        \
    }                                                                                             \
    template <TUTTI_UNWRAP templates> MPI_Request i##name(TUTTI_UNWRAP parameters)                \
    {                                                                                             \
        TUTTI_UNWRAP buffers;                                                                     \
        return begin(FUNCTION(MPIX_I##name##_auto), TUTTI_UNWRAP arguments);                      \
    }                                                                                             \
    template <TUTTI_UNWRAP templates> void name(TUTTI_UNWRAP parameters)                          \
    {                                                                                             \
        TUTTI_UNWRAP buffers;                                                                     \
        check(FUNCTION(MPIX_##Name##_auto)(TUTTI_UNWRAP arguments));                              \
    }
#define TUTTI_LARGE(f)     f##_c
#define TUTTI_BY(List, f)  pick<List>(f, f##_c)
#define TUTTI_BY_COUNTS(f) TUTTI_BY(Counts, f)
#define TUTTI_READ         as_read(std::forward<Send>(send))
#define TUTTI_WRITE        as_written(std::forward<Recv>(recv))

// Equal blocks: name(send, recv, comm), and with a root
#define TUTTI_BLOCKS(name, Name, s_, r_)                                                          \
    TUTTI_FORMS(name, Name, TUTTI_LARGE, (class Send, class Recv),                                \
                (Send &&send, Recv &&recv, MPI_Comm comm), (const buffer s = s_, r = r_),         \
                (s.data, s.count, s.type, r.data, r.count, r.type, comm))
#define TUTTI_ROOTED(name, Name, s_, r_)                                                          \
    TUTTI_FORMS(name, Name, TUTTI_LARGE, (class Send, class Recv),                                \
                (Send &&send, Recv &&recv, int root, MPI_Comm comm),                              \
                (const buffer s = s_, r = r_),                                                    \
                (s.data, s.count, s.type, r.data, r.count, r.type, root, comm))
TUTTI_BLOCKS(allgather, Allgather, TUTTI_READ, divided(TUTTI_WRITE, ranks_of(comm)))
TUTTI_BLOCKS(alltoall, Alltoall, divided(TUTTI_READ, ranks_of(comm)),
             divided(TUTTI_WRITE, ranks_of(comm)))
TUTTI_BLOCKS(neighbor_allgather, Neighbor_allgather, TUTTI_READ,
             divided(TUTTI_WRITE, neighbors(comm).received))
TUTTI_BLOCKS(neighbor_alltoall, Neighbor_alltoall, divided(TUTTI_READ, neighbors(comm).sent),
             divided(TUTTI_WRITE, neighbors(comm).received))
TUTTI_ROOTED(gather, Gather, TUTTI_READ,
             divided(TUTTI_WRITE, is_root(root, comm) ? ranks_of(comm) : 1))
TUTTI_ROOTED(scatter, Scatter, divided(TUTTI_READ, is_root(root, comm) ? ranks_of(comm) : 1),
             TUTTI_WRITE)
TUTTI_FORMS(bcast, Bcast, TUTTI_LARGE, (class Range), (Range &&range, int root, MPI_Comm comm),
            (const buffer b = as_written(std::forward<Range>(range))),
            (b.data, b.count, b.type, root, comm))

// name(send, recv, op, comm): both of one length; of reduce_scatter_block `recv` is one block
#define TUTTI_REDUCES(name, Name, r_)                                                             \
    TUTTI_FORMS(name, Name, TUTTI_LARGE, (class Send, class Recv),                                \
                (Send &&send, Recv &&recv, MPI_Op op, MPI_Comm comm),                             \
                (const buffer s = TUTTI_READ, r = r_), (s.data, r.data, r.count, r.type, op, comm))
TUTTI_REDUCES(allreduce, Allreduce, same(s, TUTTI_WRITE))
TUTTI_REDUCES(scan, Scan, same(s, TUTTI_WRITE))
TUTTI_REDUCES(exscan, Exscan, same(s, TUTTI_WRITE))
TUTTI_FORMS(reduce, Reduce, TUTTI_LARGE, (class Send, class Recv),
            (Send &&send, Recv &&recv, MPI_Op op, int root, MPI_Comm comm),
            (const buffer s = TUTTI_READ, w = TUTTI_WRITE;
             const buffer r = is_root(root, comm) ? same(s, w) : s),
            (s.data, w.data, r.count, r.type, op, root, comm))
TUTTI_FORMS(reduce_scatter_block, Reduce_scatter_block, TUTTI_LARGE, (class Send, class Recv),
            (Send &&send, Recv &&recv, MPI_Op op, MPI_Comm comm),
            (const int n = ranks_of(comm); const buffer s = TUTTI_READ, w = TUTTI_WRITE;
             const buffer r = s.data == MPI_IN_PLACE ? divided(w, n) : same(divided(s, n), w)),
            (s.data, r.data, r.count, r.type, op, comm))

// Lists of counts and displacements
#define TUTTI_GATHERS(name, Name, parameters, arguments)                                          \
    TUTTI_FORMS(name, Name, TUTTI_BY_COUNTS, (class Send, class Recv, class Counts, class Displs), \
                (Send &&send, Recv &&recv, const Counts &counts, const Displs &displs,            \
                 TUTTI_UNWRAP parameters),                                                        \
                (const buffer s = TUTTI_READ, r = TUTTI_WRITE),                                   \
                (s.data, count_as<Counts>(s.count), s.type, r.data, std::data(counts),            \
                 std::data(displs), r.type, TUTTI_UNWRAP arguments))
TUTTI_GATHERS(allgatherv, Allgatherv, (MPI_Comm comm), (comm))
TUTTI_GATHERS(gatherv, Gatherv, (int root, MPI_Comm comm), (root, comm))
TUTTI_GATHERS(neighbor_allgatherv, Neighbor_allgatherv, (MPI_Comm comm), (comm))
TUTTI_FORMS(scatterv, Scatterv, TUTTI_BY_COUNTS,
            (class Send, class Counts, class Displs, class Recv),
            (Send &&send, const Counts &counts, const Displs &displs, Recv &&recv, int root,
             MPI_Comm comm),
            (const buffer s = TUTTI_READ, r = TUTTI_WRITE),
            (s.data, std::data(counts), std::data(displs), s.type, r.data,
             count_as<Counts>(r.count), r.type, root, comm))
#define TUTTI_EXCHANGES(name, Name)                                                               \
    TUTTI_FORMS(name, Name, TUTTI_BY_COUNTS,                                                      \
                (class Send, class Counts, class Displs, class Recv, class Recvcounts,            \
                 class Rdispls),                                                                  \
                (Send &&send, const Counts &sendcounts, const Displs &sdispls, Recv &&recv,       \
                 const Recvcounts &recvcounts, const Rdispls &rdispls, MPI_Comm comm),            \
                (const buffer s = TUTTI_READ, r = TUTTI_WRITE),                                   \
                (s.data, std::data(sendcounts), std::data(sdispls), s.type, r.data,               \
                 std::data(recvcounts), std::data(rdispls), r.type, comm))
TUTTI_EXCHANGES(alltoallv, Alltoallv)
TUTTI_EXCHANGES(neighbor_alltoallv, Neighbor_alltoallv)
// A datatype for each block: buffers are addresses, displacements bytes; those of neighbors are
// MPI_Aint.
#define TUTTI_TYPED(name, Name)                                                                   \
    TUTTI_FORMS(name, Name, TUTTI_BY_COUNTS,                                                      \
                (class Counts, class Displs, class Types, class Recvcounts, class Rdispls,        \
                 class Recvtypes),                                                                \
                (const void *send, const Counts &sendcounts, const Displs &sdispls,               \
                 const Types &sendtypes, void *recv, const Recvcounts &recvcounts,                \
                 const Rdispls &rdispls, const Recvtypes &recvtypes, MPI_Comm comm),              \
                (static_cast<void>(0)),                                                           \
                (send, std::data(sendcounts), std::data(sdispls), std::data(sendtypes), recv,     \
                 std::data(recvcounts), std::data(rdispls), std::data(recvtypes), comm))
TUTTI_TYPED(alltoallw, Alltoallw)
TUTTI_TYPED(neighbor_alltoallw, Neighbor_alltoallw)
TUTTI_FORMS(reduce_scatter, Reduce_scatter, TUTTI_BY_COUNTS, (class Send, class Recv, class Counts),
            (Send &&send, Recv &&recv, const Counts &counts, MPI_Op op, MPI_Comm comm),
            (const buffer s = TUTTI_READ, r = TUTTI_WRITE),
            (s.data, r.data, std::data(counts), r.type, op, comm))
// clang-format on

inline request barrier_init(MPI_Comm comm, const char *algorithm = nullptr)
{
    return make(algorithm, MPIX_Barrier_auto_init, comm);
}

inline MPI_Request ibarrier(MPI_Comm comm)
{
    return begin(MPIX_Ibarrier_auto, comm);
}

inline void barrier(MPI_Comm comm)
{
    check(MPIX_Barrier_auto(comm));
}

#undef TUTTI_UNWRAP
#undef TUTTI_FORMS
#undef TUTTI_LARGE
#undef TUTTI_BY
#undef TUTTI_BY_COUNTS
#undef TUTTI_READ
#undef TUTTI_WRITE
#undef TUTTI_BLOCKS
#undef TUTTI_ROOTED
#undef TUTTI_REDUCES
#undef TUTTI_GATHERS
#undef TUTTI_EXCHANGES
#undef TUTTI_TYPED

} // namespace tutti

#endif
