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
// vector must not grow, a temporary one does not compile (a temporary span does). Ranges with
// something for each rank are divided into equal blocks. What is not here is called by the names of
// tutti.h; tutti::request takes their MPIX_Request.
#ifndef TUTTI_HPP
#define TUTTI_HPP

#if __cplusplus < 201703L
#error "tutti.hpp needs C++17; C++11 has tutti.h"
#endif

#include <tutti.h>

#include <complex>
#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace tutti
{

// What a call returns. The communicator's error handler comes first: with MPI's default one,
// MPI_ERRORS_ARE_FATAL, the program ends there.
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
    static_assert(!std::is_const_v<std::remove_pointer_t<decltype(std::data(range))>>,
                  "nothing can be received here");
    return as_read(std::forward<Range>(range));
}

// A range that is one block for each rank: the count of one. MPI_ERR_COUNT: they are not equal.
inline buffer divided(buffer b, MPI_Comm comm)
{
    int ranks = 1;
    check(MPI_Comm_size(comm, &ranks));
    if (b.count % ranks != 0)
        throw error(MPI_ERR_COUNT);
    b.count /= ranks;
    return b;
}

// What is reduced is as long on both sides.
inline buffer same(const buffer &send, const buffer &recv)
{
    if (send.data != MPI_IN_PLACE && (send.count != recv.count || send.type != recv.type))
        throw error(MPI_ERR_COUNT);
    return recv;
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

// ---- collectives: `auto`, or the algorithm that is named; i<name> gives a native request ----

inline request make(int (*init)(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count,
                                MPI_Datatype, MPI_Comm, MPI_Info, MPIX_Request *),
                    buffer s, buffer r, MPI_Comm comm, const char *algorithm)
{
    MPIX_Request made = MPIX_REQUEST_NULL;
    check(init(s.data, s.count, s.type, r.data, r.count, r.type, comm, info(algorithm), &made));
    return request(made);
}

template <class Send, class Recv>
request allgather_init(Send &&send, Recv &&recv, MPI_Comm comm, const char *algorithm = nullptr)
{
    return make(MPIX_Allgather_auto_init_c, as_read(std::forward<Send>(send)),
                divided(as_written(std::forward<Recv>(recv)), comm), comm, algorithm);
}

template <class Send, class Recv>
request alltoall_init(Send &&send, Recv &&recv, MPI_Comm comm, const char *algorithm = nullptr)
{
    return make(MPIX_Alltoall_auto_init_c, divided(as_read(std::forward<Send>(send)), comm),
                divided(as_written(std::forward<Recv>(recv)), comm), comm, algorithm);
}

template <class Send, class Recv>
request allreduce_init(Send &&send, Recv &&recv, MPI_Op op, MPI_Comm comm,
                       const char *algorithm = nullptr)
{
    const buffer s = as_read(std::forward<Send>(send)),
                 r = same(s, as_written(std::forward<Recv>(recv)));
    MPIX_Request made = MPIX_REQUEST_NULL;
    check(MPIX_Allreduce_auto_init_c(s.data, r.data, r.count, r.type, op, comm, info(algorithm),
                                     &made));
    return request(made);
}

template <class Range>
request bcast_init(Range &&range, int root, MPI_Comm comm, const char *algorithm = nullptr)
{
    const buffer b = as_written(std::forward<Range>(range));
    MPIX_Request made = MPIX_REQUEST_NULL;
    check(MPIX_Bcast_auto_init_c(b.data, b.count, b.type, root, comm, info(algorithm), &made));
    return request(made);
}

template <class Send, class Recv> MPI_Request iallgather(Send &&send, Recv &&recv, MPI_Comm comm)
{
    const buffer s = as_read(std::forward<Send>(send)),
                 r = divided(as_written(std::forward<Recv>(recv)), comm);
    MPI_Request made = MPI_REQUEST_NULL;
    check(MPIX_Iallgather_auto_c(s.data, s.count, s.type, r.data, r.count, r.type, comm, &made));
    return made;
}

template <class Send, class Recv> MPI_Request ialltoall(Send &&send, Recv &&recv, MPI_Comm comm)
{
    const buffer s = divided(as_read(std::forward<Send>(send)), comm),
                 r = divided(as_written(std::forward<Recv>(recv)), comm);
    MPI_Request made = MPI_REQUEST_NULL;
    check(MPIX_Ialltoall_auto_c(s.data, s.count, s.type, r.data, r.count, r.type, comm, &made));
    return made;
}

template <class Send, class Recv>
MPI_Request iallreduce(Send &&send, Recv &&recv, MPI_Op op, MPI_Comm comm)
{
    const buffer s = as_read(std::forward<Send>(send)),
                 r = same(s, as_written(std::forward<Recv>(recv)));
    MPI_Request made = MPI_REQUEST_NULL;
    check(MPIX_Iallreduce_auto_c(s.data, r.data, r.count, r.type, op, comm, &made));
    return made;
}

template <class Range> MPI_Request ibcast(Range &&range, int root, MPI_Comm comm)
{
    const buffer b = as_written(std::forward<Range>(range));
    MPI_Request made = MPI_REQUEST_NULL;
    check(MPIX_Ibcast_auto_c(b.data, b.count, b.type, root, comm, &made));
    return made;
}

} // namespace tutti

#endif
