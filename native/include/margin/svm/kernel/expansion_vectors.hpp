#pragma once
// The vectors that sums of kernels run over, and the rows that are asked about, as products need them.
#include "csr_rows.hpp"
#include "dense_source.hpp"
#include <numeric>

namespace margin::svm {

constexpr std::size_t rounded_up(std::size_t n, std::size_t unit) noexcept { return (n + unit - 1) / unit * unit; }

/// Rows in T as the kernel wants them, with their squared lengths.
template <class T>
class DenseRows {
public:
    template <class X>
    DenseRows(MatrixView<const X> x, std::span<const double> mean, const Kernel& kernel)
        : cells_(x.size()), squares_(rounded_up(x.rows(), panel_rows<T>)), rows_(x.rows()) {
        const Placing<T> placing(kernel);
        const std::size_t depth = x.columns();
        for (std::size_t i = 0; i < x.rows(); ++i) {
            rows_[i] = cells_.data() + i * depth;
            place_row(x.row(i).data(), mean, placing, depth, cells_.data() + i * depth);
        }
        std::vector<T> panel(panel_rows<T> * depth);
        for (std::size_t i = 0; i < x.rows(); i += panel_rows<T>) {
            pack_panel(rows_.data() + i, std::min(panel_rows<T>, x.rows() - i), depth, panel.data());
            square_rows(panel.data(), depth, squares_.data() + i);
        }
    }

    std::size_t size() const noexcept { return rows_.size(); }
    const T* const* rows() const noexcept { return rows_.data(); }
    const T* squares() const noexcept { return squares_.data(); }

private:
    std::vector<T> cells_, squares_;
    std::vector<const T*> rows_;
};

/// Vectors in panels, with their squared lengths; places are lanes of panels.
template <class T>
struct DenseVectors {
    const T* panels;
    const T* squares;
    std::size_t columns;

    using Rows = DenseRows<T>;
    struct Space {};
    static constexpr std::size_t at_once = 8; // rows whose products wait in the cache for the function
    static constexpr std::size_t band = 64;   // rows that pass by together

    std::size_t depth() const noexcept { return columns; }
    std::size_t places() const noexcept {
        return panel_rows<T> * std::clamp<std::size_t>(80'000 / (96 * std::max<std::size_t>(columns, 1)), 1, 16);
    }
    const T* lay(std::size_t first, std::size_t, Space&) const { return squares + first; }
    std::size_t multiply(const Rows& rows, std::size_t r, std::size_t n_rows, std::size_t first, std::size_t n,
                         const Space&, T* products) const {
        const std::size_t n_panels = panels_for<T>(n);
        multiply_panels(rows.rows() + r, n_rows, panels + first * columns, n_panels, columns, products,
                        n_panels * panel_rows<T>);
        return n_panels * panel_rows<T>;
    }
};

/// The numbers first, first + 1, …
inline std::vector<std::uint32_t> numbers_from(std::size_t first, std::size_t n) {
    std::vector<std::uint32_t> list(n);
    std::iota(list.begin(), list.end(), static_cast<std::uint32_t>(first));
    return list;
}

/// Vectors of stored cells, spread out for many rows that pass by; places are their numbers.
template <class T>
struct CsrVectors {
    CsrView<T> x;

    /// Some rows of others.
    struct Rows {
        CsrView<T> of;
        std::vector<std::uint32_t> ids;

        Rows(const CsrView<T>& all, std::size_t begin, std::size_t end)
            : of(all), ids(numbers_from(begin, end - begin)) {}
        std::size_t size() const noexcept { return ids.size(); }
        const T* squares() const noexcept { return of.squares + ids[0]; }
    };
    struct Space {
        CsrPanel<T> panel;
    };
    static constexpr std::size_t at_once = 32;
    static constexpr std::size_t band = 256;

    std::size_t depth() const noexcept { return 2 * x.cells_per_row(); }
    std::size_t places() const noexcept { return spread_rows<T>; }
    const T* lay(std::size_t first, std::size_t n, Space& space) const {
        space.panel.spread(x, numbers_from(first, n));
        return space.panel.squares();
    }
    std::size_t multiply(const Rows& rows, std::size_t r, std::size_t n_rows, std::size_t, std::size_t,
                         const Space& space, T* products) const {
        space.panel.multiply(rows.of.stored, std::span(rows.ids).subspan(r, n_rows), products);
        return spread_rows<T>;
    }
};

/// The same for a few rows: these are spread out, and the vectors pass by. A product is the sum over the columns that
/// both have, in order, either way: the bits are the same.
template <class T>
struct PassingVectors {
    CsrView<T> x;

    struct Rows {
        CsrPanel<T> panel;
        std::size_t n_rows;

        Rows(const CsrView<T>& all, std::size_t begin, std::size_t end) : n_rows(end - begin) {
            panel.spread(all, numbers_from(begin, n_rows));
        }
        std::size_t size() const noexcept { return n_rows; }
        const T* squares() const noexcept { return panel.squares(); }
    };
    struct Space {};
    static constexpr std::size_t at_once = spread_rows<T>;
    static constexpr std::size_t band = spread_rows<T>;
    static constexpr std::size_t few = 16; // for more rows than this it does not pay

    std::size_t depth() const noexcept { return 2 * x.cells_per_row(); }
    std::size_t places() const noexcept { return spread_rows<T>; }
    const T* lay(std::size_t first, std::size_t, Space&) const { return x.squares + first; }
    std::size_t multiply(const Rows& rows, std::size_t, std::size_t n_rows, std::size_t first, std::size_t n,
                         const Space&, T* products) const {
        T turned[spread_rows<T> * spread_rows<T>];
        rows.panel.multiply(x.stored, numbers_from(first, n), turned);
        for (std::size_t r = 0; r < n_rows; ++r)
            for (std::size_t j = 0; j < n; ++j)
                products[r * spread_rows<T> + j] = turned[j * spread_rows<T> + r];
        return spread_rows<T>;
    }
};

/// Vectors packed into panels, each part in panels of its own; lanes that are left over repeat the last vector of their
/// part, so that whatever the kernel makes of them is an ordinary value (which then has the coefficient 0).
template <class T>
struct PackedVectors {
    std::vector<T> panels, squares;
    std::vector<std::int64_t> bounds; // where the parts begin, in lanes, and the end

    template <class X>
    PackedVectors(MatrixView<const X> x, std::span<const std::int64_t> parts, std::span<const double> mean,
                  const Kernel& kernel)
        : bounds{0} {
        const DenseRows<T> rows(x, mean, kernel);
        const std::size_t depth = x.columns();
        for (std::size_t part = 0; part + 1 < parts.size(); ++part) {
            const auto end = static_cast<std::size_t>(parts[part + 1]);
            for (auto i = static_cast<std::size_t>(parts[part]); i < end; i += panel_rows<T>) {
                const T* lanes[panel_rows<T>];
                for (std::size_t lane = 0; lane < panel_rows<T>; ++lane)
                    lanes[lane] = rows.rows()[std::min(i + lane, end - 1)];
                panels.resize(panels.size() + panel_rows<T> * depth);
                squares.resize(squares.size() + panel_rows<T>);
                T* panel = panels.data() + panels.size() - panel_rows<T> * depth;
                pack_panel(lanes, panel_rows<T>, depth, panel);
                square_rows(panel, depth, squares.data() + squares.size() - panel_rows<T>);
            }
            bounds.push_back(static_cast<std::int64_t>(squares.size()));
        }
    }
};

} // namespace margin::svm
