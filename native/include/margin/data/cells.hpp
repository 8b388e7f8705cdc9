#pragma once
// First looks at a matrix: cells that cannot be used, the range of each column, its moments class by class.
#include "margin/core/threads.hpp"
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace margin::data {

constexpr std::int64_t clean = -1;
constexpr std::int64_t clean_but_missing = -2;

/// Whether a matrix of `n` cells can be used: the flat position of the first cell that is infinite or larger than
/// `largest` in magnitude; else `clean`, or `clean_but_missing` if some cells are NaN. O(n) time.
template <class T>
std::int64_t inspect(const T* cells, std::size_t n, T largest, std::size_t n_threads, Monitor& monitor) {
    constexpr std::size_t block = 1 << 15;
    struct Found {
        bool missing = false, bad = false;
    };
    const auto look = [=](Found& found, std::size_t begin, std::size_t end) {
        // NaN compares as false, so a NaN is neither small nor large: count both sides and look at the rest.
        std::size_t small = 0, large = 0;
        for (std::size_t i = begin; i < end; ++i) {
            const T magnitude = std::abs(cells[i]);
            small += magnitude <= largest;
            large += magnitude > largest;
        }
        found.bad |= large > 0;
        found.missing |= small + large < end - begin;
    };
    Found found;
    if (n <= block)
        look(found, 0, n);
    else
        found = reduce_in_order(
            n, block, n_threads, monitor, [] { return Found{}; }, look,
            [](Found& total, Found part) {
                total.bad |= part.bad;
                total.missing |= part.missing;
            });
    if (!found.bad)
        return found.missing ? clean_but_missing : clean;
    for (std::size_t i = 0;; ++i)
        if (std::abs(cells[i]) > largest)
            return static_cast<std::int64_t>(i);
}

/// Smallest and largest number of each column; NaN cells are left out (an empty column has low > high).
struct Ranges {
    std::vector<double> low, high;

    explicit Ranges(std::size_t columns)
        : low(columns, std::numeric_limits<double>::infinity()), high(columns, -std::numeric_limits<double>::infinity()) {}

    void add(const double* row) {
        for (std::size_t j = 0; j < low.size(); ++j) {
            low[j] = row[j] < low[j] ? row[j] : low[j];
            high[j] = row[j] > high[j] ? row[j] : high[j];
        }
    }
    void merge(const Ranges& other) {
        for (std::size_t j = 0; j < low.size(); ++j) {
            low[j] = std::min(low[j], other.low[j]);
            high[j] = std::max(high[j], other.high[j]);
        }
    }
};

inline Ranges ranges(const double* cells, std::size_t rows, std::size_t columns, std::size_t n_threads,
                     Monitor& monitor) {
    return reduce_in_order(
        rows, 2048, n_threads, monitor, [=] { return Ranges(columns); },
        [=](Ranges& part, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                part.add(cells + i * columns);
        },
        [](Ranges& total, Ranges part) { total.merge(part); });
}

/// Weighted moments of every column within every class, over the cells that are there. Class k, column j stands at
/// k * columns + j. weight = sum w, weight2 = sum w^2, mean = sum w x / sum w, m2 = sum w (x - mean)^2.
struct Moments {
    std::size_t columns = 0;
    std::vector<double> weight, weight2, mean, m2;

    Moments() = default;
    Moments(std::size_t classes, std::size_t columns_)
        : columns(columns_), weight(classes * columns_), weight2(classes * columns_), mean(classes * columns_),
          m2(classes * columns_) {}

    /// Chan, Golub, LeVeque (1979): two groups' moments give those of both together.
    void merge(const Moments& other) {
        for (std::size_t c = 0; c < weight.size(); ++c) {
            if (other.weight[c] == 0)
                continue;
            const double total = weight[c] + other.weight[c];
            const double shift = other.mean[c] - mean[c];
            const double share = other.weight[c] / total;
            mean[c] += shift * share;
            m2[c] += other.m2[c] + shift * shift * share * weight[c];
            weight[c] = total;
            weight2[c] += other.weight2[c];
        }
    }
};

/// Moments of a row-major matrix by class. Requires y[i] in [0, classes), w[i] > 0.
/// One pass over memory: each block of rows is summed and then, still in the cache, summed again around its means, so
/// that no digits are lost to large means. O(rows columns) time, O(classes columns) memory per thread.
inline Moments moments(const double* cells, const std::int32_t* y, const double* w, std::size_t rows,
                       std::size_t columns, std::size_t classes, std::size_t n_threads, Monitor& monitor) {
    const std::size_t block = std::max<std::size_t>(512, 4 * classes);
    return reduce_in_order(
        rows, block, n_threads, monitor, [=] { return Moments(classes, columns); },
        [=](Moments& part, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const double* x = cells + i * columns;
                const std::size_t at = static_cast<std::size_t>(y[i]) * columns;
                double* weight = part.weight.data() + at;
                double* weight2 = part.weight2.data() + at;
                double* sum = part.mean.data() + at;
                const double wi = w[i];
                for (std::size_t j = 0; j < columns; ++j) {
                    const double there = x[j] == x[j] ? wi : 0.0;
                    weight[j] += there;
                    weight2[j] += there * wi;
                    sum[j] += x[j] == x[j] ? wi * x[j] : 0.0;
                }
            }
            for (std::size_t c = 0; c < part.mean.size(); ++c)
                part.mean[c] = part.weight[c] > 0 ? part.mean[c] / part.weight[c] : 0.0;
            for (std::size_t i = begin; i < end; ++i) {
                const double* x = cells + i * columns;
                const std::size_t at = static_cast<std::size_t>(y[i]) * columns;
                const double* mean = part.mean.data() + at;
                double* m2 = part.m2.data() + at;
                for (std::size_t j = 0; j < columns; ++j) {
                    const double d = x[j] == x[j] ? x[j] - mean[j] : 0.0;
                    m2[j] += w[i] * d * d;
                }
            }
        },
        [](Moments& total, Moments part) { total.merge(part); });
}

} // namespace margin::data
