#pragma once
// Kernel values among the rows of a dense matrix.
#include "kernel_apply.hpp"
#include "kernel_products.hpp"
#include "source.hpp"
#include "source_tiles.hpp"

namespace margin::svm {

/// The means of the columns, 0 where they are no ordinary number.
template <class X>
std::vector<double> column_means(MatrixView<const X> x) {
    std::vector<double> mean(x.columns());
    for (std::size_t i = 0; i < x.rows(); ++i)
        for (std::size_t c = 0; c < x.columns(); ++c)
            mean[c] += static_cast<double>(x(i, c));
    for (double& m : mean) {
        m /= static_cast<double>(std::max<std::size_t>(x.rows(), 1));
        if (!std::isfinite(m))
            m = 0;
    }
    return mean;
}

/// Without a mean the row is not moved.
template <class X, class T>
void place_row(const X* row, std::span<const double> mean, const Placing<T>& placing, std::size_t depth, T* to) {
    for (std::size_t c = 0; c < depth; ++c)
        to[c] = placing(static_cast<double>(row[c]) - (mean.empty() ? 0.0 : mean[c]));
}

/// Rows of a dense matrix, kept in T twice: one after another and in panels. Rows of a kernel of distances are
/// centred by the means of the columns, which changes no distance and leaves more digits of the products.
template <class T>
class DenseSource final : public Source<T> {
public:
    template <class X>
    DenseSource(MatrixView<const X> x, Kernel kernel, std::size_t n_threads = 1, Monitor&& monitor = {})
        : DenseSource(x, kernel, n_threads, monitor) {}

    template <class X>
    DenseSource(MatrixView<const X> x, Kernel kernel, std::size_t n_threads, Monitor& monitor)
        : x_(x.rows(), x.columns()), kernel_(kernel), squares_(panels_for<T>(x.rows()) * panel_rows<T>),
          panels_(squares_.size() * x.columns()) {
        const auto mean = kernel.of_distance() ? column_means(x) : std::vector<double>{};
        const Placing<T> placing(kernel);
        parallel_for(panels_for<T>(x.rows()), 64, n_threads, monitor,
                     [&](std::size_t begin, std::size_t end, std::size_t) {
                         for (std::size_t p = begin; p < end; ++p) {
                             const std::size_t first = p * panel_rows<T>, n = std::min(panel_rows<T>, x.rows() - first);
                             const T* rows[panel_rows<T>];
                             for (std::size_t i = 0; i < n; ++i) {
                                 place_row(x.row(first + i).data(), mean, placing, depth(), x_.row(first + i).data());
                                 rows[i] = x_.row(first + i).data();
                             }
                             pack_panel(rows, n, depth(), panels_.data() + first * depth());
                             square_rows(panels_.data() + first * depth(), depth(), squares_.data() + first);
                         }
                     });
    }

    /// Some rows of another source.
    DenseSource(const DenseSource& all, std::span<const std::uint32_t> rows)
        : x_(rows.size(), all.depth()), kernel_(all.kernel_), squares_(panels_for<T>(rows.size()) * panel_rows<T>),
          panels_(squares_.size() * all.depth()) {
        for (std::size_t first = 0; first < rows.size(); first += panel_rows<T>) {
            const std::size_t n = std::min(panel_rows<T>, rows.size() - first);
            const T* from[panel_rows<T>];
            for (std::size_t i = 0; i < n; ++i) {
                from[i] = all.x_.data() + rows[first + i] * depth();
                std::copy_n(from[i], depth(), x_.data() + (first + i) * depth());
                squares_[first + i] = all.squares_[rows[first + i]];
            }
            pack_panel(from, n, depth(), panels_.data() + first * depth());
        }
    }

    std::unique_ptr<const Source<T>> among(std::span<const std::uint32_t> rows) const override {
        return std::make_unique<DenseSource>(*this, rows);
    }

    std::size_t size() const noexcept override { return x_.rows(); }

    void block(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns, T* out, std::size_t stride,
               std::size_t n_threads, Monitor& monitor) const override {
        for_each_tile<Scratch>(rows, columns, chunk_panels() * panel_rows<T>, depth(), n_threads, monitor,
                               [&](auto some, auto of, std::size_t r, std::size_t c, Scratch& scratch) {
                                   fill(some, of, scratch, out + r * stride + c, stride);
                               });
    }

    T largest_square() const noexcept {
        return squares_.empty() ? T(0) : *std::max_element(squares_.begin(), squares_.end());
    }

    void diagonal(T* out) const override {
        for (std::size_t i = 0; i < size(); ++i)
            kernel_.apply(Products<T>{&squares_[i], 1, &squares_[i], &squares_[i], 1, 1}, out + i, 1);
    }

private:
    static constexpr std::size_t at_once = 4; // rows of one tile

    struct Scratch {
        std::vector<T> strip, panels, squares;
    };

    std::size_t depth() const noexcept { return x_.columns(); }

    /// So many panels stay in the first cache while the rows pass by.
    std::size_t chunk_panels() const noexcept {
        return std::clamp<std::size_t>(20'000 / (96 * std::max<std::size_t>(depth(), 1)), 1, 8);
    }

    bool stand_in_panels(std::span<const std::uint32_t> columns) const noexcept {
        if (columns[0] % panel_rows<T> != 0)
            return false;
        for (std::size_t c = 1; c < columns.size(); ++c)
            if (columns[c] != columns[0] + c)
                return false;
        return true;
    }

    void gather(std::span<const std::uint32_t> columns, Scratch& scratch) const {
        const std::size_t n_panels = panels_for<T>(columns.size());
        scratch.panels.resize(n_panels * panel_rows<T> * depth());
        scratch.squares.resize(n_panels * panel_rows<T>);
        for (std::size_t first = 0; first < columns.size(); first += panel_rows<T>) {
            const std::size_t n = std::min(panel_rows<T>, columns.size() - first);
            const T* rows[panel_rows<T>];
            for (std::size_t i = 0; i < n; ++i) {
                rows[i] = x_.data() + columns[first + i] * depth();
                scratch.squares[first + i] = squares_[columns[first + i]];
            }
            pack_panel(rows, n, depth(), scratch.panels.data() + first * depth());
        }
    }

    void fill(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns, Scratch& scratch, T* out,
              std::size_t stride) const {
        const std::size_t n_panels = panels_for<T>(columns.size()), width = n_panels * panel_rows<T>;
        const bool packed = stand_in_panels(columns);
        if (!packed)
            gather(columns, scratch);
        const T* panels = packed ? panels_.data() + columns[0] * depth() : scratch.panels.data();
        const T* zz = packed ? squares_.data() + columns[0] : scratch.squares.data();
        scratch.strip.resize(at_once * width);
        for (std::size_t r = 0; r < rows.size(); r += at_once) {
            const std::size_t n = std::min(at_once, rows.size() - r);
            const T* from[at_once] = {};
            T xx[at_once] = {};
            for (std::size_t i = 0; i < n; ++i) {
                from[i] = x_.data() + rows[r + i] * depth();
                xx[i] = squares_[rows[r + i]];
            }
            multiply_panels(from, n, panels, n_panels, depth(), scratch.strip.data(), width);
            kernel_.apply(Products<T>{scratch.strip.data(), width, xx, zz, n, columns.size()}, out + r * stride,
                          stride);
        }
    }

    Matrix<T> x_;
    Kernel kernel_;
    std::vector<T> squares_, panels_; // for lanes without a row too: zeros
};

} // namespace margin::svm
