#pragma once
// Coordinate descent on the second-order model of penalised cross-entropy.
//
// Given parameters w (a table: a row of `lanes` for each column and a last one for the intercept), the gradient g of the
// smooth part there and its second derivatives H, find a step D that brings down
//     g . D + D H D / 2 + l2 |D|^2 / 2 + l1 |w + D|_1,   only columns of the working set and the intercept moving.
// Yuan, Ho, Lin (2012), An improved GLMNET for L1-regularized logistic regression, section 4, with all columns visited
// in the order they lie in memory.
#include "coordinate_columns.hpp"
#include "coordinate_rows.hpp"
#include <algorithm>
#include <cmath>
#include <span>

namespace margin::linear {

struct DescentSettings {
    double l1, l2;
    bool intercept;
    double enough; // stop when a pass meets less than this share of the violation of the first
    std::size_t most_passes;
};

/// The step (a table as w), and how many passes it took.
struct Descent {
    std::vector<double> step;
    std::size_t passes = 0;
};

/// Where a coordinate of value w with slope g and curvature h goes, min g z + h z^2 / 2 + l1 |w + z|: the change z.
inline double soft_step(double w, double g, double h, double l1) noexcept {
    if (g + l1 <= h * w)
        return -(g + l1) / h;
    if (g - l1 >= h * w)
        return -(g - l1) / h;
    return -w;
}

/// The size of the smallest subgradient of a coordinate.
inline double violation(double w, double g, double l1) noexcept {
    return w > 0 ? std::abs(g + l1) : w < 0 ? std::abs(g - l1) : std::max(0.0, std::abs(g) - l1);
}

namespace detail {

/// Visits columns, and knows what is still worth a visit.
template <class Columns, class Rows>
class Visitor {
public:
    Visitor(const Columns& columns, Rows& rows, const double* w, const double* g, std::size_t width,
            const DescentSettings& settings)
        : columns_(columns), rows_(rows), w_(w), g_(g), width_(width), lanes_(rows.lanes()), set_(settings),
          step_((width + 1) * lanes_), slope_(lanes_), change_(lanes_) {}

    /// Visit the live columns once, drop those that stay at 0 with room to spare; the violation met.
    double pass(std::vector<std::int32_t>& live, std::vector<double>& curvature, double room, Monitor& monitor) {
        double met = set_.intercept ? visit(Ones{rows_.size()}, width_, intercept_curvature_.data(), 0, 0).met : 0;
        std::size_t kept = 0, since = 0;
        for (std::size_t a = 0; a < live.size(); ++a) {
            const auto j = static_cast<std::size_t>(live[a]);
            const auto cells = columns_.column(j);
            if (since += cells.n* lanes_ + 1; since > (1 << 19)) {
                monitor.check();
                since = 0;
            }
            const Visit visited = visit(cells, j, curvature.data() + a * lanes_, set_.l1, set_.l2);
            met += visited.met;
            if (visited.asleep > room)
                continue;
            live[kept] = live[a];
            std::copy_n(curvature.data() + a * lanes_, lanes_, curvature.data() + kept++ * lanes_);
        }
        live.resize(kept);
        return met;
    }

    void measure(const std::vector<std::int32_t>& live, std::vector<double>& curvature, Monitor& monitor) {
        intercept_curvature_.resize(lanes_);
        rows_.curvature(Ones{rows_.size()}, intercept_curvature_.data());
        for (std::size_t a = 0; a < live.size(); ++a) {
            if (a % 128 == 0)
                monitor.check();
            rows_.curvature(columns_.column(static_cast<std::size_t>(live[a])), curvature.data() + a * lanes_);
        }
    }

    std::vector<double> take_step() { return std::move(step_); }

private:
    struct Visit {
        double met;
        double asleep; // how far below l1 the largest slope is, where all lanes are 0 and stay there
    };

    template <class Cells>
    Visit visit(const Cells& cells, std::size_t j, const double* curvature, double l1, double l2) {
        rows_.slope(cells, slope_.data());
        const std::size_t at = j * lanes_;
        Visit found{0, std::numeric_limits<double>::infinity()};
        bool moves = false;
        for (std::size_t k = 0; k < lanes_; ++k) {
            const double now = w_[at + k] + step_[at + k], h = curvature[k] + l2;
            const double g = g_[at + k] + slope_[k] + l2 * step_[at + k];
            found.met += violation(now, g, l1);
            // A column that no row bends (all cells 0, or all rows certain) tells nothing: it stays.
            change_[k] = h > 0 ? soft_step(now, g, h, l1) : 0.0;
            found.asleep = std::min(found.asleep, now == 0 ? l1 - std::abs(g) : -1.0);
            moves |= change_[k] != 0;
            // Exactly 0 where it is to be 0.
            step_[at + k] = change_[k] == -now ? -w_[at + k] : step_[at + k] + change_[k];
        }
        if (moves)
            rows_.move(cells, change_.data());
        return found;
    }

    const Columns& columns_;
    Rows& rows_;
    const double *w_, *g_;
    std::size_t width_, lanes_;
    const DescentSettings& set_;
    std::vector<double> step_, slope_, change_, intercept_curvature_;
};

} // namespace detail

/// Passes over the working set until the violation met is small beside that of the first, or a number of them.
/// Sequential: O(lanes cells of the working set) time a pass.
template <class Columns, class Rows>
Descent descend(const Columns& columns, Rows& rows, std::span<const std::int32_t> working, const double* w,
                const double* g, std::size_t width, const DescentSettings& settings, Monitor& monitor) {
    detail::Visitor<Columns, Rows> visitor(columns, rows, w, g, width, settings);
    std::vector<std::int32_t> live(working.begin(), working.end());
    std::vector<double> curvature(live.size() * rows.lanes());
    visitor.measure(live, curvature, monitor);
    Descent found;
    double first = 0, last = 0;
    while (found.passes < settings.most_passes) {
        // As much room as the average violation of the last pass leaves in doubt.
        const double room = found.passes == 0 ? settings.l1 : last / static_cast<double>(working.size() + 1);
        last = visitor.pass(live, curvature, room, monitor);
        if (found.passes++ == 0)
            first = last;
        else if (last <= settings.enough * first)
            break;
    }
    found.step = visitor.take_step();
    return found;
}

} // namespace margin::linear
