#pragma once
// Coordinate descent on the dual of a linear support vector machine.
//
//     min  1/2 |sum_i alpha_i s_i x_i|^2 + sum_i (d_i alpha_i^2 / 2 - alpha_i),   0 <= alpha_i <= u_i
// with d = 0, u = c for the hinge and d = 1 / (2 c), u = infinity for its square. The weights w = sum alpha s x are kept
// up to date, so that one coordinate costs two looks at its row. Hsieh, Chang, Lin, Keerthi, Sundararajan (2008), "A
// dual coordinate descent method for large-scale linear SVM", algorithm 3 (random order, rows at rest left aside).
//
// A quantity y with a tube of half width t around it has multipliers of both signs instead (Ho, Lin 2012, "Large-scale
// linear support vector regression", algorithm 4):
//     min  1/2 |sum_i alpha_i x_i|^2 + sum_i (d_i alpha_i^2 / 2 - y_i alpha_i + t |alpha_i|),   |alpha_i| <= u_i.
//
// An intercept that is not penalised asks for sum alpha s = 0. A multiplier method sees to it: b = b0 + eta sum alpha s,
// with b0 moved to b after every pass.
#include "linear_order.hpp"
#include "linear_rows.hpp"
#include "margin/core/threads.hpp"
#include <cmath>
#include <limits>
#include <span>

namespace margin::svm {

struct LinearDualSettings {
    bool intercept;
    double tol;             // relative gap
    std::size_t max_passes; // as many visits as so many passes over all rows have
    std::uint64_t seed;
};

/// Weights, intercept, both objectives, passes, and whether the gap is closed.
struct LinearDualSolution {
    std::vector<double> w;
    double intercept = 0, primal = 0, dual = 0;
    std::size_t passes = 0;
    bool converged = false;
};

/// A row and its multiplier, in one place, for rows come in random order.
struct DualRow {
    double alpha, target, bound, square; // the target is its side, +1 or -1, or its quantity
    bool aside;
};

/// How the dual falls along one multiplier: its slope, the part of it that may be followed, and whether the multiplier
/// rests at an end where slopes beyond `above` and `below` keep it.
struct DualSlope {
    double slope, projected;
    bool rests;
};

/// Which side of the plane a row should be on: the hinge, or its square.
struct HingeDual {
    bool squared;

    double diagonal(const DualRow& row) const noexcept { return squared ? 0.5 / row.bound : 0.0; }
    double most(const DualRow& row) const noexcept {
        return squared ? std::numeric_limits<double>::infinity() : row.bound;
    }
    static double side(const DualRow& row) noexcept { return row.target; }
    static bool pulls(const DualRow& row, bool up) noexcept { return (row.target > 0) == up; }

    /// What a row with some score costs, and how far its multiplier is from the best one (Fenchel and Young).
    MARGIN_INLINED std::pair<double, double> cost(const DualRow& row, double f) const noexcept {
        const double short_of = 1 - row.target * f, left = 0.5 * (short_of + std::abs(short_of));
        const double loss = squared ? row.bound * left * left : row.bound * left;
        return {loss, loss - row.alpha * short_of + 0.5 * diagonal(row) * row.alpha * row.alpha};
    }

    MARGIN_INLINED DualSlope slope(const DualRow& row, double f, double above, double below) const noexcept {
        const double slope = row.target * f - 1 + diagonal(row) * row.alpha;
        const bool at_zero = row.alpha == 0, at_most = row.alpha == most(row);
        return {slope,
                at_zero   ? std::min(slope, 0.0)
                : at_most ? std::max(slope, 0.0)
                          : slope,
                (at_zero && slope > above) || (at_most && slope < below)};
    }

    /// A row without cells and curvature pulls nothing: its multiplier goes where its slope says.
    MARGIN_INLINED double moved(const DualRow& row, double slope, double curvature) const noexcept {
        const double wanted = curvature > 0 ? row.alpha - slope / curvature : slope < 0 ? row.bound : 0.0;
        return std::clamp(wanted, 0.0, most(row));
    }
};

/// How near the score should come to a quantity: what is outside of a tube, or its square.
struct TubeDual {
    bool squared;
    double tube;

    double diagonal(const DualRow& row) const noexcept { return HingeDual{squared}.diagonal(row); }
    double most(const DualRow& row) const noexcept { return HingeDual{squared}.most(row); }
    static double side(const DualRow&) noexcept { return 1.0; }
    static bool pulls(const DualRow&, bool) noexcept { return true; }

