#pragma once
// What an index of mixed rows has to know of each column, and the coarse cells it sorts and sifts rows by.
#include "margin/core/threads.hpp"
#include "margin/core/views.hpp"
#include "mixed.hpp"
#include <algorithm>
#include <vector>

namespace margin::neighbors {

// A coarse cell is a byte. Numbers: the number of the step of equal length they fall into, 0 … last_step, those
// outside of the steps being brought to the first or last one. Two cells in steps a and b are then at least |a - b| - 1
// steps apart, up to rounding. Categories: a remainder, so that different remainders are different categories.
using coarse_t = std::uint8_t;
inline constexpr coarse_t missing_cell = 255;
inline constexpr int last_step = 254;

inline coarse_t coarse(const NumberColumn& column, double cell) {
    if (std::isnan(cell))
        return missing_cell;
    if (column.steps == 0)
        return cell == column.low ? 0 : last_step;
    const double step = (cell - column.low) * column.steps;
    return step >= last_step ? last_step : step > 0 ? static_cast<coarse_t>(step) : 0;
}

inline coarse_t coarse(std::int32_t code) { return code < 0 ? missing_cell : static_cast<coarse_t>(code % 255); }

inline double shifted(const NumberColumn& column, double cell) {
    return column.shift == 0 ? cell : std::ldexp(cell, static_cast<int>(column.shift));
}

/// The part of a column that the coarse steps divide, from a sorted sample of its cells: all of it, unless few cells lie
/// so far out that all others would fall into a handful of steps.
inline std::pair<double, double> span_of_steps(const std::vector<double>& sample, double least, double most) {
    const double low = sample[sample.size() / 20], high = sample[sample.size() - 1 - sample.size() / 20];
    const double bulk = high - low;
    if (bulk <= 1e-9 * (most - least))
        return {least, most};
    return {std::max(least, low - bulk), std::min(most, high + bulk)};
}

/// The columns of numbers of row-major rows; a column without any cell counts as one of zeros.
template <class M>
NumberColumn number_column(MatrixView<const double> rows, std::size_t j, double weight) {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    bool misses = false;
    for (std::size_t i = 0; i < rows.rows(); ++i) {
        const double cell = rows(i, j);
        misses |= std::isnan(cell);
        least = cell < least ? cell : least;
        most = cell > most ? cell : most;
    }
    if (!(least < most)) {
        const double only = least == most ? least : 0;
        return {weight, 0, std::numeric_limits<double>::denorm_min(), 1, only, 0, 1, misses ? 1.0 : 0.0};
    }
    const double half = most / 2 - least / 2; // the range itself may overflow
    const bool extreme = !(half > 0x1p-500 && half < 0x1p500);
    const double shift = !extreme ? 0 : half > 0 ? -std::ilogb(half) : 1074;
    NumberColumn column{weight, shift, 0, std::numeric_limits<double>::infinity(), 0, 0, 0, misses ? 1.0 : 0.0};
    least = shifted(column, least), most = shifted(column, most);
    column.range = most - least;
    std::vector<double> sample;
    const std::size_t stride = std::max<std::size_t>(rows.rows() / 1024, 1);
    for (std::size_t i = 0; i < rows.rows(); i += stride)
        if (!std::isnan(rows(i, j)))
            sample.push_back(shifted(column, rows(i, j)));
    if (sample.empty())
        sample = {least, most};
    std::sort(sample.begin(), sample.end());
    const auto [low, high] = span_of_steps(sample, least, most);
    column.low = low;
    column.steps = last_step / (high - low);
    column.reach = (high - low) / column.range;
    return column;
}

inline NominalColumn nominal_column(MatrixView<const std::int32_t> rows, std::size_t j, double weight) {
    bool misses = false;
    for (std::size_t i = 0; i < rows.rows(); ++i)
        misses |= rows(i, j) < 0;
    return {weight, misses ? 1.0 : 0.0};
}

/// The coarse cells of all rows, row by row: the numbers, then the categories.
inline std::vector<coarse_t> coarse_rows(std::span<const NumberColumn> numeric, MatrixView<const double> numbers,
                                         MatrixView<const std::int32_t> codes, std::size_t n_threads,
                                         Monitor& monitor) {
    const std::size_t p = numbers.columns(), width = p + codes.columns();
    std::vector<coarse_t> cells(numbers.rows() * width);
    parallel_for(numbers.rows(), 4096, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t i = begin; i < end; ++i) {
            coarse_t* row = cells.data() + i * width;
            for (std::size_t j = 0; j < p; ++j)
                row[j] = coarse(numeric[j], shifted(numeric[j], numbers(i, j)));
            for (std::size_t j = 0; j < codes.columns(); ++j)
                row[p + j] = coarse(codes(i, j));
        }
    });
    return cells;
}

} // namespace margin::neighbors
