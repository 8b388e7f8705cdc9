#pragma once
// Sparse rows that are visited one by one in random order: products with weights, and sums into them.
#include "margin/linear/rows.hpp"
#include "margin/linear/sparse/sparse_rows.hpp"

namespace margin::svm {

/// As linear::SparseRows, with the cells of a row summed up in the order they are stored, four sums at a time: quicker,
/// where nobody asks for the bits of a dense matrix.
template <class T, class Index>
struct StoredRows {
    data::Csr<T, Index> matrix;

    std::size_t width() const noexcept { return matrix.width; }

    MARGIN_INLINED double dot(std::size_t i, const double* w) const noexcept {
        const auto first = static_cast<std::size_t>(matrix.start[i]);
        return linear::detail::gather(matrix.values + first, matrix.columns + first,
                                      static_cast<std::size_t>(matrix.start[i + 1]) - first, w);
    }

    MARGIN_INLINED void add(std::size_t i, double factor, double* w) const noexcept {
        const auto first = static_cast<std::size_t>(matrix.start[i]);
        linear::detail::scatter<linear::detail::AsItIs>(matrix.values + first, matrix.columns + first,
                                                        static_cast<std::size_t>(matrix.start[i + 1]) - first, factor,
                                                        w);
    }

    double square(std::size_t i) const noexcept {
        double sum = 0;
        for (auto c = static_cast<std::size_t>(matrix.start[i]); c < static_cast<std::size_t>(matrix.start[i + 1]); ++c)
            sum += static_cast<double>(matrix.values[c]) * static_cast<double>(matrix.values[c]);
        return sum;
    }

    /// visit(j, x_ij) for each stored cell.
    template <class Visit>
    MARGIN_INLINED void for_each_cell(std::size_t i, Visit&& visit) const noexcept {
        for (auto c = static_cast<std::size_t>(matrix.start[i]); c < static_cast<std::size_t>(matrix.start[i + 1]); ++c)
            visit(static_cast<std::size_t>(matrix.columns[c]), static_cast<double>(matrix.values[c]));
    }

    MARGIN_INLINED void fetch(std::size_t i) const noexcept { linear::SparseRows<T, Index>{matrix}.fetch(i); }
};

/// Dense rows with the same members.
template <class T>
struct WholeRows : linear::DenseRows<T> {
    WholeRows(const T* cells, std::size_t rows, std::size_t width)
        : linear::DenseRows<T>(cells, rows, width), first(cells) {}

    double square(std::size_t i) const noexcept {
        double sum = 0;
        for (std::size_t j = 0; j < this->width(); ++j) {
            const auto x = static_cast<double>(first[i * this->width() + j]);
            sum += x * x;
        }
        return sum;
    }

    template <class Visit>
    MARGIN_INLINED void for_each_cell(std::size_t i, Visit&& visit) const noexcept {
        for (std::size_t j = 0; j < this->width(); ++j)
            visit(j, static_cast<double>(first[i * this->width() + j]));
    }

    const T* first;
};

} // namespace margin::svm
