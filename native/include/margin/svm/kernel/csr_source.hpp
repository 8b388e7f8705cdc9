#pragma once
// Kernel values among rows of which only the cells that are not 0 are stored.
//
// The rows that stand for columns of the block are spread out, a panel of them at a time; the rows of the block then
// pass by with their stored cells, each of which is multiplied with a whole line: a product costs the stored cells of
// one row, and values come out in the order in which the block holds them.
#include "csr_rows.hpp"
#include "source.hpp"
#include "source_tiles.hpp"

namespace margin::svm {

template <class T>
class CsrSource final : public Source<T> {
public:
    template <class X, class Index>
    CsrSource(const data::Csr<X, Index>& x, Kernel kernel) : x_(x, kernel), kernel_(kernel) {}

    std::size_t size() const noexcept override { return x_.size(); }

    void block(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns, T* out, std::size_t stride,
               std::size_t n_threads, Monitor& monitor) const override {
        for_each_tile<Scratch>(rows, columns, spread_rows<T>, 2 * x_.view().cells_per_row(), n_threads, monitor,
                               [&](auto some, auto of, std::size_t r, std::size_t c, Scratch& scratch) {
                                   fill(some, of, scratch, out + r * stride + c, stride);
                               });
    }

    T largest_square() const noexcept {
        return size() == 0 ? T(0) : *std::max_element(x_.view().squares, x_.view().squares + size());
    }

    void diagonal(T* out) const override {
        const T* squares = x_.view().squares;
        for (std::size_t i = 0; i < size(); ++i)
            kernel_.apply(Products<T>{squares + i, 1, squares + i, squares + i, 1, 1}, out + i, 1);
    }

private:
    static constexpr std::size_t at_once = 32; // rows whose products wait in the cache for the function

    struct Scratch {
        CsrPanel<T> panel;
        T products[at_once * spread_rows<T>];
    };

    void fill(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns, Scratch& scratch, T* out,
              std::size_t stride) const {
        scratch.panel.spread(x_.view(), columns);
        for (std::size_t r = 0; r < rows.size(); r += at_once) {
            const auto some = rows.subspan(r, std::min(at_once, rows.size() - r));
            T xx[at_once];
            std::transform(some.begin(), some.end(), xx, [&](std::uint32_t row) { return x_.view().squares[row]; });
            scratch.panel.multiply(x_.view().stored, some, scratch.products);
            kernel_.apply(
                Products<T>{scratch.products, spread_rows<T>, xx, scratch.panel.squares(), some.size(), columns.size()},
                out + r * stride, stride);
        }
    }

    CsrRows<T> x_;
    Kernel kernel_;
};

} // namespace margin::svm
