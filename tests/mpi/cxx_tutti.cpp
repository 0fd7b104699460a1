/* SPDX-License-Identifier: BSD-3-Clause */
// cxx_tutti.cpp - tutti.hpp: requests that move and free themselves, every collective of it, ranges
// of many kinds, errors as exceptions. Prints "right" on rank 0.
#include <tutti.hpp>

#include <array>
#include <cstdio>
#include <numeric>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

static int rank, ranks, wrong;

static void check(bool right, const char *what)
{
    if (right)
        return;
    wrong++;
    std::printf("rank %d: wrong: %s\n", rank, what);
}

static_assert(!std::is_copy_constructible_v<tutti::request> &&
              std::is_nothrow_move_constructible_v<tutti::request>);

template <class T> static void types()
{
    std::array<T, 2> mine{};
    std::vector<T> every(2 * std::size_t(ranks));
    tutti::request gather = tutti::allgather_init(mine, every, MPI_COMM_WORLD, "ring");
    for (int start = 0; start < 4; start++) {
        mine = {T(rank + start), T(1)};
        gather.start();
        while (!gather.test())
            tutti_progress();
        for (int r = 0; r < ranks; r++)
            check(every[2 * std::size_t(r)] == T(r + start) &&
                      every[2 * std::size_t(r) + 1] == T(1),
                  "allgather_init");
    }
    check(gather.block_arrived(0), "block_arrived");
    check(gather.stats().starts == 4 && std::string(gather.stats().algorithm).find("ring") == 0,
          "stats");
}

static void lives()
{
    int mine = rank, unused[1] = {rank};
    std::vector<int> sum(1);
    std::vector<tutti::request> requests(2);
    requests[0] = tutti::allreduce_init(unused, sum, MPI_SUM, MPI_COMM_WORLD);
    requests.push_back(std::move(requests[0])); // grows: all move
    check(requests[0].get() == MPIX_REQUEST_NULL, "a request that was moved from is null");
    requests[2].start();
    requests[2].wait();
    check(sum[0] == ranks * (ranks - 1) / 2, "allreduce_init");
    std::vector<int> all{mine};
    tutti::request active = tutti::allreduce_init(tutti::in_place, all, MPI_MAX, MPI_COMM_WORLD);
    active.start();
    active = tutti::request(); // waits, then frees
    check(all[0] == ranks - 1, "allreduce_init in place, waited for by the destructor");
}

static void others()
{
    std::vector<double> sent(3 * std::size_t(ranks)), received(sent.size());
    std::iota(sent.begin(), sent.end(), 1000.0 * rank);
    tutti::request all = tutti::alltoall_init(sent, received, MPI_COMM_WORLD);
    all.start();
    all.wait();
    check(received.back() == 1000.0 * (ranks - 1) + 3 * rank + 2, "alltoall_init");
    float word[4] = {float(rank), 1, 2, 3};
    tutti::request cast = tutti::bcast_init(word, ranks - 1, MPI_COMM_WORLD, "binomial");
    cast.start();
    cast.wait();
    check(word[0] == float(ranks - 1), "bcast_init");

    std::vector<int> mine(5, rank), every(5 * std::size_t(ranks)), sum(5), max(5, rank);
    std::vector<double> again(sent.size());
    MPI_Request native[4] = {tutti::iallgather(mine, every, MPI_COMM_WORLD),
                             tutti::ialltoall(sent, again, MPI_COMM_WORLD),
                             tutti::iallreduce(mine, sum, MPI_SUM, MPI_COMM_WORLD),
                             tutti::ibcast(max, ranks - 1, MPI_COMM_WORLD)};
    for (MPI_Request &r : native)
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    check(every.back() == ranks - 1 && again == received && sum[4] == ranks * (ranks - 1) / 2 &&
              max[0] == ranks - 1,
          "non-blocking calls");
#if __cplusplus >= 202002L
    std::span<int> part(every.data(), std::size_t(ranks));
    tutti::request in_span =
        tutti::allgather_init(std::span<const int>(mine.data(), 1), part, MPI_COMM_WORLD);
    in_span.start();
    in_span.wait();
    check(every[std::size_t(ranks) - 1] == ranks - 1, "spans");
#endif
}

using ints = std::vector<int>;

// A blocking call, a non-blocking and two starts of a persistent one fill `out` alike.
template <class Run, class Start, class Init>
static void forms(const char *what, ints &out, const ints &expected, Run run, Start start,
                  Init init)
{
    const ints before = out;
    run();
    check(out == expected, what);
    out = before;
    MPI_Request native = start();
    MPI_Wait(&native, MPI_STATUS_IGNORE);
    check(out == expected, what);
    tutti::request persistent = init();
    for (int i = 0; i < 2; i++) {
        out = before;
        persistent.start();
        persistent.wait();
        check(out == expected, what);
    }
}

