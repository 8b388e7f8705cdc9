#pragma once
// The sums and products of sums.hpp for matrices that hold only the cells that are not 0.
#include "margin/data/csr.hpp"
#include "sums.hpp"
#include "table_rows.hpp"
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

namespace margin::bayes {

/// Sums by class over the stored cells; `lost` holds the weight of stored cells that are missing (NaN), and is empty if
/// there are none.
struct SparseSums {
    std::vector<double> sums, lost;
};

namespace detail {

/// Where to cut the rows into pieces of about as many stored cells. A piece has cells enough for clearing and adding up
/// a table of sums to be little beside the summing, unless that leaves all to one thread; the cuts never depend on the
/// number of threads.
template <class T, class Index>
std::vector<std::size_t> cut_rows(const data::Csr<T, Index>& x, std::size_t classes) {
    const auto stored = static_cast<std::size_t>(x.start[x.rows]);
    const std::size_t table = std::max<std::size_t>(classes * x.width, 1 << 14);
    const std::size_t pieces = std::clamp<std::size_t>(stored / (12 * table), stored >= table ? 2 : 1, 64);
    std::vector<std::size_t> cuts;
    for (std::size_t p = 0; p < pieces; ++p) {
        const auto least = static_cast<std::int64_t>(stored / pieces * p);
        cuts.push_back(static_cast<std::size_t>(std::lower_bound(x.start, x.start + x.rows, least) - x.start));
    }
    cuts.push_back(x.rows);
    return cuts;
}

/// Whether some cell is missing.
template <class T>
MARGIN_SIMD_LOOK bool any_missing(const T* values, std::size_t n) {
    data::detail::Count<T> missing = 0;
    for (std::size_t c = 0; c < n; ++c)
        missing += values[c] != values[c];
    return missing > 0;
}

/// Add rows to the sums of their classes; true if some cell is missing. The rows come as they lie in memory: sorted by
/// class, the sums would stay in the cache, but the rows would not come in time. A table beyond the cache is asked for
/// some rows ahead.
template <class T, class Index, class Value>
bool add_to_sums(const data::Csr<T, Index>& x, std::size_t begin, std::size_t end, const std::int32_t* y,
                 const double* w, std::size_t classes, Value value, double* sums, Monitor& monitor) {
    constexpr std::size_t strip = 64, ahead = 8;
    const bool large = classes * x.width * sizeof(double) > (1 << 20);
    const auto of_class = [=](std::size_t i) { return sums + static_cast<std::size_t>(y[i]) * x.width; };
    bool gaps = false;
    for (std::size_t top = begin; top < end; top += strip) {
        const std::size_t bottom = std::min(top + strip, end);
        if ((top - begin) % 4096 == 0)
            monitor.check();
        const bool whole =
            !any_missing(x.values + x.start[top], static_cast<std::size_t>(x.start[bottom] - x.start[top]));
        gaps |= !whole;
        for (std::size_t i = top; i < bottom; ++i) {
            if (large && i + ahead < end)
                for (std::int64_t c = x.start[i + ahead]; c < x.start[i + ahead + 1]; ++c)
                    __builtin_prefetch(of_class(i + ahead) + x.columns[c], 1);
            const double wi = w ? w[i] : 1.0;
            double* to = of_class(i);
            for (std::int64_t c = x.start[i]; c < x.start[i + 1]; ++c)
                if (whole || x.values[c] == x.values[c])
                    to[x.columns[c]] += value(x.values[c], wi);
        }
    }
    return gaps;
}

/// The weight of missing cells by class.
template <class T, class Index>
std::vector<double> lost_by_class(const data::Csr<T, Index>& x, const std::int32_t* y, const double* w,
                                  std::size_t classes, Monitor& monitor) {
    std::vector<double> lost(classes * x.width);
    for (std::size_t i = 0; i < x.rows; ++i) {
        if (i % 1024 == 0)
            monitor.check();
        double* of_class = lost.data() + static_cast<std::size_t>(y[i]) * x.width;
        for (auto c = static_cast<std::size_t>(x.start[i]); c < static_cast<std::size_t>(x.start[i + 1]); ++c)
            if (x.values[c] != x.values[c])
                of_class[x.columns[c]] += w ? w[i] : 1.0;
    }
    return lost;
}

} // namespace detail

/// Sums of value(x, w) over the stored cells of every column in every class; without weights (w null) every row counts
/// once. Requires a canonical matrix and y[i] in [0, classes), and with a threshold that this is not below 0.
/// O(stored + classes columns) time.
template <class T, class Index, class Value>
SparseSums sum_csr(const data::Csr<T, Index>& x, Value value, const std::int32_t* y, const double* w,
                   std::size_t classes, std::size_t n_threads, Monitor& monitor) {
    const std::vector<std::size_t> cuts = detail::cut_rows(x, classes);
    SparseSums found;
    std::atomic<bool> gaps = false;
    found.sums = reduce_in_order(
        cuts.size() - 1, 1, n_threads, monitor, [] { return std::vector<double>(); },
        [&](std::vector<double>& sums, std::size_t piece, std::size_t) {
            sums.resize(classes * x.width);
            if (detail::add_to_sums(x, cuts[piece], cuts[piece + 1], y, w, classes, value, sums.data(), monitor))
                gaps = true;
        },
        [](std::vector<double>& total, std::vector<double> part) {
            if (total.empty())
                return total.swap(part);
            for (std::size_t c = 0; c < total.size(); ++c)
                total[c] += part[c];
        });
    if (gaps)
        found.lost = detail::lost_by_class(x, y, w, classes, monitor);
    return found;
}

namespace detail {

/// Whether every cell is a number other than 0, as in nearly all rows.
template <class T>
MARGIN_INLINED bool all_count(const T* values, std::size_t n) {
    data::detail::Count<T> odd = 0;
    for (std::size_t c = 0; c < n; ++c)
        odd += !(values[c] < 0 || values[c] > 0);
    return odd == 0;
}

/// Ask for the rows of a table that a row of cells will pick, if the table is beyond the cache.
template <class T, class Index>
MARGIN_INLINED void foresee(const data::Csr<T, Index>& x, std::size_t row, std::size_t end, const double* table,
                            std::size_t classes) {
    constexpr std::size_t line = 64 / sizeof(double);
    if (row >= end || classes * x.width * sizeof(double) <= (1 << 20))
        return;
    for (std::int64_t c = x.start[row]; c < x.start[row + 1]; ++c)
        for (std::size_t k = 0; k < classes; k += line)
            __builtin_prefetch(table + static_cast<std::size_t>(x.columns[c]) * classes + k);
}

template <std::size_t Classes, class T, class Index>
MARGIN_SIMD_LOOK void add_csr_rows(const data::Csr<T, Index>& x, const double* table, const double* nothing,
                                   double* scores, std::size_t begin, std::size_t end, std::size_t classes) {
    for (std::size_t i = begin; i < end; ++i) {
        foresee(x, i + 1, end, table, classes);
        const T* values = x.values + x.start[i];
        const Index* columns = x.columns + x.start[i];
        const auto n = static_cast<std::size_t>(x.start[i + 1] - x.start[i]);
        const auto row = [=](std::size_t c) { return table + static_cast<std::size_t>(columns[c]) * classes; };
        const auto value = [=](std::size_t c) { return static_cast<double>(values[c]); };
        if (all_count(values, n)) {
            add_multiples_of_table<Classes>(scores + i * classes, n, classes, row, value);
        } else {
            const auto counts = [=](std::size_t c) { return values[c] < 0 || values[c] > 0; };
            add_multiples_of_table<Classes>(
                scores + i * classes, n, classes, [=](std::size_t c) { return counts(c) ? row(c) : nothing; },
                [=](std::size_t c) { return counts(c) ? value(c) : 0.0; });
        }
    }
}

template <std::size_t Classes, class T, class Index>
MARGIN_SIMD_LOOK void add_csr_rows_above(const data::Csr<T, Index>& x, double threshold, const double* table,
                                         const double* missing_table, const double* nothing, double* scores,
                                         std::size_t begin, std::size_t end, std::size_t classes) {
    for (std::size_t i = begin; i < end; ++i) {
        foresee(x, i + 1, end, table, classes);
        const T* values = x.values + x.start[i];
        const Index* columns = x.columns + x.start[i];
        add_rows_of_table<Classes>(scores + i * classes, static_cast<std::size_t>(x.start[i + 1] - x.start[i]), classes,
                                   [=](std::size_t c) {
                                       const auto cell = static_cast<double>(values[c]);
                                       const std::size_t at = static_cast<std::size_t>(columns[c]) * classes;
                                       if (cell > threshold)
                                           return table + at;
                                       return cell != cell && missing_table ? missing_table + at : nothing;
                                   });
    }
}

} // namespace detail

/// scores[i][k] += sum_j x_ij table_jk over the stored cells; one that is missing or 0 adds nothing, even where the
/// table holds minus infinity. O(stored classes) time.
template <class T, class Index>
void add_csr(const data::Csr<T, Index>& x, const double* table, double* scores, std::size_t classes,
             std::size_t n_threads, Monitor& monitor) {
    const std::vector<double> nothing(classes);
    parallel_for(x.rows, 512, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        detail::for_classes(classes, [&]<std::size_t Classes> {
            detail::add_csr_rows<Classes>(x, table, nothing.data(), scores, begin, end, classes);
        });
    });
}

/// scores[i][k] += table_jk for every stored cell above the threshold (>= 0), and missing_table_jk, if there is one, for
/// every stored cell that is missing. O(stored classes) time.
template <class T, class Index>
void add_csr_above(const data::Csr<T, Index>& x, double threshold, const double* table, const double* missing_table,
                   double* scores, std::size_t classes, std::size_t n_threads, Monitor& monitor) {
    const std::vector<double> nothing(classes);
    parallel_for(x.rows, 512, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        detail::for_classes(classes, [&]<std::size_t Classes> {
            detail::add_csr_rows_above<Classes>(x, threshold, table, missing_table, nothing.data(), scores, begin, end,
                                                classes);
        });
    });
}

} // namespace margin::bayes
