#pragma once
// Kernel values among the rows of a dense matrix.
#include "kernel_apply.hpp"
#include "kernel_products.hpp"
#include "source.hpp"
#include <limits>

namespace margin::svm {

/// Cells beyond this are taken for this: their squares and the sums of these stay finite. Only the RBF kernel is cut,
/// for which such rows are infinitely far from all others anyway.
template <class T>
inline constexpr double largest_cell = sizeof(T) == 4 ? 1e15 : 1e150;

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

/// (row - mean) * scale, within the largest cell; without a mean the row as it is.
template <class X, class T>
void place_row(const X* row, std::span<const double> mean, double scale, std::size_t depth, T* to) {
    if (mean.empty()) {
        std::transform(row, row + depth, to, [](X cell) { return static_cast<T>(cell); });
        return;
    }
    for (std::size_t c = 0; c < depth; ++c) {
        const double cell = (static_cast<double>(row[c]) - mean[c]) * scale;
        to[c] = static_cast<T>(std::clamp(cell, -largest_cell<T>, largest_cell<T>));
    }
}

/// Rows of a dense matrix, kept in T twice: one after another and in panels. Rows of an RBF kernel are centred by the
/// means of the columns, which changes no distance and leaves more digits of the products.
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
        const auto mean = kernel.kind == Kind::rbf ? column_means(x) : std::vector<double>{};
        const double scale = scale_of(kernel);
        parallel_for(panels_for<T>(x.rows()), 64, n_threads, monitor,
                     [&](std::size_t begin, std::size_t end, std::size_t) {
                         for (std::size_t p = begin; p < end; ++p) {
                             const std::size_t first = p * panel_rows<T>, n = std::min(panel_rows<T>, x.rows() - first);
                             const T* rows[panel_rows<T>];
                             for (std::size_t i = 0; i < n; ++i) {
                                 place_row(x.row(first + i).data(), mean, scale, depth(), x_.row(first + i).data());
                                 rows[i] = x_.row(first + i).data();
                             }
                             pack_panel(rows, n, depth(), panels_.data() + first * depth());
                             square_rows(panels_.data() + first * depth(), depth(), squares_.data() + first);
                         }
                     });
    }

    std::size_t size() const noexcept override { return x_.rows(); }

    void block(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns, T* out, std::size_t stride,
               std::size_t n_threads, Monitor& monitor) const override {
        const std::size_t width = chunk_panels() * panel_rows<T>;
        const std::size_t n_chunks = (columns.size() + width - 1) / width;
        const std::size_t n_bands = (rows.size() + band - 1) / band;
        const std::size_t cost = std::min(rows.size(), band) * width * (depth() + 32) + 1;
        parallel_for(n_chunks * n_bands, 1 + (std::size_t{1} << 21) / cost, n_threads, monitor,
                     [&](std::size_t begin, std::size_t end, std::size_t) {
                         Scratch scratch;
                         for (std::size_t task = begin; task < end; ++task) {
                             const std::size_t c = task / n_bands * width, r = task % n_bands * band;
                             const auto of = columns.subspan(c, std::min(width, columns.size() - c));
                             fill(rows.subspan(r, std::min(band, rows.size() - r)), of, scratch, out + r * stride + c,
                                  stride);
                         }
                     });
    }

    void diagonal(T* out) const override {
        for (std::size_t i = 0; i < size(); ++i)
            apply_kernel(kernel_, {&squares_[i], 1, &squares_[i], &squares_[i], 1, 1}, out + i, 1);
    }

private:
    static constexpr std::size_t band = 512;  // rows of one task
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
            apply_kernel(kernel_, {scratch.strip.data(), width, xx, zz, n, columns.size()}, out + r * stride, stride);
        }
    }

    Matrix<T> x_;
    Kernel kernel_;
    std::vector<T> squares_, panels_; // for lanes without a row too: zeros
};

} // namespace margin::svm
