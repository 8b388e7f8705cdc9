#pragma once
// Rows of which only the cells that are not 0 are stored, and some of them spread out for products with all others.
#include "kernel_apply.hpp"
#include "kernel_products.hpp"
#include "margin/data/csr.hpp"
#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>
#include <vector>

namespace margin::svm {

/// Stored rows with their squared lengths, which belong to someone else.
template <class T>
struct CsrView {
    StoredRows<T> stored;
    const T* squares;
    std::size_t size, width;

    std::size_t cells_per_row() const noexcept { return size == 0 ? 0 : stored.start[size] / size; }
};

template <class T>
class CsrPanel;

/// Stored rows in T, scaled as the kernel wants them, with their squared lengths.
template <class T>
class CsrRows {
public:
    /// Requires ascending columns in each row and fewer than 2^32 columns.
    template <class X, class Index>
    CsrRows(const data::Csr<X, Index>& x, const Kernel& kernel)
        : values_(static_cast<std::size_t>(x.start[x.rows])), columns_(x.columns, x.columns + values_.size()),
          start_(x.start, x.start + x.rows + 1), squares_(x.rows), width_(x.width) {
        const Placing<T> placing(kernel);
        for (std::size_t i = 0; i < values_.size(); ++i)
            values_[i] = placing(static_cast<double>(x.values[i]));
        measure();
    }

    std::size_t size() const noexcept { return squares_.size(); }
    CsrView<T> view() const noexcept {
        return {{values_.data(), columns_.data(), start_.data()}, squares_.data(), size(), width_};
    }

    /// Values, columns, starts and squared lengths, for someone else to keep; leaves nothing.
    auto release() {
        return std::tuple(std::move(values_), std::move(columns_), std::move(start_), std::move(squares_));
    }

private:
    /// Squared lengths as products of rows with themselves: in a loop of their own they might be rounded otherwise.
    void measure() {
        CsrPanel<T> panel;
        std::vector<T> products(spread_rows<T> * spread_rows<T>);
        for (std::size_t first = 0; first < size(); first += spread_rows<T>) {
            std::vector<std::uint32_t> rows(std::min(spread_rows<T>, size() - first));
            std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(first));
            panel.spread(view(), rows);
            panel.multiply(view().stored, rows, products.data());
            for (std::size_t i = 0; i < rows.size(); ++i)
                squares_[first + i] = products[i * spread_rows<T> + i];
        }
    }

    std::vector<T> values_;
    std::vector<std::uint32_t> columns_;
    std::vector<std::size_t> start_;
    std::vector<T> squares_;
    std::size_t width_;
};

/// Up to spread_rows stored rows side by side, with a line for each column that one of them has.
template <class T>
class CsrPanel {
public:
    /// Let these rows stand in the panel in place of those that did. O(stored cells of both + cells of lines) time.
    void spread(const CsrView<T>& x, std::span<const std::uint32_t> rows) {
        const StoredRows<T> stored = x.stored;
        line_of_.resize(x.width);
        for (const std::uint32_t column : used_)
            line_of_[column] = 0;
        std::size_t most = 0;
        for (const std::uint32_t row : rows)
            most += stored.start[row + 1] - stored.start[row];
        used_.resize(std::min(most, x.width));
        cells_.resize(std::max(cells_.size(), (used_.size() + 1) * spread_rows<T>));
        squares_.assign(spread_rows<T>, 0);
        std::size_t n_used = 0; // line 0 is that of all columns that nobody has
        for (std::size_t lane = 0; lane < rows.size(); ++lane) {
            squares_[lane] = x.squares[rows[lane]];
            for (std::size_t i = stored.start[rows[lane]]; i < stored.start[rows[lane] + 1]; ++i) {
                auto& line = line_of_[stored.columns[i]];
                if (line == 0) {
                    used_[n_used++] = stored.columns[i];
                    line = static_cast<std::uint32_t>(n_used * spread_rows<T>);
                    std::fill_n(cells_.data() + line, spread_rows<T>, T(0));
                }
                cells_[line + lane] = stored.values[i];
            }
        }
        used_.resize(n_used);
    }

    /// out[r * spread_rows + lane] = row rows[r] of x · row of that lane.
    void multiply(const StoredRows<T>& x, std::span<const std::uint32_t> rows, T* out) const {
        multiply_stored_rows(x, rows.data(), rows.size(), line_of_.data(), cells_.data(), out);
    }

    const T* squares() const noexcept { return squares_.data(); }

private:
    std::vector<std::uint32_t> line_of_, used_;
    std::vector<T> cells_, squares_;
};

} // namespace margin::svm
