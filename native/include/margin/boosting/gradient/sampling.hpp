#pragma once
// Which rows and columns a tree is grown from.
#include "gradients.hpp"
#include "settings.hpp"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numbers>
#include <numeric>
#include <vector>

namespace margin::boosting {

/// Rows by chance, or those of the largest gradients and a share of the others by chance, which then count for all of
/// these (Ke et al. (2017), "LightGBM: a highly efficient gradient boosting decision tree"), or each with a chance that
/// follows the size of its gradients (Ibragimov, Gusev (2019), "Minimal variance sampling in stochastic gradient
/// boosting").
class Sampler {
public:
    Sampler(const Settings& settings, std::size_t n_rows) : settings_(settings), n_rows_(n_rows) {}

    bool draws() const noexcept { return settings_.row_share < 1; }

    /// The most that a row that stands for others is multiplied by; drawn by size, the most beside the largest row.
    double factor() const noexcept {
        if (draws() && settings_.by_size)
            return std::numbers::sqrt2 / settings_.row_share;
        return draws() && settings_.top_share > 0 ? (1 - settings_.top_share) / settings_.row_share : 1;
    }

    /// put(k, row) for the rows of a tree in ascending order; returns their number. The gradients of rows that stand
    /// for others are multiplied.
    template <class Put>
    std::size_t draw(std::size_t number, Sums* fine, Put&& put) {
        Stream stream(settings_.seed ^ row_stream, number);
        std::size_t n = 0;
        if (settings_.by_size) {
            n = draw_by_size(stream, fine, put);
        } else if (settings_.top_share == 0) {
            for (std::size_t row = 0; row < n_rows_; ++row)
                if (stream.uniform01() < settings_.row_share)
                    put(n++, row);
        } else {
            const std::int64_t least = least_of_top(fine);
            const double chance = settings_.row_share / (1 - settings_.top_share);
            for (std::size_t row = 0; row < n_rows_; ++row) {
                if (std::llabs(fine[row].g) < least) {
                    if (stream.uniform01() >= chance)
                        continue;
                    fine[row].g = std::llrint(static_cast<double>(fine[row].g) * factor());
                    fine[row].h = std::llrint(static_cast<double>(fine[row].h) * factor());
                }
                put(n++, row);
            }
        }
        if (n == 0) // a tree has a row
            put(n++, static_cast<std::size_t>(stream.below(n_rows_)));
        return n;
    }

    /// The columns of a tree, ascending; none named where it may ask about all.
    std::vector<std::uint32_t> columns(std::size_t number, std::size_t n_columns) const {
        const auto n = static_cast<std::size_t>(std::ceil(settings_.column_share * static_cast<double>(n_columns)));
        if (n >= n_columns)
            return {};
        std::vector<std::uint32_t> drawn(n_columns);
        std::iota(drawn.begin(), drawn.end(), 0u);
        Stream stream(settings_.seed ^ column_stream, number);
        stream.shuffle(std::span(drawn));
        drawn.resize(std::max<std::size_t>(n, 1));
        std::ranges::sort(drawn);
        return drawn;
    }

private:
    static constexpr std::uint64_t row_stream = 0x726f7773, column_stream = 0x636f6c73;

    /// Row i has the chance min(1, s_i / m) of its size s_i = sqrt(g^2 + h^2), each derivative beside its largest, with m
    /// such that about row_share of the rows are drawn; its gradients are divided by the chance.
    template <class Put>
    std::size_t draw_by_size(Stream& stream, Sums* fine, Put&& put) {
        std::int64_t most_g = 1, most_h = 1;
        for (std::size_t i = 0; i < n_rows_; ++i) {
            most_g = std::max(most_g, static_cast<std::int64_t>(std::llabs(fine[i].g)));
            most_h = std::max(most_h, fine[i].h);
        }
        const auto size = [&](std::size_t i) {
            const double g = static_cast<double>(fine[i].g) / static_cast<double>(most_g);
            const double h = static_cast<double>(fine[i].h) / static_cast<double>(most_h);
            return std::sqrt(g * g + h * h);
        };
        const double middle = size_drawn_for_sure(size);
        std::size_t n = 0;
        for (std::size_t row = 0; row < n_rows_; ++row) {
            const double chance = size(row) / middle;
            if (stream.uniform01() >= chance)
                continue;
            if (chance < 1) {
                fine[row].g = std::llrint(static_cast<double>(fine[row].g) / chance);
                fine[row].h = std::llrint(static_cast<double>(fine[row].h) / chance);
            }
            put(n++, row);
        }
        return n;
    }

    /// The m of draw_by_size, from sizes counted in narrow steps. Never above mean size / row_share.
    template <class Size>
    double size_drawn_for_sure(Size&& size) const {
        constexpr std::size_t n_steps = 4096;
        std::vector<double> count(n_steps), sum(n_steps);
        double below = 0, above = 0;
        for (std::size_t i = 0; i < n_rows_; ++i) {
            const double s = size(i);
            const auto step = std::min(static_cast<std::size_t>(s / std::numbers::sqrt2 * n_steps), n_steps - 1);
            ++count[step];
            sum[step] += s;
            below += s;
        }
        const double wanted = settings_.row_share * static_cast<double>(n_rows_);
        for (std::size_t step = n_steps; step-- > 0;) { // rows from this step on are drawn for sure
            const double m = below / std::max(wanted - above, 1e-9);
            if (above < wanted && m >= std::numbers::sqrt2 * static_cast<double>(step) / n_steps)
                return std::max(m, 1e-12);
            above += count[step];
            below -= sum[step];
        }
        return 1e-12;
    }

    std::int64_t least_of_top(const Sums* fine) const {
        std::vector<std::int64_t> size(n_rows_);
        for (std::size_t i = 0; i < n_rows_; ++i)
            size[i] = std::llabs(fine[i].g);
        const auto n = static_cast<std::size_t>(settings_.top_share * static_cast<double>(n_rows_));
        const auto at = size.begin() + static_cast<std::ptrdiff_t>(std::min(n, n_rows_ - 1));
        std::nth_element(size.begin(), at, size.end(), std::greater<>());
        return *at;
    }

    const Settings& settings_;
    std::size_t n_rows_;
};

} // namespace margin::boosting
