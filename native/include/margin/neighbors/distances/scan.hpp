#pragma once
// Rows offered to a query one after another, and what it keeps of them.
#include "margin/core/views.hpp"
#include "nearest.hpp"
#include "row_distance.hpp"
#include <cmath>
#include <cstddef>
#include <type_traits>

namespace margin::neighbors {

/// The largest joined terms whose distance is at most `radius`.
template <class D>
double joined_at(double radius, double p) {
    double joined = D::unfinished(radius, p);
    while (D::finish(joined, p) > radius)
        joined = std::nextafter(joined, 0.0);
    for (double next = joined; D::finish(next, p) <= radius;) {
        joined = next;
        next = std::nextafter(next, std::numeric_limits<double>::infinity());
        if (next == joined)
            break;
    }
    return joined;
}

/// Rows and their distance as searches know them that are compiled for neither: rows are measured by `joined`, and
/// compared before the last step.
struct ScannedRows {
    const std::byte* cells;
    std::size_t n, columns, row_bytes;
    RowDistances joined;
    double (*finish)(double joined, double p);
    double (*joined_at)(double radius, double p);
    bool slow_terms;
    double p;

    const std::byte* row(std::size_t i) const noexcept { return cells + i * row_bytes; }
    /// f of the first cell of row i, as what it is.
    template <class F>
    auto with_row(std::size_t i, F f) const {
        return row_bytes == columns * sizeof(float) ? f(reinterpret_cast<const float*>(row(i)))
                                                    : f(reinterpret_cast<const double*>(row(i)));
    }
};

template <class D, class T>
ScannedRows scanned(MatrixView<const T> rows, double p) noexcept {
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>);
    return {reinterpret_cast<const std::byte*>(rows.data()),
            rows.rows(),
            rows.columns(),
            rows.columns() * sizeof(T),
            row_distances<D, T>(),
            [](double joined, double power) { return D::finish(joined, power); },
            &joined_at<D>,
            slow_terms<D>,
            p};
}

/// Offer rows [begin, end) to `best`, which says how far is too far.
template <class Best>
void scan(const ScannedRows& rows, const double* query, std::size_t begin, std::size_t end, Best& best) {
    constexpr std::size_t block = 64;
    double found[block];
    for (std::size_t i = begin; i < end; i += block) {
        const std::size_t n = std::min(block, end - i);
        const double limit = best.limit();
        rows.joined(query, rows.row(i), n, rows.columns, rows.p, limit, found);
        for (std::size_t l = 0; l < n; ++l)
            if (found[l] <= limit)
                best.offer(found[l], static_cast<std::int64_t>(i + l));
    }
}

/// All rows that are not further than a limit, in the order in which they are offered.
class Inside {
public:
    explicit Inside(double limit) : limit_(limit) {}
    double limit() const { return limit_; }
    void offer(double distance, std::int64_t row) {
        if (distance <= limit_)
            found_.push_back({distance, row});
    }
    /// Nearest first.
    const std::vector<Found>& sorted() {
        std::sort(found_.begin(), found_.end());
        return found_;
    }

private:
    double limit_;
    std::vector<Found> found_;
};

} // namespace margin::neighbors
