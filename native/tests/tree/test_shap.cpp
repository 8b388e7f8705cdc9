// margin/tree/shap
#include "check.hpp"
#include "margin/core/random.hpp"
#include "margin/tree/shap/shap_values.hpp"
#include <bit>

using namespace margin;
using namespace margin::tree;

namespace {

/// A tree of three branches each, down to some depth, over few columns, so that ways ask about a column again.
struct MadeUp {
    std::size_t depth, n_columns;
    std::vector<double> weight, answer;

    static std::size_t nodes(std::size_t depth) { return depth == 0 ? 1 : 1 + 3 * nodes(depth - 1); }
    explicit MadeUp(std::size_t levels, std::size_t d) : depth(levels), n_columns(d) {
        Stream stream(7, levels);
        for (std::size_t n = 0, size = nodes(levels); n < size; ++n) {
            weight.push_back(n % 11 == 5 ? 0.0 : 0.1 + static_cast<double>(stream.next() % 100));
            answer.push_back(static_cast<double>(stream.next() % 1000) / 100 - 5);
        }
    }

    std::size_t width() const { return 1; }
    bool is_leaf(std::size_t n) const { return 3 * n + 1 >= weight.size(); }
    std::int32_t column(std::size_t n) const { return static_cast<std::int32_t>(n % n_columns); }
    std::size_t n_branches(std::size_t) const { return 3; }
    std::size_t child(std::size_t n, std::size_t b) const { return 3 * n + 1 + b; }
    double cover(std::size_t n) const { return weight[n]; }
    void value(std::size_t n, double* to) const { *to = answer[n]; }
    std::int32_t branch(std::size_t n, const double* row) const {
        const double x = row[column(n)];
        return std::isnan(x) ? -1 : static_cast<std::int32_t>(static_cast<std::size_t>(x) + n) % 3;
    }

    /// What it says of a row of which the columns in `known` are known.
    double says(const double* row, unsigned known, std::size_t n = 0) const {
        if (is_leaf(n))
            return answer[n];
        const std::int32_t b = known >> column(n) & 1 ? branch(n, row) : -1;
        if (b >= 0)
            return says(row, known, child(n, static_cast<std::size_t>(b)));
        double sum = 0, total = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            total += cover(child(n, k));
            sum += cover(child(n, k)) * says(row, known, child(n, k));
        }
        return total > 0 ? sum / total : answer[n];
    }
};

double factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

} // namespace

TEST("quadrature is exact for polynomials of degree 2n - 1") {
    for (const std::size_t n : {1u, 2u, 5u, 12u, 40u}) {
        const Quadrature points = quadrature(n, 4);
        CHECK(points.at.size() % 4 == 0);
        for (std::size_t degree = 0; degree < 2 * n; ++degree) {
            double sum = 0;
            for (std::size_t q = 0; q < points.at.size(); ++q)
                sum += points.weight[q] * std::pow(points.at[q], static_cast<double>(degree));
            CHECK(std::abs(sum - 1 / static_cast<double>(degree + 1)) < 1e-14);
        }
    }
}

TEST("values and interactions are those of all subsets, on any number of threads") {
    constexpr std::size_t d = 5, n = 9;
    const MadeUp tree(5, d);
    Stream stream(1, 1);
    std::vector<double> cells(n * d);
    for (double& cell : cells)
        cell =
            stream.next() % 5 == 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(stream.next() % 3);
    std::vector<double> values(n * d), pairs(n * d * d), again(n * d);
    double base = 0, base_again = 0;
    Monitor monitor;
    const std::span<const MadeUp> trees(&tree, 1);
    add_shap_values<MadeUp, double>(trees, {{cells.data(), n, d}, {}}, {values.data(), pairs.data(), &base, 1}, 1,
                                    monitor);
    add_shap_values<MadeUp, double>(trees, {{cells.data(), n, d}, {}}, {again.data(), nullptr, &base_again, 1}, 3,
                                    monitor);
    CHECK(values == again);
    CHECK(std::abs(base - tree.says(cells.data(), 0)) < 1e-12);
    for (std::size_t i = 0; i < n; ++i)
        for (unsigned a = 0; a < d; ++a) {
            double value = 0;
            std::vector<double> with(d);
            for (unsigned known = 0; known < 1u << d; ++known) {
                if (known >> a & 1)
                    continue;
                const double* row = cells.data() + i * d;
                const int size = std::popcount(known);
                const double gained = tree.says(row, known | 1u << a) - tree.says(row, known);
                value += factorial(size) * factorial(d - size - 1) / factorial(d) * gained;
                for (unsigned b = 0; b < d; ++b)
                    if (b != a && !(known >> b & 1))
                        with[b] +=
                            factorial(size) * factorial(d - size - 2) / (2 * factorial(d - 1)) *
                            (tree.says(row, known | 1u << a | 1u << b) - tree.says(row, known | 1u << b) - gained);
            }
            CHECK(std::abs(values[i * d + a] - value) < 1e-12);
            for (unsigned b = 0; b < d; ++b)
                CHECK(b == a || std::abs(pairs[(i * d + a) * d + b] - with[b]) < 1e-12);
        }
}
