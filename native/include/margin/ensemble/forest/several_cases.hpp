#pragma once
// The cases of one tree where there are several targets (tree/targets/several.hpp): they point to rows that someone keeps.
#include "cases.hpp"
#include "margin/core/views.hpp"
#include "margin/tree/targets/several.hpp"
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace margin::ensemble {

/// A row as often as it was drawn, and what it adds to sums.
template <class T>
struct SeveralCase {
    using Target = T;
    std::uint32_t row, n;
    typename T::Item item;
    double w;

    std::size_t times() const noexcept { return n; }
    double weight() const noexcept { return w; }
    void add_to(double* sum) const noexcept { T::add(sum, item, w); }
};

/// Several targets of all rows, and their weights, or none.
struct SeveralClassTargets {
    MatrixView<const std::int32_t> y;
    std::span<const double> weight;
    std::span<const std::int64_t> n_classes; // of each output

    std::size_t n_all() const noexcept {
        std::size_t n = 0;
        for (const std::int64_t k : n_classes)
            n += static_cast<std::size_t>(k);
        return n;
    }
};
struct SeveralValueTargets {
    MatrixView<const double> y;
    std::span<const double> weight;
};

/// `places` are those of all rows (tree::class_places).
inline std::vector<SeveralCase<tree::SeveralClasses>> several_class_cases(const SeveralClassTargets& targets,
                                                                          const std::vector<std::uint32_t>& places,
                                                                          std::span<const std::uint32_t> times) {
    detail::Drawn drawn = detail::drawn_rows(times, targets.weight);
    tree::round_weights(drawn.weight);
    const std::size_t m = targets.y.columns();
    std::vector<SeveralCase<tree::SeveralClasses>> cases;
    for (std::size_t k = 0; k < drawn.row.size(); ++k) {
        const std::uint32_t i = drawn.row[k];
        cases.push_back({i, times[i], {places.data() + i * m, static_cast<std::uint32_t>(m)}, drawn.weight[k]});
    }
    return cases;
}

/// What the cases point to, which depends on what was drawn, is left in `room`.
inline std::vector<SeveralCase<tree::SeveralValues>> several_value_cases(const SeveralValueTargets& targets,
                                                                         std::span<const std::uint32_t> times,
                                                                         std::vector<double>& room) {
    detail::Drawn drawn = detail::drawn_rows(times, targets.weight);
    tree::round_weights(drawn.weight);
    const std::size_t m = targets.y.columns();
    std::vector<double> y;
    for (const std::uint32_t i : drawn.row)
        for (std::size_t o = 0; o < m; ++o)
            y.push_back(targets.y(i, o));
    room = tree::values_and_parts({y.data(), drawn.row.size(), m}, drawn.weight);
    std::vector<SeveralCase<tree::SeveralValues>> cases;
    for (std::size_t k = 0; k < drawn.row.size(); ++k) {
        const std::uint32_t i = drawn.row[k];
        cases.push_back({i, times[i], {room.data() + 2 * k * m, static_cast<std::uint32_t>(m)}, drawn.weight[k]});
    }
    return cases;
}

} // namespace margin::ensemble
