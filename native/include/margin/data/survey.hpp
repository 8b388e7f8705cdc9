#pragma once
// One look at a matrix: the range of each column, its missing cells, and the first cell that cannot be used.
#include "margin/core/simd.hpp"
#include "margin/core/threads.hpp"
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace margin::data {

/// Beyond every number of its kind: where the smallest and the largest of no cells at all begin.
template <class T>
constexpr T beyond() {
    return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
}
template <class T>
constexpr T below() {
    return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::min();
}

/// Smallest and largest number and number of missing cells (NaN) of each column; an empty column has low > high.
/// `bad` is the flat position of the first cell that is infinite or too large, -1 if there is none.
struct Survey {
    std::vector<double> low, high;
    std::vector<std::int64_t> missing;
    std::int64_t bad = -1;

    explicit Survey(std::size_t columns)
        : low(columns, beyond<double>()), high(columns, below<double>()), missing(columns) {}
};

namespace detail {

/// A count as wide as a cell, so that cells and counts fill vectors alike.
template <class T>
using Count = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

template <class T>
struct Ranges {
    std::vector<T> low, high;
    std::vector<Count<T>> missing;

    explicit Ranges(std::size_t width) : low(width, beyond<T>()), high(width, below<T>()), missing(width) {}
};

template <class T>
MARGIN_INLINED void widen(T cell, T& low, T& high, Count<T>& missing) {
    low = cell < low ? cell : low;
    high = cell > high ? cell : high;
    if constexpr (std::is_floating_point_v<T>)
        missing += cell != cell;
}

/// Four rows at a time, so that what is known of a column is read and written once for four cells.
template <class T>
MARGIN_SIMD_LOOK void widen_by_rows(const T* x, std::size_t rows, std::size_t width, T* __restrict low,
                                    T* __restrict high, Count<T>* __restrict missing) {
    std::size_t i = 0;
    for (; i + 4 <= rows; i += 4) {
        const T *a = x + i * width, *b = a + width, *c = b + width, *d = c + width;
        for (std::size_t j = 0; j < width; ++j) {
            T smallest = low[j], largest = high[j];
            Count<T> lost = missing[j];
            widen(a[j], smallest, largest, lost);
            widen(b[j], smallest, largest, lost);
            widen(c[j], smallest, largest, lost);
            widen(d[j], smallest, largest, lost);
            low[j] = smallest;
            high[j] = largest;
            missing[j] = lost;
        }
    }
    for (; i < rows; ++i)
        for (std::size_t j = 0; j < width; ++j)
            widen(x[i * width + j], low[j], high[j], missing[j]);
}

/// Several narrow rows are looked at as one wide one: a row of two cells would leave most of a vector empty.
template <class T>
void add_ranges(Survey& survey, const T* x, std::size_t rows, std::size_t columns) {
    constexpr std::size_t wide = 128 / sizeof(T);
    const std::size_t side_by_side = columns == 0 || columns >= wide ? 1 : wide / columns;
    const std::size_t width = columns * side_by_side, whole = rows / side_by_side;
    Ranges<T> found(width);
    widen_by_rows(x, whole, width, found.low.data(), found.high.data(), found.missing.data());
    widen_by_rows(x + whole * width, rows - whole * side_by_side, columns, found.low.data(), found.high.data(),
                  found.missing.data());
    if (rows == 0)
        return;
    for (std::size_t place = 0, j = 0; place < width; ++place, j = j + 1 == columns ? 0 : j + 1) {
        const bool seen = found.low[place] <= found.high[place];
        survey.low[j] = std::min(survey.low[j], seen ? static_cast<double>(found.low[place]) : beyond<double>());
        survey.high[j] = std::max(survey.high[j], seen ? static_cast<double>(found.high[place]) : below<double>());
        survey.missing[j] += found.missing[place];
    }
}

} // namespace detail

/// Where the first cell is that is infinite or larger than `largest` (finite), given the ranges of all columns.
template <class T>
std::int64_t first_unusable(const Survey& found, const T* x, std::size_t rows, std::size_t columns, T largest) {
    if constexpr (std::is_floating_point_v<T>) {
        bool bad = false;
        for (std::size_t j = 0; j < columns; ++j)
            bad |= found.low[j] < -static_cast<double>(largest) || found.high[j] > static_cast<double>(largest);
        for (std::size_t at = 0; bad && at < rows * columns; ++at)
            if (std::abs(x[at]) > largest)
                return static_cast<std::int64_t>(at);
    }
    return -1;
}

inline void merge(Survey& total, const Survey& part) {
    for (std::size_t j = 0; j < total.low.size(); ++j) {
        total.low[j] = std::min(total.low[j], part.low[j]);
        total.high[j] = std::max(total.high[j], part.high[j]);
        total.missing[j] += part.missing[j];
    }
}

/// Rows that make about `cells` cells, at least one.
inline std::size_t rows_of(std::size_t cells, std::size_t columns) {
    return std::max<std::size_t>(cells / std::max<std::size_t>(columns, 1), 1);
}

/// Survey a row-major matrix in one pass. Cells above `largest` in magnitude are bad, unless they are whole numbers of
/// a type that has no others. O(rows columns) time.
template <class T>
Survey survey(const T* x, std::size_t rows, std::size_t columns, T largest, std::size_t n_threads, Monitor& monitor) {
    const std::size_t block = rows_of(1 << 16, columns);
    Survey found(columns);
    if (rows <= block) // a single row to answer: no need to bring blocks together
        detail::add_ranges(found, x, rows, columns);
    else
        found = reduce_in_order(
            rows, block, n_threads, monitor, [=] { return Survey(columns); },
            [=](Survey& part, std::size_t begin, std::size_t end) {
                detail::add_ranges(part, x + begin * columns, end - begin, columns);
            },
            [](Survey& total, const Survey& part) { merge(total, part); });
    found.bad = first_unusable(found, x, rows, columns, largest);
    return found;
}

} // namespace margin::data
