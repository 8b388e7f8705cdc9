// margin/linear/sparse/sparse_passes.hpp
#include "check.hpp"
#include "margin/core/random.hpp"
#include "margin/linear/sparse/sparse_passes.hpp"

using namespace margin;
using namespace margin::linear;

namespace {

/// The vectors hold exactly what they say: a sanitizer notices a cell read beside them.
struct Rows {
    std::vector<float> values;
    std::vector<std::int64_t> columns, start{0};
    std::vector<std::int32_t> y;
    std::size_t width;

    Rows(std::size_t n, std::size_t width, int classes) : width(width) {
        Stream stream(7, n);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < width; ++j)
                if (stream.uniform01() < 0.3) {
                    values.push_back(static_cast<float>(stream.uniform01() - 0.5));
                    columns.push_back(static_cast<std::int64_t>(j));
                }
            start.push_back(static_cast<std::int64_t>(values.size()));
            y.push_back(static_cast<std::int32_t>(stream.uniform01() * classes));
        }
    }
    data::Csr<float, std::int64_t> csr() const {
        return {values.data(), columns.data(), start.data(), y.size(), width};
    }
};

std::vector<double> random_table(std::size_t size, std::size_t lanes, std::size_t classes) {
    Stream stream(3, 1);
    std::vector<double> table(size);
    for (std::size_t c = 0; c < size; ++c)
        table[c] = c % lanes < classes ? stream.uniform01() - 0.5 : 0.0;
    return table;
}

} // namespace

TEST("the gradient and the products with directions are differences of the loss and of the gradient") {
    for (const std::size_t classes : {2, 3, 5, 13}) {
        const std::size_t lanes = classes == 2 ? 1 : (classes + 3) / 4 * 4;
        const Rows rows(70, 9, static_cast<int>(classes));
        const auto x = rows.csr();
        const std::vector<double> weight(70, 0.5);
        const auto table = random_table(10 * lanes, lanes, lanes == 1 ? 1 : classes);
        std::vector<double> state(70 * lanes);
        Monitor monitor;
        const auto look = [&](const std::vector<double>& at) {
            return loss_and_gradient(x, rows.y.data(), weight.data(), 0.1, at.data(), lanes, classes, state.data(), 2,
                                     monitor);
        };
        const double h = 1e-5;
        auto above = table, below = table;
        above[lanes] += h, below[lanes] -= h;
        const auto up = look(above), down = look(below), here = look(table);
        CHECK(std::abs((up.value - down.value) / (2 * h) - here.table[lanes]) < 1e-8);
        std::vector<double> unit(table.size());
        unit[lanes] = 1;
        const auto product = curvature_product(x, weight.data(), 0.1, state.data(), unit.data(), lanes, 2, monitor);
        const auto diagonal = curvature_diagonal(x, weight.data(), 0.1, state.data(), lanes, 2, monitor);
        for (std::size_t c = 0; c < table.size(); ++c)
            CHECK(std::abs((up.table[c] - down.table[c]) / (2 * h) - product.table[c]) < 1e-8);
        CHECK(std::abs(diagonal.table[lanes] - product.table[lanes]) < 1e-12);
    }
}

TEST("no rows have no loss, rows without cells only an intercept") {
    Monitor monitor;
    const std::vector<std::int64_t> start{0};
    const data::Csr<double, std::int64_t> none{nullptr, nullptr, start.data(), 0, 4};
    const std::vector<double> table(5);
    CHECK(loss_and_gradient(none, nullptr, nullptr, 1.0, table.data(), 1, 2, nullptr, 2, monitor).table.size() == 5);
    const std::vector<std::int64_t> starts{0, 0, 0};
    const std::vector<std::int32_t> y{0, 1};
    const data::Csr<double, std::int64_t> empty{nullptr, nullptr, starts.data(), 2, 4};
    std::vector<double> state(2);
    const auto found = loss_and_gradient(empty, y.data(), nullptr, 0.5, table.data(), 1, 2, state.data(), 2, monitor);
    CHECK(std::abs(found.value - std::log(2.0)) < 1e-15);
    CHECK(found.table == std::vector<double>(5));
}
