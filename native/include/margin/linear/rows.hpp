#pragma once
// Rows that are looked at one by one, dense or sparse, against weights of double precision.
//
// A product of a row with weights is defined as eight running sums, column j in sum j mod 8, joined by halves.
// Dense and sparse rows follow it alike, so that a matrix gives the same bits however it is stored.
#include "margin/core/simd.hpp"
#include "margin/data/csr.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace margin::linear {

constexpr std::size_t lanes = 8;

namespace detail {

MARGIN_INLINED double joined(const double* sums) noexcept {
    const double a = sums[0] + sums[4], b = sums[1] + sums[5], c = sums[2] + sums[6], d = sums[3] + sums[7];
    return (a + c) + (b + d);
}

} // namespace detail

/// Weights are kept in rows of this length, the cells beyond the width always 0: rows are read eight cells at a time.
constexpr std::size_t padded(std::size_t width) noexcept { return (width + lanes - 1) / lanes * lanes; }

/// Rows of floats, one after another. The last ones are copied to where up to seven cells beyond them may be read;
/// what is read there is finite, and meets a weight of 0.
template <class T>
class DenseRows {
public:
    DenseRows(const T* cells, std::size_t rows, std::size_t width)
        : cells_(cells), width_(width), first_copied_(rows - std::min(rows, lanes)) {
        last_.assign(cells + first_copied_ * width, cells + rows * width);
        last_.resize(last_.size() + lanes);
    }

    std::size_t width() const noexcept { return width_; }

    /// x_i . w; requires w padded.
    MARGIN_INLINED double dot(std::size_t i, const double* w) const noexcept {
        const T* x = row(i);
        double sums[lanes];
        for (std::size_t j = 0; j < lanes; ++j)
            sums[j] = static_cast<double>(x[j]) * w[j];
        for (std::size_t first = lanes; first < width_; first += lanes)
            for (std::size_t j = 0; j < lanes; ++j)
                sums[j] += static_cast<double>(x[first + j]) * w[first + j];
        return detail::joined(sums);
    }

    /// w += factor x_i
    MARGIN_INLINED void add(std::size_t i, double factor, double* w) const noexcept {
        const T* x = row(i);
        for (std::size_t j = 0; j < width_; ++j)
            w[j] += factor * static_cast<double>(x[j]);
    }

    /// visit(j) for each column that the row may hold something in.
    template <class Visit>
    MARGIN_INLINED void for_each_column(std::size_t, Visit&& visit) const noexcept {
        for (std::size_t j = 0; j < width_; ++j)
            visit(j);
    }

    /// Ask for the row's memory, which will be needed soon.
    MARGIN_INLINED void fetch(std::size_t i) const noexcept {
        // What is read beyond the row counts too: a cell of it alone would keep the product waiting.
        const char* first = reinterpret_cast<const char*>(cells_ + i * width_);
        const std::size_t bytes = padded(width_) * sizeof(T);
        for (std::size_t at = 0; at < bytes; at += 64)
            __builtin_prefetch(first + at);
        __builtin_prefetch(first + bytes - 1);
    }

private:
    MARGIN_INLINED const T* row(std::size_t i) const noexcept {
        return i < first_copied_ ? cells_ + i * width_ : last_.data() + (i - first_copied_) * width_;
    }

    const T* cells_;
    std::size_t width_, first_copied_;
    std::vector<T> last_;
};

/// The same for rows of which only the cells that are not 0 are stored.
template <class T, class Index>
struct SparseRows {
    data::Csr<T, Index> matrix;

    std::size_t width() const noexcept { return matrix.width; }

    MARGIN_INLINED double dot(std::size_t i, const double* w) const noexcept {
        double sums[lanes] = {};
        const auto end = static_cast<std::size_t>(matrix.start[i + 1]);
        for (auto c = static_cast<std::size_t>(matrix.start[i]); c < end; ++c) {
            const auto j = static_cast<std::size_t>(matrix.columns[c]);
            sums[j % lanes] += static_cast<double>(matrix.values[c]) * w[j];
        }
        return detail::joined(sums);
    }

    MARGIN_INLINED void add(std::size_t i, double factor, double* w) const noexcept {
        const auto end = static_cast<std::size_t>(matrix.start[i + 1]);
        for (auto c = static_cast<std::size_t>(matrix.start[i]); c < end; ++c)
            w[matrix.columns[c]] += factor * static_cast<double>(matrix.values[c]);
    }

    template <class Visit>
    MARGIN_INLINED void for_each_column(std::size_t i, Visit&& visit) const noexcept {
        const auto end = static_cast<std::size_t>(matrix.start[i + 1]);
        for (auto c = static_cast<std::size_t>(matrix.start[i]); c < end; ++c)
            visit(static_cast<std::size_t>(matrix.columns[c]));
    }

    MARGIN_INLINED void fetch(std::size_t i) const noexcept {
        const auto begin = static_cast<std::size_t>(matrix.start[i]),
                   end = static_cast<std::size_t>(matrix.start[i + 1]);
        for (std::size_t c = begin; c < end; c += 64 / sizeof(T))
            __builtin_prefetch(matrix.values + c);
        for (std::size_t c = begin; c < end; c += 64 / sizeof(Index))
            __builtin_prefetch(matrix.columns + c);
    }
};

/// The rows of a pass: one after another, or in the order of `at`, in which a row may stand several times.
struct Visits {
    const std::uint32_t* at = nullptr; // null: rows 0, 1, …
    std::size_t n = 0;

    MARGIN_INLINED std::size_t operator[](std::size_t v) const noexcept { return at ? at[v] : v; }
};

/// Rows between two looks at the monitor: far less than 100 ms of work.
inline std::size_t rows_per_chunk(std::size_t width, std::size_t n_scores) noexcept {
    return std::clamp<std::size_t>((std::size_t{1} << 23) / ((width + 1) * n_scores), 1, 4096);
}

/// Rows further on whose memory is asked for while one is worked on; the machine itself foresees only rows in order.
constexpr std::size_t fetch_ahead = 12;

template <class Rows>
MARGIN_INLINED void fetch_later(const Rows& rows, const std::int32_t* y, const Visits& visits, std::size_t v) noexcept {
    if (visits.at && v + fetch_ahead < visits.n) {
        const std::size_t later = visits.at[v + fetch_ahead];
        rows.fetch(later);
        __builtin_prefetch(y + later);
    }
}

} // namespace margin::linear
