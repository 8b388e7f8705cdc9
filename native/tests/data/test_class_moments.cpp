// margin/data/class_moments.hpp
#include "check.hpp"
#include "margin/core/random.hpp"
#include "margin/data/class_moments.hpp"

using namespace margin;
using namespace margin::data;

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

struct Cells {
    std::vector<double> x, w;
    std::vector<std::int32_t> y;
};

Cells random_cells(std::size_t rows, std::size_t columns, std::size_t classes, double gaps) {
    Stream stream(rows + columns, classes);
    Cells cells;
    for (std::size_t c = 0; c < rows * columns; ++c)
        cells.x.push_back(stream.uniform01() < gaps ? missing : 1e6 + stream.uniform01());
    for (std::size_t i = 0; i < rows; ++i) {
        cells.w.push_back(0.5 + stream.uniform01());
        cells.y.push_back(static_cast<std::int32_t>(stream.uniform01() * static_cast<double>(classes)));
    }
    return cells;
}

} // namespace

TEST("moments of two classes by hand") {
    Monitor monitor;
    const std::vector<double> cells{1, 3, 10, missing, 14};
    const std::vector<std::int32_t> y{0, 0, 1, 1, 1};
    const std::vector<double> w{1, 1, 3, 1, 1};
    const auto [seen, found] = survey_moments(cells.data(), y.data(), w.data(), 5, 1, 2, 1e300, 1, monitor);
    CHECK(found.weight == std::vector<double>({2, 4}));
    CHECK(found.weight2 == std::vector<double>({2, 10}));
    CHECK(found.mean == std::vector<double>({2, 11}) && found.rest == std::vector<double>({0, 0}));
    CHECK(found.m2 == std::vector<double>({2, 12}));
    CHECK(seen.low[0] == 1 && seen.high[0] == 14 && seen.missing[0] == 1);
}

TEST("classes without rows and matrices without rows have no weight") {
    Monitor monitor;
    const std::vector<double> cells{5};
    const std::vector<std::int32_t> y{2};
    const auto one = survey_moments(cells.data(), y.data(), nullptr, 1, 1, 4, 1e300, 2, monitor).moments;
    CHECK(one.weight == std::vector<double>({0, 0, 1, 0}) && one.mean == std::vector<double>({0, 0, 5, 0}));
    const auto none = survey_moments<double>(nullptr, nullptr, nullptr, 0, 2, 1, 1e300, 2, monitor).moments;
    CHECK(none.weight == std::vector<double>({0, 0}) && none.m2 == std::vector<double>({0, 0}));
}

TEST("moments agree with the definition, with gaps and without, weights or none, wide rows and many classes") {
    Monitor monitor;
    for (const double gaps : {0.0, 0.05})
        for (const bool weighted : {false, true})
            for (const auto& [n_rows, n_columns, classes] :
                 {std::array<std::size_t, 3>{700, 5, 2}, {90, 530, 3}, {500, 2, 300}}) {
                const std::size_t rows = n_rows, columns = n_columns; // clang 14 lets no lambda capture a binding
                const Cells cells = random_cells(rows, columns, classes, gaps);
                const auto found = survey_moments(cells.x.data(), cells.y.data(), weighted ? cells.w.data() : nullptr,
                                                  rows, columns, classes, 1e300, 1, monitor)
                                       .moments;
                for (std::size_t c = 0; c < classes * columns; c += 1 + c % 7) {
                    long double weight = 0, sum = 0, m2 = 0;
                    const auto each = [&](auto take) {
                        for (std::size_t i = 0; i < rows; ++i) {
                            const double cell = cells.x[i * columns + c % columns];
                            if (static_cast<std::size_t>(cells.y[i]) == c / columns && cell == cell)
                                take(weighted ? cells.w[i] : 1.0, cell - 1e6L);
                        }
                    };
                    each([&](double w, long double d) { weight += w, sum += w * d; });
                    const long double mean = weight > 0 ? sum / weight : -1e6L;
                    each([&](double w, long double d) { m2 += w * (d - mean) * (d - mean); });
                    CHECK_NEAR(found.weight[c], static_cast<double>(weight), 1e-12);
                    CHECK_NEAR((found.mean[c] - 1e6) + found.rest[c], static_cast<double>(mean), 1e-15);
                    CHECK_NEAR(found.m2[c], static_cast<double>(m2), 1e-30 + 1e-13 * static_cast<double>(m2));
                }
            }
}

TEST("moments are the same to the last bit for any number of threads") {
    Monitor monitor;
    const std::size_t rows = 60'001, columns = 9, classes = 3;
    const Cells cells = random_cells(rows, columns, classes, 0.0001);
    const auto run = [&](std::size_t threads) {
        return survey_moments(cells.x.data(), cells.y.data(), cells.w.data(), rows, columns, classes, 1e300, threads,
                              monitor)
            .moments;
    };
    const auto one = run(1);
    for (std::size_t threads : {2, 3, 7}) {
        const auto other = run(threads);
        CHECK(other.mean == one.mean && other.rest == one.rest && other.m2 == one.m2 && other.weight == one.weight);
    }
}