#define FORMS(out, name, ...)                                                                      \
    forms(                                                                                         \
        #name, out, expected, [&] { tutti::name(__VA_ARGS__); },                                   \
        [&] { return tutti::i##name(__VA_ARGS__); },                                               \
        [&] { return tutti::name##_init(__VA_ARGS__); })

// Blocks of unequal lengths, given as int and as large counts; what the MPI's own calls receive.
template <class Count, class Displ> static void lists(MPI_Comm comm, MPI_Comm ring)
{
    std::vector<Count> counts, sends, ring_sends{1, 2}, ring_counts(2);
    std::vector<Displ> displs, sdispls, ring_displs{0, 2};
    ints native_counts, native_displs, mine(std::size_t(rank % 2 + 1), rank), out, expected;
    int all = 0;
    for (int r = 0; r < ranks; all += r++ % 2 + 1) {
        counts.push_back(r % 2 + 1);
        displs.push_back(all);
        sends.push_back(rank % 2 + 1);
        sdispls.push_back(r * (rank % 2 + 1));
        native_counts.push_back(r % 2 + 1);
        native_displs.push_back(all);
    }
    out = expected = ints(std::size_t(all), -1);
    MPI_Allgatherv(mine.data(), int(mine.size()), MPI_INT, expected.data(), native_counts.data(),
                   native_displs.data(), MPI_INT, comm);
    FORMS(out, allgatherv, mine, out, counts, displs, comm);
    ints sent(std::size_t(ranks * (rank % 2 + 1)), rank);
    FORMS(out, alltoallv, sent, sends, sdispls, out, counts, displs, comm);
    if (rank != ranks - 1)
        expected = out = {};
    FORMS(out, gatherv, mine, out, counts, displs, ranks - 1, comm);
    ints given = ints(std::size_t(all));
    std::iota(given.begin(), given.end(), 0);
    out = ints(mine.size());
    expected.assign(given.begin() + native_displs[std::size_t(rank)],
                    given.begin() + native_displs[std::size_t(rank)] + int(mine.size()));
    FORMS(out, scatterv, given, counts, displs, out, 0, comm);
    for (int &e : expected)
        e *= ranks;
    FORMS(out, reduce_scatter, given, out, counts, MPI_SUM, comm);
    // one to the left, two to the right: two come from the left, one from the right
    const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    mine = {rank, rank, rank};
    ring_counts = {2, 1};
    std::vector<Displ> before{0, 1};
    out = ints(3);
    expected = {left, left, right};
    FORMS(out, neighbor_alltoallv, mine, ring_sends, before, out, ring_counts, ring_displs, ring);
    mine = {rank};
    ring_counts = {1, 1};
    out = ints(3, 7);
    expected = {left, 7, right};
    FORMS(out, neighbor_allgatherv, mine, out, ring_counts, ring_displs, ring);
}

// A datatype for each block: to rank r a number of its own.
template <class Count, class Displ> static void typed(MPI_Comm comm, MPI_Comm ring)
{
    const std::size_t n = std::size_t(ranks), item = sizeof(int);
    std::vector<Count> counts(n, 1);
    std::vector<Displ> displs(n);
    std::vector<MPI_Aint> ring_displs{0, MPI_Aint(item)};
    std::vector<MPI_Datatype> types(n > 2 ? n : 2, MPI_INT);
    ints mine(n), out(n), expected(n);
    for (int r = 0; r < ranks; r++) {
        displs[std::size_t(r)] = Displ(std::size_t(r) * item);
        mine[std::size_t(r)] = 100 * rank + r;
        expected[std::size_t(r)] = 100 * r + rank;
    }
    FORMS(out, alltoallw, mine.data(), counts, displs, types, out.data(), counts, displs, types,
          comm);
    const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    mine = {rank, -rank}; // to the left, to the right: from the left comes what it sends right
    out = ints(2);
    expected = {-left, right};
    counts = {1, 1};
    FORMS(out, neighbor_alltoallw, mine.data(), counts, ring_displs, types, out.data(), counts,
          ring_displs, types, ring);
}

// Equal blocks
static void blocks(MPI_Comm comm, MPI_Comm ring)
{
    const std::size_t n = std::size_t(ranks);
    const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    ints mine{rank, 1}, out(2 * n), expected;
    for (int r = 0; r < ranks; r++) {
        expected.push_back(r);
        expected.push_back(1);
    }
    const ints every = expected;
    FORMS(out, allgather, mine, out, comm);
    if (rank != 0)
        out = expected = {};
    FORMS(out, gather, mine, out, 0, comm);
    out = ints(2);
    expected = mine;
    FORMS(out, scatter, every, out, ranks - 1, comm);
    out = ints(n);
    expected = ints(n, rank);
    ints numbers(n);
    std::iota(numbers.begin(), numbers.end(), 0);
    std::swap(numbers, expected);
    FORMS(out, alltoall, numbers, out, comm);
    out = {rank == 0 ? 5 : 0};
    expected = {5};
    FORMS(out, bcast, out, 0, comm);
    out = ints(2);
    expected = {ranks * (ranks - 1) / 2, ranks};
    FORMS(out, allreduce, mine, out, MPI_SUM, comm);
    if (rank != 0)
        expected = out = {};
    FORMS(out, reduce, mine, out, MPI_SUM, 0, comm);
    out = ints(2);
    expected = {rank * (rank + 1) / 2, rank + 1};
    FORMS(out, scan, mine, out, MPI_SUM, comm);
    expected = rank == 0 ? out : ints{rank * (rank - 1) / 2, rank};
    FORMS(out, exscan, mine, out, MPI_SUM, comm);
    expected = {rank * ranks, ranks};
    FORMS(out, reduce_scatter_block, every, out, MPI_SUM, comm);
    out = ints(4);
    expected = {left, 1, right, 1};
    FORMS(out, neighbor_allgather, mine, out, ring);
    ints both{rank, -rank};
    out = ints(2);
    expected = {-left, right};
    FORMS(out, neighbor_alltoall, both, out, ring);
    expected = out;
    FORMS(out, barrier, comm);
}

// A block for each of two neighbors on either side, all from one place, by every form
static void halo()
{
    std::vector<int> beside, counts(4, 3), same(4, 0), displs{0, 3, 6, 9};
    for (int distance : {-2, -1, 1, 2})
        beside.push_back((rank + distance + 2 * ranks) % ranks);
    MPI_Comm graph;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 4, beside.data(), counts.data(), 4,
                                   beside.data(), counts.data(), MPI_INFO_NULL, 0, &graph);
    ints mine(3), ghosts(12), all(12);
    for (const char *form :
         {static_cast<const char *>(nullptr), "linear", "partner", "node", "node:2"}) {
        tutti::request exchange =
            tutti::neighbor_alltoallv_init(mine, counts, same, ghosts, counts, displs, graph, form);
        tutti::request gather = tutti::neighbor_allgather_init(mine, all, graph, form);
        for (int start = 0; start < 4; start++) {
            mine = {rank, start, -rank};
            ghosts.assign(12, -1);
            all.assign(12, -1);
            exchange.start();
            gather.start();
            tutti_progress();
            exchange.wait();
            gather.wait();
            for (std::size_t i = 0; i < 4; i++) {
                ints block(ghosts.data() + 3 * i, ghosts.data() + 3 * i + 3);
                check(block == ints{beside[i], start, -beside[i]}, "a halo");
            }
            check(all == ghosts, "a halo by neighbor_allgather");
        }
    }
    MPI_Comm_free(&graph);
}

template <class Call> static int class_of(Call call)
{
    try {
        call();
    } catch (const tutti::error &e) {
        check(e.what()[0] != 0, "an error has a text");
        return e.error_class();
    }
    return MPI_SUCCESS;
}

static void errors()
{
    std::vector<int> a(3), b(3 * std::size_t(ranks)), odd(3 * std::size_t(ranks) + 1);
    check(class_of([&] { tutti::bcast_init(a, ranks, MPI_COMM_WORLD); }) == MPI_ERR_ROOT,
          "a wrong root");
    check(class_of([&] { tutti::allgather_init(a, b, MPI_COMM_WORLD, "ringg"); }) ==
              MPI_ERR_INFO_VALUE,
          "no such algorithm");
    check(class_of([&] { tutti::request().start(); }) == MPI_ERR_REQUEST,
          "a start of a null request");
    check(class_of([&] { tutti::iallreduce(a, odd, MPI_SUM, MPI_COMM_WORLD); }) == MPI_ERR_COUNT,
          "sides of other lengths");
    check(class_of([&] { tutti::neighbor_allgather(a, b, MPI_COMM_WORLD); }) == MPI_ERR_TOPOLOGY,
          "no neighbors");
    if (ranks > 1)
        check(class_of([&] { tutti::allgather_init(a, odd, MPI_COMM_WORLD); }) == MPI_ERR_COUNT,
              "unequal blocks");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    tutti::check(tutti_init());
    types<int>();
    types<unsigned char>();
    types<long long>();
    types<double>();
    types<std::complex<float>>();
    lives();
    others();
    int periodic = 1;
    MPI_Comm ring;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
    blocks(MPI_COMM_WORLD, ring);
    typed<int, int>(MPI_COMM_WORLD, ring);
    typed<MPI_Count, MPI_Aint>(MPI_COMM_WORLD, ring);
    lists<int, int>(MPI_COMM_WORLD, ring);
    lists<MPI_Count, MPI_Aint>(MPI_COMM_WORLD, ring);
    MPI_Comm_free(&ring);
    halo();
    errors();
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && wrong == 0)
        std::puts("right");
    MPI_Finalize();
    return wrong != 0;
}
