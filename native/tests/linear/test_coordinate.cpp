// margin/linear/coordinate/coordinate.hpp, coordinate_gram.hpp
#include "check.hpp"
#include "margin/core/random.hpp"
#include "margin/linear/coordinate/coordinate_gram.hpp"

using namespace margin;
using namespace margin::linear;

namespace {

constexpr std::size_t n_rows = 40, width = 6;

std::vector<double> random_numbers(std::size_t n, std::uint64_t seed) {
    Stream stream(seed, 0);
    std::vector<double> found(n);
    for (double& x : found)
        x = stream.uniform01() - 0.5;
    return found;
}

/// A matrix with every cell stored, by columns.
struct Columns {
    std::vector<double> values = random_numbers(n_rows * width, 5);
    std::vector<std::int32_t> rows, all{0, 1, 2, 3, 4, 5};
    std::vector<std::int64_t> start{0};
    Columns() {
        for (std::size_t j = 0; j < width; ++j) {
            for (std::size_t i = 0; i < n_rows; ++i)
                rows.push_back(static_cast<std::int32_t>(i));
            start.push_back(static_cast<std::int64_t>(rows.size()));
        }
    }
    SparseColumns<double> view() const { return {values.data(), rows.data(), start.data()}; }
};

} // namespace

TEST("a soft step goes to the minimum, exactly 0 included") {
    CHECK(soft_step(0, -3, 2, 1) == 1);  // -3 z + z^2 + |z|
    CHECK(soft_step(0, 0.5, 2, 1) == 0); // the corner holds
    CHECK(soft_step(0.25, 0.5, 2, 1) == -0.25);
    CHECK(violation(0, 0.5, 1) == 0);
    CHECK(violation(0, -1.5, 1) == 0.5);
    CHECK(violation(2, -1, 1) == 0);
}

TEST("columns one by one and their matrix of second derivatives lead to one step") {
    const Columns x;
    std::vector<double> bend = random_numbers(n_rows, 6), h(width * width), g = random_numbers(width + 1, 8),
                        w = random_numbers(width + 1, 9);
    for (double& b : bend)
        b = std::abs(b);
    w[2] = 0;
    for (std::size_t a = 0; a < width; ++a)
        for (std::size_t b = 0; b < width; ++b)
            for (std::size_t i = 0; i < n_rows; ++i)
                h[a * width + b] += bend[i] * x.values[a * n_rows + i] * x.values[b * n_rows + i];
    for (std::size_t a = 0; a < width; ++a)
        h[a * width + a] += 0.1;
    Monitor monitor;
    BinaryRows rows(bend.data(), n_rows);
    const DescentSettings settings{0.2, 0.1, false, 1e-12, 5000};
    const Descent one = descend(x.view(), rows, x.all, w.data(), g.data(), width, settings, monitor);
    const Descent other = gram_descend(h.data(), g.data(), w.data(), width, 0.2, 1e-12, 5000, monitor);
    for (std::size_t j = 0; j < width; ++j) {
        CHECK(std::abs(one.step[j] - other.step[j]) < 1e-9);
        CHECK((w[j] + one.step[j] == 0) == (w[j] + other.step[j] == 0));
    }
    CHECK(one.step[width] == 0);
}

TEST("softmax steps of four, eight and any number of lanes end where the model is flat") {
    const Columns x;
    for (const std::size_t lanes : {4, 8, 16}) {
        std::vector<double> p = random_numbers(n_rows * lanes, 2);
        for (std::size_t i = 0; i < n_rows; ++i) {
            double total = 0;
            for (std::size_t k = 0; k < lanes; ++k)
                total += p[i * lanes + k] = std::abs(p[i * lanes + k]);
            for (std::size_t k = 0; k < lanes; ++k)
                p[i * lanes + k] /= total;
        }
        const auto g = random_numbers((width + 1) * lanes, 3);
        const std::vector<double> w((width + 1) * lanes);
        Monitor monitor;
        const DescentSettings settings{0.01, 0.05, false, 1e-13, 20000};
        const Descent found = with_softmax_rows(p.data(), nullptr, 1.0 / n_rows, n_rows, lanes, [&](auto&& rows) {
            return descend(x.view(), rows, x.all, w.data(), g.data(), width, settings, monitor);
        });
        for (std::size_t j = 0; j < width; ++j)
            for (std::size_t k = 0; k < lanes; ++k) {
                double slope = g[j * lanes + k] + 0.05 * found.step[j * lanes + k];
                for (std::size_t i = 0; i < n_rows; ++i) {
                    double mean = 0, own = 0;
                    for (std::size_t l = 0; l < lanes; ++l) {
                        double u = 0;
                        for (std::size_t c = 0; c < width; ++c)
                            u += x.values[c * n_rows + i] * found.step[c * lanes + l];
                        mean += p[i * lanes + l] * u;
                        own = l == k ? u : own;
                    }
                    slope += x.values[j * n_rows + i] * p[i * lanes + k] * (own - mean) / n_rows;
                }
                CHECK(violation(found.step[j * lanes + k], slope, 0.01) < 1e-8);
            }
    }
}

TEST("a matrix by columns is the same matrix, whatever the number of threads") {
    const std::vector<double> values{1, 2, 3, 4};
    const std::vector<std::int32_t> columns{0, 2, 1, 2};
    const std::vector<std::int64_t> start{0, 2, 2, 4};
    const data::Csr<double, std::int32_t> x{values.data(), columns.data(), start.data(), 3, 3};
    Monitor monitor;
    for (const std::size_t n : {1, 3}) {
        std::vector<double> cells(4);
        std::vector<std::int32_t> rows(4);
        const auto begin = by_columns(x, cells.data(), rows.data(), n, monitor);
        CHECK(cells == std::vector<double>({1, 3, 2, 4}));
        CHECK(rows == std::vector<std::int32_t>({0, 2, 0, 2}));
        CHECK(begin == std::vector<std::int64_t>({0, 1, 2, 4}));
    }
}
