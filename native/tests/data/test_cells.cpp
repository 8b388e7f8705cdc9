// margin/data/cells.hpp
#include "check.hpp"
#include "margin/core/random.hpp"
#include "margin/data/cells.hpp"

using namespace margin;
using namespace margin::data;

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

std::vector<double> random_cells(std::size_t n, std::uint64_t seed) {
    Stream stream(seed, 0);
    std::vector<double> cells(n);
    for (double& cell : cells)
        cell = 10 + stream.uniform01();
    return cells;
}

} // namespace

TEST("clean, missing and unusable cells are told apart") {
    Monitor monitor;
    std::vector<double> cells{1, 2, 3};
    CHECK(inspect(cells.data(), 3, 10.0, 1, monitor) == clean);
    cells[1] = missing;
    CHECK(inspect(cells.data(), 3, 10.0, 1, monitor) == clean_but_missing);
    cells[2] = -inf;
    CHECK(inspect(cells.data(), 3, 10.0, 1, monitor) == 2);
    cells[0] = 11;
    CHECK(inspect(cells.data(), 3, 10.0, 1, monitor) == 0);
    CHECK(inspect(cells.data(), 0, 10.0, 1, monitor) == clean);
}

TEST("the first unusable cell of a long matrix is found with any number of threads") {
    Monitor monitor;
    auto cells = random_cells(200'000, 1);
    cells[150'000] = cells[170'000] = inf;
    for (std::size_t threads : {1, 2, 5})
        CHECK(inspect(cells.data(), cells.size(), 1e300, threads, monitor) == 150'000);
}
