#pragma once
// Matrices that hold only the cells that are not 0, row by row (compressed sparse rows).
#include "survey.hpp"
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace margin::data {

/// The stored cells of row i are values[start[i] .. start[i + 1]), in the columns columns[start[i] .. start[i + 1]).
template <class T, class Index>
struct Csr {
    const T* values = nullptr;
    const Index* columns = nullptr;
    const std::int64_t* start = nullptr;
    std::size_t rows = 0;
    std::size_t width = 0; // columns of the matrix
};

enum class CsrState { canonical = 0, unordered = 1, damaged = 2, unusable = 3 };

struct CsrSurvey {
    CsrState state = CsrState::canonical;
    std::int64_t at = -1; // the first damaged row, or the place of the first unusable cell
    bool missing = false, negative = false;
};

namespace detail {

constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::max();

struct CsrFindings {
    std::int64_t damaged = nowhere, unusable = nowhere;
    bool unordered = false, missing = false, negative = false;

    void merge(const CsrFindings& other) {
        damaged = std::min(damaged, other.damaged);
        unusable = std::min(unusable, other.unusable);
        unordered |= other.unordered;
        missing |= other.missing;
        negative |= other.negative;
    }
};

/// Whether the columns of a row are all there, and ascend.
struct ColumnsOfRow {
    bool inside, ordered;
};

template <class Index>
MARGIN_SIMD_LOOK ColumnsOfRow look_at_columns(const Index* columns, std::size_t n, std::size_t width) {
    // As wide as an index, so that both fill vectors alike. A negative column is beyond every width.
    using Unsigned = std::make_unsigned_t<Index>;
    const std::size_t most = static_cast<std::size_t>(std::numeric_limits<Index>::max()) + 1;
    const auto beyond = static_cast<Unsigned>(std::min(width, most));
    Index outside = 0, disorder = 0;
    for (std::size_t c = 0; c < n; ++c)
        outside += static_cast<Unsigned>(columns[c]) >= beyond;
    for (std::size_t c = 1; c < n; ++c)
        disorder += columns[c] <= columns[c - 1];
    return {outside == 0, disorder == 0};
}

template <class T>
MARGIN_SIMD_LOOK void look_at_values(const T* values, std::size_t begin, std::size_t end, T largest,
                                     CsrFindings& found) {
    Count<T> bad = 0, missing = 0, negative = 0;
    for (std::size_t c = begin; c < end; ++c) {
        const T value = values[c];
        bad += std::abs(value) > largest;
        missing += value != value;
        negative += value < 0;
    }
    found.missing |= missing > 0;
    found.negative |= negative > 0;
    for (std::size_t c = begin; bad > 0 && c < end; ++c)
        if (std::abs(values[c]) > largest) {
            found.unusable = std::min(found.unusable, static_cast<std::int64_t>(c));
            return;
        }
}

/// Rows [begin, end) of a matrix with so many stored cells.
template <class T, class Index>
void look_at_rows(const Csr<T, Index>& x, std::size_t stored, std::size_t begin, std::size_t end, T largest,
                  CsrFindings& found) {
    for (std::size_t i = begin; i < end; ++i) {
        const auto first = static_cast<std::size_t>(x.start[i]), last = static_cast<std::size_t>(x.start[i + 1]);
        if (first > last || last > stored) { // a negative start is beyond every number of cells
            found.damaged = std::min(found.damaged, static_cast<std::int64_t>(i));
            return;
        }
        const ColumnsOfRow row = look_at_columns(x.columns + first, last - first, x.width);
        found.unordered |= !row.ordered;
        if (!row.inside) {
            found.damaged = std::min(found.damaged, static_cast<std::int64_t>(i));
            return;
        }
    }
    look_at_values(x.values, static_cast<std::size_t>(x.start[begin]), static_cast<std::size_t>(x.start[end]), largest,
                   found);
}

} // namespace detail

/// Whether a matrix can be used as it is. Canonical: start begins with 0, never falls and ends with the number of
/// stored cells, and the columns of each row are there and ascend strictly. Nothing is read outside of `x.start`
/// [0, rows], and `stored` cells, whatever they hold. A cell is unusable if it is infinite or above `largest`, which
/// must be finite. O(rows + stored) time.
template <class T, class Index>
CsrSurvey survey(const Csr<T, Index>& x, std::size_t stored, T largest, std::size_t n_threads, Monitor& monitor) {
    detail::CsrFindings found = reduce_in_order(
        x.rows, 1024, n_threads, monitor, [] { return detail::CsrFindings{}; },
        [&](detail::CsrFindings& part, std::size_t begin, std::size_t end) {
            detail::look_at_rows(x, stored, begin, end, largest, part);
        },
        [](detail::CsrFindings& total, const detail::CsrFindings& part) { total.merge(part); });
    if (static_cast<std::size_t>(x.start[0]) != 0)
        found.damaged = 0;
    if (static_cast<std::size_t>(x.start[x.rows]) != stored)
        found.damaged = std::min(found.damaged, static_cast<std::int64_t>(x.rows > 0 ? x.rows - 1 : 0));
    CsrSurvey answer{CsrState::canonical, -1, found.missing, found.negative};
    if (found.damaged != detail::nowhere)
        answer.state = CsrState::damaged, answer.at = found.damaged;
    else if (found.unusable != detail::nowhere)
        answer.state = CsrState::unusable, answer.at = found.unusable;
    else if (found.unordered)
        answer.state = CsrState::unordered;
    return answer;
}

} // namespace margin::data
