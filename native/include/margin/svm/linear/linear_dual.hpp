#pragma once
// Coordinate descent on the dual of a linear support vector machine.
//
//     min  1/2 |sum_i alpha_i s_i x_i|^2 + sum_i (d_i alpha_i^2 / 2 - alpha_i),   0 <= alpha_i <= u_i
// with d = 0, u = c for the hinge and d = 1 / (2 c), u = infinity for its square. The weights w = sum alpha s x are kept
// up to date, so that one coordinate costs two looks at its row. Hsieh, Chang, Lin, Keerthi, Sundararajan (2008), "A
// dual coordinate descent method for large-scale linear SVM", algorithm 3 (random order, rows at rest left aside).
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
    bool squared, intercept;
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

namespace detail {

template <class Rows>
class DualDescent {
public:
    /// sign[i] is +1 or -1, bound[i] > 0.
    DualDescent(const Rows& rows, std::span<const double> sign, std::span<const double> bound,
                const LinearDualSettings& set, std::size_t n_threads, Monitor& monitor)
        : rows_(rows), set_(set), n_threads_(n_threads), monitor_(monitor), w_(linear::padded(rows.width())),
          row_(sign.size()), live_(sign.size()) {
        parallel_for(sign.size(), 1024, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
            for (std::size_t i = begin; i < end; ++i)
                row_[i] = {0, sign[i], bound[i], rows_.square(i), false};
        });
        double sum = 0, lighter[2] = {};
        for (const Row& row : row_) {
            sum += row.square;
            lighter[row.sign > 0] += row.bound;
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
    struct Row { // in one place, for rows come in random order
        double alpha, sign, bound, square;
        bool aside;
    };

    struct Pass {
        double gap = 0, loss = 0; // as each row found them when it was visited
        bool at_rest = true;      // nothing moved
    };

    double diagonal(const Row& row) const noexcept { return set_.squared ? 0.5 / row.bound : 0.0; }
    double most(const Row& row) const noexcept {
        return set_.squared ? std::numeric_limits<double>::infinity() : row.bound;
    }

    double length() const noexcept {
        double sum = 0;
        for (const double v : w_)
            sum += v * v;
        return sum;
    }

    /// What a row with some margin costs, and how far its multiplier is from the best one (Fenchel and Young).
    std::pair<double, double> cost(const Row& row, double m) const noexcept {
        const double left = 0.5 * ((1 - m) + std::abs(1 - m));
        const double loss = set_.squared ? row.bound * left * left : row.bound * left;
        return {loss, loss - row.alpha * (1 - m) + 0.5 * diagonal(row) * row.alpha * row.alpha};
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
        Row& row = row_[i];
        const double m = row.sign * (rows_.dot(i, w_.data()) + b0_ + eta_ * balance_);
        const auto [loss, gap] = cost(row, m);
        found.loss += loss;
        found.gap += gap;
        const double slope = m - 1 + diagonal(row) * row.alpha;
        const bool at_zero = row.alpha == 0, at_most = row.alpha == most(row);
        if ((at_zero && slope > shrink_above_) || (at_most && slope < shrink_below_)) {
            row.aside = true;
            return;
        }
        const double projected = at_zero ? std::min(slope, 0.0) : at_most ? std::max(slope, 0.0) : slope;
        highest = std::max(highest, projected);
        lowest = std::min(lowest, projected);
        if (std::abs(projected) > 1e-13) {
            move(i, row, slope);
            found.at_rest = false;
        }
    }

    MARGIN_INLINED void move(std::size_t i, Row& row, double slope) {
        const double curvature = row.square + eta_ + diagonal(row), before = row.alpha;
        // A row without cells and curvature pulls nothing: its multiplier goes where its slope says.
        const double wanted = curvature > 0 ? before - slope / curvature : slope < 0 ? row.bound : 0.0;
        row.alpha = std::clamp(wanted, 0.0, most(row));
        const double change = (row.alpha - before) * row.sign;
        if (change == 0)
            return;
        rows_.add(i, change, w_.data());
        balance_ += change;
    }

    void wake() {
        monitor_.check();
        live_.wake();
        for (Row& row : row_)
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
                    const auto [l, g] = cost(row_[i], row_[i].sign * (rows_.dot(i, w_.data()) + b));
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
    const LinearDualSettings& set_;
    std::size_t n_threads_;
    Monitor& monitor_;
    std::vector<double> w_;
    std::vector<Row> row_;
    LiveRows live_;
    double rounding_ = 0; // what is left of losses of 1 when they are rounded
    double eta_ = 0, b0_ = 0, balance_ = 0;
    double shrink_above_ = std::numeric_limits<double>::infinity(), shrink_below_ = -shrink_above_;
};

} // namespace detail

/// Solve one problem. Requires sign[i] = +1 or -1, bound[i] > 0, fewer than 2^32 rows. Sequential but for the looks at
/// all rows; O(cells) a pass. The same bits for any number of threads.
template <class Rows>
LinearDualSolution solve_linear_dual(const Rows& rows, std::span<const double> sign, std::span<const double> bound,
                                     const LinearDualSettings& settings, std::size_t n_threads, Monitor& monitor) {
    return detail::DualDescent<Rows>(rows, sign, bound, settings, n_threads, monitor).solve();
}

} // namespace margin::svm
