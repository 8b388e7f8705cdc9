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

TEST("ranges leave missing cells out, and an empty column has none") {
    Monitor monitor;
    const std::vector<double> cells{1, missing, 5, missing, -2, missing};
    const auto found = ranges(cells.data(), 3, 2, 1, monitor);
    CHECK(found.low[0] == -2 && found.high[0] == 5);
    CHECK(found.low[1] > found.high[1]);
}

TEST("moments of two classes by hand") {
    Monitor monitor;
    const std::vector<double> cells{1, 3, 10, missing, 14};
    const std::vector<std::int32_t> y{0, 0, 1, 1, 1};
    const std::vector<double> w{1, 1, 3, 1, 1};
    const auto found = moments(cells.data(), y.data(), w.data(), 5, 1, 2, 1, monitor);
    CHECK(found.weight == std::vector<double>({2, 4}));
    CHECK(found.weight2 == std::vector<double>({2, 10}));
    CHECK(found.mean == std::vector<double>({2, 11}));
    CHECK(found.m2 == std::vector<double>({2, 12}));
}

TEST("moments are the same to the last bit for any number of threads") {
    Monitor monitor;
    const std::size_t rows = 9001, columns = 5, classes = 3;
    const auto cells = random_cells(rows * columns, 2);
    const auto w = random_cells(rows, 3);
    std::vector<std::int32_t> y(rows);
    for (std::size_t i = 0; i < rows; ++i)
        y[i] = static_cast<std::int32_t>(i * 7 % classes);
    const auto one = moments(cells.data(), y.data(), w.data(), rows, columns, classes, 1, monitor);
    for (std::size_t threads : {2, 3, 7}) {
        const auto other = moments(cells.data(), y.data(), w.data(), rows, columns, classes, threads, monitor);
        CHECK(other.mean == one.mean && other.m2 == one.m2 && other.weight == one.weight);
    }
}
