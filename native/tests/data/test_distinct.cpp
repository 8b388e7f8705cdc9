// margin/data/distinct.hpp
#include "check.hpp"
#include "margin/core/random.hpp"
#include "margin/data/distinct.hpp"
#include <limits>
#include <set>

using namespace margin;
using namespace margin::data;

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

} // namespace

TEST("different numbers of three columns by hand") {
    Monitor monitor;
    const std::vector<double> cells{3, missing, 1, 1, missing, 2, -0.0, missing, 3, 0.0, missing, 4, 3, missing, 1};
    const auto found = distinct_numbers(cells.data(), 5, 3, 3, 1, monitor);
    CHECK(found[0] == std::vector<double>({0, 1, 3}));
    CHECK(found[1].empty());
    CHECK(found[2].empty()); // four are one too many
}

TEST("the numbers are those of a set, on any number of threads") {
    Monitor monitor;
    constexpr std::size_t rows = 3'000, columns = 37;
    std::vector<float> cells(rows * columns);
    Philox random({5, 0});
    for (std::size_t at = 0; at < cells.size(); ++at)
        cells[at] = static_cast<float>(random.next() % (2 + 9 * (at % columns))) / 3;
    for (std::size_t threads : {1, 2, 5}) {
        const auto found = distinct_numbers(cells.data(), rows, columns, 200, threads, monitor);
        for (std::size_t j = 0; j < columns; ++j) {
            std::set<double> seen;
            for (std::size_t i = 0; i < rows; ++i)
                seen.insert(cells[i * columns + j]);
            CHECK(found[j] ==
                  (seen.size() > 200 ? std::vector<double>() : std::vector<double>(seen.begin(), seen.end())));
        }
    }
}