    MARGIN_INLINED std::pair<double, double> cost(const DualRow& row, double f) const noexcept {
        const double r = row.target - f, out = std::abs(r) - tube, left = 0.5 * (out + std::abs(out));
        const double loss = squared ? row.bound * left * left : row.bound * left;
        return {loss,
                loss - (row.alpha * r - tube * std::abs(row.alpha)) + 0.5 * diagonal(row) * row.alpha * row.alpha};
    }

    /// Without the tube; it turns the slope at 0.
    MARGIN_INLINED DualSlope slope(const DualRow& row, double f, double above, double below) const noexcept {
        const double slope = f - row.target + diagonal(row) * row.alpha, up = slope + tube, down = slope - tube;
        if (row.alpha == 0)
            return {slope, up < 0 ? up : down > 0 ? down : 0.0, up > above && down < below};
        if (row.alpha > 0)
            return row.alpha == most(row) ? DualSlope{slope, std::max(up, 0.0), up < below}
                                          : DualSlope{slope, up, false};
        return row.alpha == -most(row) ? DualSlope{slope, std::min(down, 0.0), down > above}
                                       : DualSlope{slope, down, false};
    }

    MARGIN_INLINED double moved(const DualRow& row, double slope, double curvature) const noexcept {
        const double up = slope + tube, down = slope - tube;
        if (!(curvature > 0))
            return up < 0 ? row.bound : down > 0 ? -row.bound : 0.0;
        const double here = curvature * row.alpha;
        const double wanted = up < here ? row.alpha - up / curvature : down > here ? row.alpha - down / curvature : 0.0;
        return std::clamp(wanted, -most(row), most(row));
    }
};

namespace detail {

template <class Rows, class Loss>
class DualDescent {
public:
    DualDescent(const Rows& rows, const Loss& loss, std::span<const double> target, std::span<const double> bound,
                const LinearDualSettings& set, std::size_t n_threads, Monitor& monitor)
        : rows_(rows), loss_(loss), set_(set), n_threads_(n_threads), monitor_(monitor),
          w_(linear::padded(rows.width())), row_(target.size()), live_(target.size()) {
        parallel_for(target.size(), 1024, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
            for (std::size_t i = begin; i < end; ++i)
                row_[i] = {0, target[i], bound[i], rows_.square(i), false};
        });
        double sum = 0, lighter[2] = {};
        for (const DualRow& row : row_) {
            sum += row.square;
            for (const bool up : {false, true})
                lighter[up] += Loss::pulls(row, up) ? row.bound : 0.0;
            rounding_ += 1e-17 * row.bound;
        }
        const double weight = std::min(lighter[0], lighter[1]);
        // As large as a row, so that it moves as fast as other weights; faster where one class hardly pulls it.
        const double usual = sum > 0 ? sum / static_cast<double>(row_.size()) : 1.0;
        eta_ = set.intercept ? std::max(usual, weight > 0 ? 1 / weight : 0.0) : 0.0;
        wake();
    }

    LinearDualSolution solve() {
        LinearDualSolution found;
        double close = set_.tol; // what a pass has to show before all rows are asked
        const std::size_t most = set_.max_passes * row_.size(), most_rounds = 100 * set_.max_passes;
        std::size_t visits = 0;
        for (std::size_t round = 0; visits < most && round < most_rounds; ++round) {
            visits += live_.size();
            found.passes = (visits + row_.size() - 1) / row_.size();
            const Pass pass = visit_all(round);
            b0_ += eta_ * balance_;
            if (pass.gap > 2 * close * (0.5 * length() + pass.loss) && !pass.at_rest)
                continue;
            look(found);
            if (found.converged)
                return found;
            if (pass.at_rest || live_.all())
                close *= 0.5;
            wake();
        }
        look(found);
        return found;
    }

private:
    struct Pass {
        double gap = 0, loss = 0; // as each row found them when it was visited
        bool at_rest = true;      // nothing moved
    };

    double length() const noexcept {
        double sum = 0;
        for (const double v : w_)
            sum += v * v;
        return sum;
    }

