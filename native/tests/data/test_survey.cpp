// margin/data/survey.hpp
#include "check.hpp"
#include "margin/core/random.hpp"
#include "margin/data/survey.hpp"

using namespace margin;
using namespace margin::data;

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

} // namespace

TEST("ranges and missing cells of two columns by hand") {
    Monitor monitor;
    const std::vector<double> cells{1, missing, 5, missing, -2, missing};
    const auto found = survey(cells.data(), 3, 2, 1e300, 1, monitor);
    CHECK(found.low[0] == -2 && found.high[0] == 5 && found.missing[0] == 0);
    CHECK(found.low[1] == inf && found.high[1] == -inf && found.missing[1] == 3);
    CHECK(found.bad == -1);
}

TEST("no rows and no columns leave nothing to see") {
    Monitor monitor;
    CHECK(survey<double>(nullptr, 0, 2, 1.0, 2, monitor).low == std::vector<double>({inf, inf}));
    CHECK(survey<std::int32_t>(nullptr, 0, 1, 1, 2, monitor).high == std::vector<double>({-inf}));
    CHECK(survey<double>(nullptr, 5, 0, 1.0, 2, monitor).low.empty());
}

TEST("the first cell that is infinite or too large is found, on any number of threads") {
    Monitor monitor;
    std::vector<float> cells(300'000, 1.0F);
    for (std::size_t threads : {1, 2, 5}) {
        cells[200'000] = cells[299'999] = -std::numeric_limits<float>::infinity();
        CHECK(survey(cells.data(), 100'000, 3, std::numeric_limits<float>::max(), threads, monitor).bad == 200'000);
        cells[200'000] = 11;
        CHECK(survey(cells.data(), 100'000, 3, 10.0F, threads, monitor).bad == 200'000);
    }
}

TEST("whole numbers to the end of their type are neither bad nor lost") {
    Monitor monitor;
    using Limits = std::numeric_limits<std::int64_t>;
    const std::vector<std::int64_t> cells{Limits::max(), Limits::min()};
    const auto across = survey<std::int64_t>(cells.data(), 1, 2, 1, 1, monitor);
    CHECK(across.low == std::vector<double>({0x1p63, -0x1p63}) && across.high == across.low && across.bad == -1);
    const auto down = survey<std::int64_t>(cells.data(), 2, 1, 1, 1, monitor);
    CHECK(down.low[0] == -0x1p63 && down.high[0] == 0x1p63);
}

TEST("every width of rows, from one column to more than a vector, finds the same as column by column") {
    Monitor monitor;
    Stream stream(7, 0);
    for (std::size_t columns : {1, 2, 3, 7, 15, 16, 17, 40})
        for (std::size_t rows : {1, 3, 4, 5, 50}) {
            std::vector<double> cells(rows * columns);
            for (double& cell : cells)
                cell = stream.uniform01() < 0.1 ? missing : stream.uniform01();
            const auto found = survey(cells.data(), rows, columns, 1e300, 1, monitor);
            for (std::size_t j = 0; j < columns; ++j) {
                double low = inf, high = -inf;
                std::int64_t lost = 0;
                for (std::size_t i = 0; i < rows; ++i) {
                    const double cell = cells[i * columns + j];
                    low = cell < low ? cell : low;
                    high = cell > high ? cell : high;
                    lost += cell != cell;
                }
                CHECK(found.low[j] == low && found.high[j] == high && found.missing[j] == lost);
            }
        }
}
