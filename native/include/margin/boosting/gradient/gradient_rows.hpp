#pragma once
// The rows of a tree and their gradients.
#include "grown_tree.hpp"
#include "histogram.hpp"
#include <array>
#include <memory>
#include <span>
#include <type_traits>

namespace margin::boosting {

/// Rows to grow from: items in order, the gradients on the fine grid by rows, and the weights by rows if there are any.
template <class Rows>
struct GradientRows {
    std::array<std::unique_ptr<typename Rows::Item[]>, 2> halves;
    std::size_t n = 0; // items of this tree, in the first half
    std::unique_ptr<Sums[]> fine;
    const double* weight = nullptr;
    Grid grid{Bounds{}};

    explicit GradientRows(std::size_t n_rows) : fine(std::make_unique_for_overwrite<Sums[]>(n_rows)) {
        for (auto& half : halves)
            half = std::make_unique_for_overwrite<typename Rows::Item[]>(n_rows);
    }
    std::span<const typename Rows::Item> of(const Segment& rows) const noexcept {
        return {halves[static_cast<std::size_t>(rows.half)].get() + rows.begin, rows.n};
    }
    /// Units of the sums in histograms.
    double g_unit() const noexcept { return 1 / (std::is_same_v<Rows, CoarseRows> ? grid.g * grid.coarse_g : grid.g); }
    double h_unit() const noexcept { return 1 / (std::is_same_v<Rows, CoarseRows> ? grid.h * grid.coarse_h : grid.h); }
};

} // namespace margin::boosting