    /// Blocks of live rows in random order; rows at rest beyond what the last pass met are left aside.
    Pass visit_all(std::size_t pass) {
        const auto order = live_.shuffled(set_.seed, pass, monitor_);
        Pass found;
        double highest = -std::numeric_limits<double>::infinity(), lowest = -highest;
        for (std::size_t v = 0; v < order.size(); ++v) {
            if (v % 256 == 0)
                monitor_.check();
            if (v + visits_ahead < order.size())
                rows_.fetch(order[v + visits_ahead]);
            visit(order[v], found, highest, lowest);
        }
        live_.leave_aside([this](std::uint32_t i) { return row_[i].aside; }, monitor_);
        shrink_above_ = highest > 0 ? highest : std::numeric_limits<double>::infinity();
        shrink_below_ = lowest < 0 ? lowest : -std::numeric_limits<double>::infinity();
        return found;
    }

    MARGIN_INLINED void visit(std::size_t i, Pass& found, double& highest, double& lowest) {
        DualRow& row = row_[i];
        const double f = rows_.dot(i, w_.data()) + b0_ + eta_ * balance_;
        const auto [loss, gap] = loss_.cost(row, f);
        found.loss += loss;
        found.gap += gap;
        const DualSlope at = loss_.slope(row, f, shrink_above_, shrink_below_);
        if (at.rests) {
            row.aside = true;
            return;
        }
        highest = std::max(highest, at.projected);
        lowest = std::min(lowest, at.projected);
        if (std::abs(at.projected) > 1e-13) {
            move(i, row, at.slope);
            found.at_rest = false;
        }
    }

    MARGIN_INLINED void move(std::size_t i, DualRow& row, double slope) {
        const double before = row.alpha;
        row.alpha = loss_.moved(row, slope, row.square + eta_ + loss_.diagonal(row));
        const double change = (row.alpha - before) * Loss::side(row);
        if (change == 0)
            return;
        rows_.add(i, change, w_.data());
        balance_ += change;
    }

    void wake() {
        monitor_.check();
        live_.wake();
        for (DualRow& row : row_)
            row.aside = false;
        shrink_above_ = std::numeric_limits<double>::infinity();
        shrink_below_ = -shrink_above_;
    }

    /// Both objectives from all rows. An intercept that is not quite balanced costs, to first order, what is taken off.
    void look(LinearDualSolution& found) {
        const double b = set_.intercept ? b0_ : 0.0;
        const auto [loss, gap] = reduce_in_order(
            row_.size(), 1024, n_threads_, monitor_, [] { return std::pair(0.0, 0.0); },
            [&](std::pair<double, double>& part, std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) {
                    const auto [l, g] = loss_.cost(row_[i], rows_.dot(i, w_.data()) + b);
                    part.first += l;
                    part.second += g;
                }
            },
            [](std::pair<double, double>& to, const std::pair<double, double>& part) {
                to.first += part.first;
                to.second += part.second;
            });
        found.w.assign(w_.begin(), w_.begin() + static_cast<std::ptrdiff_t>(rows_.width()));
        found.intercept = b;
        found.primal = 0.5 * length() + loss;
        const double short_of = set_.intercept ? 2 * std::abs(balance_) * (1 + std::abs(b)) - b * balance_ : 0.0;
        found.dual = found.primal - std::max(gap, 0.0) - short_of;
        found.converged = found.primal - found.dual <= set_.tol * found.primal + rounding_;
    }

    const Rows& rows_;
    const Loss loss_;
    const LinearDualSettings& set_;
    std::size_t n_threads_;
    Monitor& monitor_;
    std::vector<double> w_;
    std::vector<DualRow> row_;
    LiveRows live_;
    double rounding_ = 0; // what is left of losses of 1 when they are rounded
    double eta_ = 0, b0_ = 0, balance_ = 0;
    double shrink_above_ = std::numeric_limits<double>::infinity(), shrink_below_ = -shrink_above_;
};

} // namespace detail

/// Solve one problem. Requires targets of +1 or -1, or finite ones with a tube, bound[i] > 0, fewer than 2^32 rows.
/// Sequential but for the looks at all rows; O(cells) a pass. The same bits for any number of threads.
template <class Rows, class Loss>
LinearDualSolution solve_linear_dual(const Rows& rows, const Loss& loss, std::span<const double> target,
                                     std::span<const double> bound, const LinearDualSettings& settings,
                                     std::size_t n_threads, Monitor& monitor) {
    return detail::DualDescent<Rows, Loss>(rows, loss, target, bound, settings, n_threads, monitor).solve();
}

} // namespace margin::svm
