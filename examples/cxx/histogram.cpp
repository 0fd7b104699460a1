/* SPDX-License-Identifier: BSD-3-Clause */
// histogram.cpp - a histogram of numbers that come in chunks, summed over all ranks by persistent
// allreduces.
//
//   mpirun -n 4 histogram [numbers of a chunk [chunks]]
//
//   count chunk 1 | count chunk 2      | count chunk 3      |
//                 | allreduce of bins 1 | allreduce of bins 2 |
//
// Two sets of bins take turns: one is on its way while the next chunk is counted.
#include <tutti.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>

namespace
{

constexpr int BINS = 32;
using bins = std::array<long long, BINS>;

struct turn {
    bins mine{}, all{};
    tutti::request sum;
};

void count_chunk(std::mt19937 &numbers, int n, bins &mine)
{
    std::normal_distribution<double> normal(BINS / 2.0, BINS / 8.0);
    mine.fill(0);
    for (int i = 0; i < n; i++) {
        const double x = normal(numbers);
        if (x >= 0 && x < BINS)
            mine[std::size_t(x)]++;
        if (i % 1024 == 0)
            tutti_progress(); // the allreduce before goes on
    }
}

// Wait, and add what has arrived.
void finish(turn &t, bins &total)
{
    t.sum.wait();
    for (std::size_t i = 0; i < BINS; i++)
        total[i] += t.all[i];
}

void run(int n, int chunks)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::mt19937 numbers(static_cast<unsigned>(rank));
    std::array<turn, 2> turns;
    bins total{};

    for (turn &t : turns)
        t.sum = tutti::allreduce_init(t.mine, t.all, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < chunks; i++) {
        turn &t = turns[std::size_t(i % 2)];
        count_chunk(numbers, n, t.mine);
        t.sum.start();
        if (i > 0)
            finish(turns[std::size_t((i + 1) % 2)], total);
    }
    finish(turns[std::size_t((chunks + 1) % 2)], total);
    const long long most = *std::max_element(total.begin(), total.end());
    for (int i = 0; rank == 0 && i < BINS; i++)
        std::printf("%3d %10lld %.*s\n", i, total[std::size_t(i)],
                    int(50 * total[std::size_t(i)] / most),
                    "**************************************************");
    if (rank == 0)
        std::printf("%lld numbers\n", std::accumulate(total.begin(), total.end(), 0LL));
}

} // namespace

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); // so that errors are exceptions
    try {
        tutti::check(tutti_init());
        run(argc > 1 ? std::atoi(argv[1]) : 100000, argc > 2 ? std::atoi(argv[2]) : 8);
    } catch (const tutti::error &e) {
        std::fprintf(stderr, "histogram: %s\n", e.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
}
