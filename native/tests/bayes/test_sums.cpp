// margin/bayes/sums.hpp and sparse_sums.hpp
#include "check.hpp"
#include "margin/bayes/sparse_sums.hpp"
#include "margin/core/random.hpp"

using namespace margin;
using namespace margin::bayes;

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr double never = -std::numeric_limits<double>::infinity();

} // namespace

TEST("sums by class by hand: values, thresholds, weights and gaps") {
    Monitor monitor;
    const std::vector<double> x{1, 2, /**/ 3, missing, /**/ 5, 0}, w{1, 2, 1};
    const std::vector<std::int32_t> y{0, 1, 1};
    const auto values = sum_dense(x.data(), ItsValue{}, y.data(), w.data(), 3, 2, 2, 1, monitor);
    CHECK(values.sums == std::vector<double>({1, 2, 11, 0}));
    CHECK(values.cells == std::vector<double>({1, 1, 3, 1}));
    const auto above = sum_dense(x.data(), WhetherAbove(1.5), y.data(), nullptr, 3, 2, 2, 1, monitor);
    CHECK(above.sums == std::vector<double>({0, 1, 2, 0}));
    CHECK(above.cells == std::vector<double>({1, 1, 2, 1}));
    CHECK(sum_dense<float>(nullptr, ItsValue{}, nullptr, nullptr, 0, 2, 1, 2, monitor).cells == std::vector<double>(2));
    CHECK(sum_dense<float>(nullptr, ItsValue{}, y.data(), nullptr, 3, 0, 2, 2, monitor).cells.empty());
}

TEST("whole numbers are compared with any threshold") {
    Monitor monitor;
    const std::vector<std::int64_t> x{-3, 0, 2, std::numeric_limits<std::int64_t>::max()};
    const std::vector<std::int32_t> y(4);
    for (const auto& [threshold, n] : {std::pair{-3.5, 4.0},
                                       {-3.0, 3.0},
                                       {0.0, 2.0},
                                       {1.9, 2.0},
                                       {2.0, 1.0},
                                       {1e300, 0.0},
                                       {-1e300, 4.0},
                                       {missing, 0.0}})
        CHECK(sum_dense(x.data(), WhetherAbove(threshold), y.data(), nullptr, 4, 1, 1, 1, monitor).sums[0] == n);
}

TEST("a missing cell and a cell of 0 add nothing to a product, even times minus infinity") {
    Monitor monitor;
    const std::vector<double> x{2, 0, missing, 0, 1, 0}, table{0.5, 1, never, never, never, never};
    std::vector<double> scores(4);
    CHECK(add_terms(x.data(), ProductTable{table.data(), 2}, scores.data(), 2, 3, 2, 1, monitor));
    CHECK(scores == std::vector<double>({1, 2, never, never}));
}

TEST("present or absent is added, missing adds nothing") {
    Monitor monitor;
    const std::vector<double> x{2, 0, missing}, present{1, 2, 4}, absent{10, 20, 40};
    std::vector<double> score(1);
    CHECK(
        !add_terms(x.data(), PresenceTable{0.0, present.data(), absent.data(), 1}, score.data(), 1, 3, 1, 1, monitor));
    CHECK(score[0] == 21);
}

TEST("sparse sums by hand, and what is lost to missing cells") {
    Monitor monitor;
    const std::vector<double> values{1, 2, missing, 4}, w{1, 1, 3};
    const std::vector<std::int32_t> columns{0, 2, 0, 1}, y{1, 0, 1};
    const std::vector<std::int64_t> start{0, 2, 2, 4};
    const data::Csr<double, std::int32_t> x{values.data(), columns.data(), start.data(), 3, 3};
    const auto found = sum_csr(x, ItsValue{}, y.data(), w.data(), 2, 1, monitor);
    CHECK(found.sums == std::vector<double>({0, 0, 0, 1, 12, 2}));
    CHECK(found.lost == std::vector<double>({0, 0, 0, 3, 0, 0}));
    CHECK(sum_csr(x, WhetherAbove(1), y.data(), nullptr, 2, 1, monitor).sums ==
          std::vector<double>({0, 0, 0, 0, 1, 1}));
    const std::vector<double> table{never, 10, 100}, instead{0.5, 7, 7};
    std::vector<double> scores(3);
    add_csr(x, table.data(), scores.data(), 1, 1, monitor);
    CHECK(scores == std::vector<double>({never, 0, 40}));
    scores.assign(3, 0);
    add_csr_above(x, 1, table.data(), instead.data(), scores.data(), 1, 1, monitor);
    CHECK(scores == std::vector<double>({100, 0, 10.5}));
    const data::Csr<double, std::int32_t> nothing{nullptr, nullptr, start.data(), 0, 3};
    CHECK(sum_csr(nothing, ItsValue{}, nullptr, nullptr, 2, 2, monitor).sums == std::vector<double>(6));
}

TEST("sparse sums are the same for any number of threads, and those of the dense matrix") {
    Monitor monitor;
    Stream stream(5, 0);
    const std::size_t rows = 20'000, width = 40, classes = 3;
    std::vector<double> dense(rows * width), values, w;
    std::vector<std::int64_t> columns, start{0};
    std::vector<std::int32_t> y;
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < width; ++j)
            if (stream.uniform01() < 0.5) {
                values.push_back(dense[i * width + j] = stream.uniform01());
                columns.push_back(static_cast<std::int64_t>(j));
            }
        start.push_back(static_cast<std::int64_t>(values.size()));
        y.push_back(static_cast<std::int32_t>(i % classes));
        w.push_back(stream.uniform01());
    }
    const data::Csr<double, std::int64_t> x{values.data(), columns.data(), start.data(), rows, width};
    const auto one = sum_csr(x, ItsValue{}, y.data(), w.data(), classes, 1, monitor).sums;
    const auto full = sum_dense(dense.data(), ItsValue{}, y.data(), w.data(), rows, width, classes, 1, monitor).sums;
    for (std::size_t c = 0; c < one.size(); ++c)
        CHECK_NEAR(one[c], full[c], 1e-9);
    for (std::size_t threads : {2, 4}) {
        CHECK(sum_csr(x, ItsValue{}, y.data(), w.data(), classes, threads, monitor).sums == one);
        CHECK(sum_dense(dense.data(), ItsValue{}, y.data(), w.data(), rows, width, classes, threads, monitor).sums ==
              full);
    }
}
