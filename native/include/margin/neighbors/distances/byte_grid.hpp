#pragma once
// Where the bytes of rounded rows stand: which columns, around what, in what steps.
#include "coarse_kernels.hpp"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace margin::neighbors {

/// Cell a of column columns[i] is (a - centre[i]) * per_step.
struct Grid {
    std::vector<std::uint32_t> columns;
    std::vector<double> centre;
    double per_step = 0; // 0: there is no such grid, look at every row
};

namespace detail {

/// Up to 256 rows from all over, column by column: cell i of column j is cells[j * n + i].
struct Sample {
    std::size_t n, columns;
    std::vector<double> cells;

    double* column(std::size_t j) { return cells.data() + j * n; }
};

template <class T>
Sample take_sample(const T* rows, std::size_t n, std::size_t columns) {
    const std::size_t most = std::clamp<std::size_t>((std::size_t(1) << 18) / columns, 16, 256);
    Sample sample{std::min(n, most), columns, {}};
    sample.cells.resize(sample.n * columns);
    for (std::size_t i = 0; i < sample.n; ++i)
        for (std::size_t j = 0; j < columns; ++j)
            sample.column(j)[i] = static_cast<double>(rows[i * n / sample.n * columns + j]);
    return sample;
}

/// Take its middle value from each column (a mean would follow the far ones), and leave sizes: |a - centre|.
inline std::vector<double> centre(Sample& sample) {
    std::vector<double> centre(sample.columns), sorted(sample.n);
    for (std::size_t j = 0; j < sample.columns; ++j) {
        double* cells = sample.column(j);
        std::copy_n(cells, sample.n, sorted.begin());
        const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sample.n / 2);
        std::nth_element(sorted.begin(), middle, sorted.end());
        centre[j] = *middle;
        for (std::size_t i = 0; i < sample.n; ++i)
            cells[i] = std::abs(cells[i] - *middle);
    }
    return centre;
}

/// Leave out rows that reach four times as far as nine tenths of the others: a few far rows have no say in the steps.
inline void keep_ordinary_rows(Sample& sample) {
    std::vector<double> reach(sample.n);
    for (std::size_t j = 0; j < sample.columns; ++j)
        for (std::size_t i = 0; i < sample.n; ++i)
            reach[i] = std::max(reach[i], sample.column(j)[i]);
    std::vector<double> sorted = reach;
    const auto high = sorted.begin() + static_cast<std::ptrdiff_t>(sample.n * 9 / 10);
    std::nth_element(sorted.begin(), high, sorted.end());
    const double ordinary = 4 * *high;
    std::size_t to = 0;
    for (std::size_t j = 0; j < sample.columns; ++j)
        for (std::size_t i = 0; i < sample.n; ++i)
            if (reach[i] <= ordinary)
                sample.cells[to++] = sample.column(j)[i];
    sample.cells.resize(to);
    sample.n = to / sample.columns;
}

/// The columns that matter: the others have less than an eighth of the mean spread, and all together
/// a fiftieth of the whole (nothing, for largest differences). Leaving out columns brings no two points further apart, so that this costs only a little sharpness.
template <class C>
std::vector<std::uint32_t> spread_columns(Sample& sample, double top) {
    std::vector<double> spread(sample.columns);
    for (std::size_t j = 0; j < sample.columns; ++j)
        for (std::size_t i = 0; i < sample.n; ++i) {
            const double size = sample.column(j)[i] / top;
            spread[j] += C::squared ? size * size : size;
        }
    std::vector<std::uint32_t> order(sample.columns);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return spread[a] > spread[b]; });
    const double all = std::accumulate(spread.begin(), spread.end(), 0.0);
    double left = 0;
    std::size_t n = sample.columns;
    for (; n > 1; --n) {
        const double least = spread[order[n - 1]];
        left += least;
        if (left > C::may_leave_out * all || least * 8 * static_cast<double>(sample.columns) > all)
            break;
    }
    order.resize(std::min(sample.columns, padded_columns(n)));
    if (!C::most_spread_first) // as they stand in memory
        std::sort(order.begin(), order.end());
    return order;
}

/// The range that nearly all of the spread lies in: what reaches beyond it is at most 1/1500 of the sum of squares, so
/// that clamping costs less than the finer steps gain.
inline double useful_range(const std::vector<double>& sizes, double top) {
    const auto lost = [&](double range) {
        double sum = 0;
        for (const double size : sizes) {
            const double beyond = std::max(0.0, size - range) / top;
            sum += beyond * beyond;
        }
        return sum;
    };
    const double bearable = lost(0) / 1500;
    double range = top;
    while (lost(0.9 * range) < bearable)
        range *= 0.9;
    return range;
}

} // namespace detail

/// A grid for these rows, from a sample of them. Any grid is right; a good one lets few rows pass.
/// About 256 columns (log 256 + 20) operations.
template <class C, class T>
Grid choose_grid(const T* rows, std::size_t n, std::size_t columns) {
    detail::Sample sample = detail::take_sample(rows, n, columns);
    const std::vector<double> centre = detail::centre(sample);
    detail::keep_ordinary_rows(sample);
    const double top = *std::max_element(sample.cells.begin(), sample.cells.end());
    // Within these bounds neither steps nor squares of distances over- or underflow where it would matter.
    if (!(top > 1e-110 && top < 1e152))
        return {};
    Grid grid{detail::spread_columns<C>(sample, top), {}, 0};
    for (const std::uint32_t j : grid.columns)
        grid.centre.push_back(centre[j]);
    const double step = detail::useful_range(sample.cells, top) / C::half;
    // Whole numbers, and tables of few values, fall on the grid itself if its step is a power of two: no roundings.
    const double whole = std::exp2(std::ceil(std::log2(step)));
    const bool falls_on = std::all_of(sample.cells.begin(), sample.cells.end(),
                                      [whole](double size) { return size / whole == std::floor(size / whole); });
    grid.per_step = 1 / (falls_on ? whole : step);
    return grid;
}

} // namespace margin::neighbors
