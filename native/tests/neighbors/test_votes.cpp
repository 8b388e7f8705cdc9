// margin/neighbors/voting/count_votes.hpp, margin/neighbors/given/given_distances.hpp
#include "check.hpp"
#include "margin/core/random.hpp"
#include "margin/neighbors/given/given_distances.hpp"
#include "margin/neighbors/voting/count_votes.hpp"

using namespace margin;
using namespace margin::neighbors;

namespace {

/// Three cases of two neighbours and the next one: a clear one, one whose last places are shared, a row that is none.
const std::vector<double> distance{1, 2, 3, 1, 2, 2, 1, 2, 3};
const std::vector<std::int64_t> place{0, 1, 2, 0, 1, 2, 0, 1, 9};
const NearestLists lists{distance.data(), place.data(), 3, 3, 2};

} // namespace

TEST("votes are counted where no place is shared, and equal ones go to the nearer class") {
    const std::vector<std::int32_t> labels{1, 0, 0};
    Monitor monitor;
    std::vector<double> sums(6);
    std::vector<std::int64_t> codes(3);
    const auto least = count_votes<UniformVotes>(lists, labels, 2, sums.data(), codes.data(), 1, monitor);
    CHECK(least == not_found);
    CHECK(codes == (std::vector<std::int64_t>{1, undecided, not_found}));
    CHECK(sums[0] == 1 && sums[1] == 1 && sums[2] == 0);
}

TEST("votes by distance are in proportion to the nearest, and an exact match outvotes all others") {
    CHECK(DistanceVotes::vote(1, 4) == 0.25);
    CHECK(InverseSquareVotes::vote(1, 4) == 0.0625);
    CHECK(DistanceVotes::vote(0, 4) == 0 && DistanceVotes::vote(0, 0) == 1);
}

TEST("means of targets are those of the neighbours, column by column") {
    const std::vector<double> targets{10, 1, 20, 2, 60, 6};
    Monitor monitor;
    std::vector<double> means(6);
    std::vector<std::int64_t> codes(3);
    mean_targets<UniformVotes>(lists, targets.data(), 3, 2, means.data(), codes.data(), 2, monitor);
    CHECK(means[0] == 15 && means[1] == 1.5);
    CHECK(codes == (std::vector<std::int64_t>{0, undecided, not_found}));
}

TEST("given distances are searched as their definition says, on any number of threads") {
    Stream stream(3, 1);
    constexpr std::size_t rows = 50, columns = 70, k = 9;
    std::vector<double> cells(rows * columns);
    for (double& cell : cells)
        cell = static_cast<double>(stream.below(20));
    const MatrixView<const double> view(cells.data(), rows, columns);
    for (const std::size_t n_threads : {1, 3}) {
        Monitor monitor;
        std::vector<double> near(rows * k);
        std::vector<std::int64_t> at(rows * k);
        nearest_given(view, k, near.data(), at.data(), n_threads, monitor);
        const FoundLists within = within_given(view, Radii(4.0), n_threads, monitor);
        for (std::size_t q = 0; q < rows; ++q) {
            std::vector<Found> all;
            for (std::size_t j = 0; j < columns; ++j)
                all.push_back({cells[q * columns + j], static_cast<std::int64_t>(j)});
            std::sort(all.begin(), all.end());
            for (std::size_t i = 0; i < k; ++i)
                CHECK(near[q * k + i] == all[i].distance && at[q * k + i] == all[i].row);
            std::size_t inside = 0;
            while (inside < columns && all[inside].distance <= 4)
                ++inside;
            CHECK(static_cast<std::size_t>(within.start[q + 1] - within.start[q]) == inside);
            for (std::size_t i = 0; i < inside; ++i)
                CHECK(within.row[static_cast<std::size_t>(within.start[q]) + i] == all[i].row);
        }
    }
}
