#pragma once
// Distances between rows of which only the cells that are not 0 are stored, to the last bit those of the same rows
// written out.
#include "margin/core/one_of.hpp"
#include "margin/neighbors/distances/scan.hpp"
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace margin::neighbors {

/// Training rows: the stored cells of row i stand at [start[i], start[i + 1]), columns ascending strictly, none 0.
template <class T>
struct SparseTable {
    const T* values = nullptr;
    const std::int32_t* columns = nullptr;
    const std::int64_t* start = nullptr;
    std::size_t n = 0, width = 0;

    std::size_t begin(std::size_t i) const { return static_cast<std::size_t>(start[i]); }
    std::size_t end(std::size_t i) const { return static_cast<std::size_t>(start[i + 1]); }
    std::size_t stored(std::size_t i) const { return end(i) - begin(i); }
};

/// One row with memory of its own, as double.
struct SparseRow {
    std::vector<double> cells;
    std::vector<std::int32_t> columns;
    std::size_t size() const { return cells.size(); }
};

/// How rows of distance D are told apart before distances are measured (sparse_rows.hpp).
template <class D>
inline constexpr SparseFilter filter_of = [] {
    if constexpr (requires { D::sparse_filter; })
        return D::sparse_filter;
    else
        return SparseFilter::norm; // which looks at every row where D is no metric
}();

/// A distance of distance.hpp.
template <class Base>
struct SparseOf {
    using D = Base;
    static constexpr std::string_view name = D::name;
    static constexpr bool unit = false;
    static constexpr SparseFilter filter = filter_of<D>;
    static double finish(double compared, double p) { return D::finish(compared, p); }
    /// What rows up to `radius` away cannot exceed when they are compared.
    static double most_compared(double radius, double p) { return joined_at<D>(radius, p); }
};

/// 1 - a·b / (|a| |b|) = |a/|a| - b/|b||^2 / 2: the second has nothing to cancel. Rows without a common column are at
/// distance 1 exactly, whatever rounding makes of their lengths, so that they tie; so is an empty row from any other.
/// Two empty rows are equal.
struct SparseCosine {
    using D = Euclidean;
    static constexpr std::string_view name = "cosine";
    static constexpr bool unit = true;
    static constexpr SparseFilter filter = SparseFilter::dot;
    static constexpr double apart = 2; // how rows without a common column compare
    static double finish(double compared, double) { return compared / 2; }
    static double most_compared(double radius, double) { return 2 * radius; }
};

using SparseMetrics = Distances::wrapped<SparseOf, SparseCosine>;

/// Terms joined as `joined` does: column j to running sum j mod 8, columns ascending. Absent cells are 0 in both rows,
/// their terms 0, and 0 joins without a trace.
template <class D>
class Joining {
public:
    explicit Joining(double p) : p_(p) {}

    MARGIN_INLINED void add(std::int32_t column, double difference) {
        double& sum = sums_[static_cast<std::size_t>(column) % n_sums];
        sum = D::join(sum, D::term(difference, p_));
        if constexpr (settles<D>)
            differences_.push_back(difference);
    }

    double whole() {
        const double all = halved<D>(sums_);
        if constexpr (settles<D>)
            return D::settle(all, differences_.size(), p_, [this](std::size_t i) { return differences_[i]; });
        else
            return all;
    }

private:
    double p_;
    double sums_[n_sums] = {};
    std::vector<double> differences_; // in case powers vanish or overflow
};

/// The length of a row: the root of its squares joined, taken again with a power of two as the unit where squares vanish
/// or overflow. 1 for an empty row, so that it can be divided by.
template <class T>
double length_of(const T* values, const std::int32_t* columns, std::size_t n) {
    const auto squares = [&](double unit) {
        Joining<Euclidean> sum(2.0);
        for (std::size_t i = 0; i < n; ++i)
            sum.add(columns[i], static_cast<double>(values[i]) / unit);
        return sum.whole();
    };
    if (n == 0)
        return 1;
    const double plain = squares(1);
    if (plain > 1e-280 && std::isfinite(plain))
        return std::sqrt(plain);
    double top = 0;
    for (std::size_t i = 0; i < n; ++i)
        top = std::max(top, std::abs(static_cast<double>(values[i])));
    const double unit = std::ldexp(1.0, std::ilogb(top));
    return unit * std::sqrt(squares(unit));
}

/// How a query and a row compare. Row cells are divided by `length`, which is 1 where lengths do not matter; the query's
/// have been. O(stored cells of both).
template <class M, class T>
double merged(const SparseRow& query, const T* values, const std::int32_t* columns, std::size_t n, double length,
              double p) {
    Joining<typename M::D> sum(p);
    std::size_t i = 0, j = 0, common = 0;
    const std::size_t m = query.size();
    const auto cell = [&](std::size_t at) {
        const double value = static_cast<double>(values[at]);
        return M::unit ? value / length : value;
    };
    while (i < m && j < n) {
        // Which of the two comes next cannot be foretold: selected rather than branched upon.
        const std::int32_t a = query.columns[i], b = columns[j];
        const double left = a <= b ? query.cells[i] : 0.0, right = b <= a ? cell(j) : 0.0;
        sum.add(a < b ? a : b, left - right);
        common += a == b;
        i += a <= b;
        j += b <= a;
    }
    for (; i < m; ++i)
        sum.add(query.columns[i], query.cells[i]);
    for (; j < n; ++j)
        sum.add(columns[j], 0.0 - cell(j));
    if constexpr (M::unit)
        if (common == 0)
            return m == 0 && n == 0 ? 0 : M::apart;
    return sum.whole();
}

} // namespace margin::neighbors
