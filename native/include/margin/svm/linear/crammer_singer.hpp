#pragma once
// Coordinate descent on the dual of Crammer and Singer's machine for several classes.
//
//     min  1/2 sum_k |w_k|^2 + sum_i c_i max_k (e_ik + f_k(x_i) - f_y(x_i)),   e_ik = 0 for k = y_i, else 1
// has the dual
//     min  1/2 sum_k |w_k|^2 + sum_ik e_ik alpha_ik,   w_k = sum_i alpha_ik x_i,
//     sum_k alpha_ik = 0,  alpha_ik <= c_i for k = y_i, else <= 0.
// The multipliers of one row are solved for together: with A = |x|^2 and B_k = f_k + e_k - A alpha_k they are
// min(upper_k, (beta - B_k) / A), and beta is found by sorting. Crammer, Singer (2001); Keerthi, Sundararajan, Chang,
// Hsieh, Lin (2008), "A sequential dual method for large scale multi-class linear SVMs".
//
// Intercepts that are not penalised ask for sum_i alpha_ik = 0; as in linear_dual.hpp, b = b0 + eta sum_i alpha_i.
#include "linear_order.hpp"
#include "linear_rows.hpp"
#include "margin/core/threads.hpp"
#include <cmath>
#include <limits>
#include <span>

namespace margin::svm {

struct CrammerSingerSettings {
    bool intercept;
    double tol; // relative gap
    std::size_t max_passes;
    std::uint64_t seed;
};

/// Weights with one row per class, intercepts, both objectives, passes, and whether the gap is closed.
struct CrammerSingerSolution {
    std::vector<double> w, intercept;
    double primal = 0, dual = 0;
    std::size_t passes = 0;
    bool converged = false;
};

namespace detail {

/// min A/2 |alpha|^2 + B . alpha with sum alpha = 0, alpha_y <= c and the others <= 0. O(K log K).
inline void solve_row(const double* b, double a, double c, std::size_t y, std::size_t classes, double* alpha,
                      std::vector<double>& room) {
    room.assign(b, b + classes);
    room[y] += a * c;
    std::sort(room.begin(), room.end(), std::greater<>());
    double beta = room[0] - a * c;
    std::size_t r = 1;
    for (; r < classes && beta < static_cast<double>(r) * room[r]; ++r)
        beta += room[r];
    beta /= static_cast<double>(r);
    for (std::size_t k = 0; k < classes; ++k)
        alpha[k] = std::min(k == y ? c : 0.0, (beta - b[k]) / a);
}

template <class Rows>
class CrammerSinger {
public:
    CrammerSinger(const Rows& rows, std::span<const std::int32_t> y, std::span<const double> bound, std::size_t classes,
                  const CrammerSingerSettings& set, Monitor& monitor)
        : rows_(rows), y_(y), bound_(bound), classes_(classes), lanes_((classes + 3) / 4 * 4), set_(set),
          monitor_(monitor), live_(y.size()), w_((rows.width() + 1) * lanes_), alpha_(y.size() * classes),
          square_(y.size()), aside_(y.size()), b0_(lanes_), f_(lanes_), b_(classes), found_(classes), change_(lanes_) {
        double sum = 0;
        for (std::size_t i = 0; i < y.size(); ++i) {
            sum += square_[i] = rows.square(i);
            rounding_ += 1e-17 * bound[i];
        }
        eta_ = set.intercept ? (sum > 0 ? sum / static_cast<double>(y.size()) : 1.0) : 0.0;
    }

    CrammerSingerSolution solve() {
        CrammerSingerSolution found;
        const std::size_t most = set_.max_passes * y_.size(), most_rounds = 100 * set_.max_passes;
        double close = set_.tol;
        std::size_t visits = 0;
        for (std::size_t round = 0; visits < most && round < most_rounds; ++round) {
            visits += live_.size();
            found.passes = (visits + y_.size() - 1) / y_.size();
            const Pass pass = visit_all(round);
            for (std::size_t k = 0; k < classes_; ++k)
                b0_[k] += eta_ * balance()[k];
            if (pass.gap > 2 * close * (0.5 * length() + pass.loss) && pass.moved)
                continue;
            look(found);
            if (found.converged)
                return found;
            if (!pass.moved || live_.all())
                close *= 0.5;
            live_.wake();
            std::fill(aside_.begin(), aside_.end(), false);
            worst_ = std::numeric_limits<double>::infinity();
        }
        look(found);
        return found;
    }

private:
    struct Pass {
        double gap = 0, loss = 0;
        bool moved = false;
    };

    /// sum_i alpha_ik: the weights of a column of ones.
    double* balance() noexcept { return w_.data() + rows_.width() * lanes_; }

    double length() const noexcept {
        double sum = 0;
        for (std::size_t c = 0; c < rows_.width() * lanes_; ++c)
            sum += w_[c] * w_[c];
        return sum;
    }

    /// The scores of a row, with the intercepts as they stand for a share `eta` of the balance.
    void score(std::size_t i, double eta) {
        for (std::size_t k = 0; k < lanes_; ++k)
            f_[k] = b0_[k] + eta * balance()[k];
        double* f = f_.data();
        rows_.for_each_cell(i, [&](std::size_t j, double x) {
            const double* w = w_.data() + j * lanes_;
            for (std::size_t k = 0; k < lanes_; ++k)
                f[k] += x * w[k];
        });
    }

    /// Loss, and how far the multipliers of the row are from the best ones for its scores.
    std::pair<double, double> cost(std::size_t i) const {
        const auto y = static_cast<std::size_t>(y_[i]);
        const double* alpha = alpha_.data() + i * classes_;
        double highest = f_[y], pull = alpha[y] * f_[y];
        for (std::size_t k = 0; k < classes_; ++k)
            if (k != y) {
                highest = std::max(highest, f_[k] + 1);
                pull += alpha[k] * (f_[k] + 1);
            }
        const double loss = bound_[i] * (highest - f_[y]);
        return {loss, loss + pull};
    }

    Pass visit_all(std::size_t pass) {
        const auto order = live_.shuffled(set_.seed, pass, monitor_);
        Pass found;
        double worst = 0;
        for (std::size_t v = 0; v < order.size(); ++v) {
            if (v % 64 == 0)
                monitor_.check();
            if (v + visits_ahead < order.size())
                rows_.fetch(order[v + visits_ahead]);
            const std::size_t i = order[v];
            score(i, eta_);
            const auto [loss, gap] = cost(i);
            found.loss += loss;
            found.gap += gap;
            const double met = violation(i);
            if (met < -worst_) { // its class is ahead of all others by more than anything moves
                aside_[i] = true;
                continue;
            }
            worst = std::max(worst, met);
            if (met > 1e-13)
                found.moved |= move(i);
        }
        live_.leave_aside([this](std::uint32_t i) { return aside_[i]; }, monitor_);
        worst_ = worst > 0 ? worst : std::numeric_limits<double>::infinity();
        return found;
    }

    /// How far the largest slope is above the smallest one of a class whose multiplier can still grow. Where only one can,
    /// the row is at rest while that one leads: then minus its lead.
    double violation(std::size_t i) const {
        const auto y = static_cast<std::size_t>(y_[i]);
        const double* alpha = alpha_.data() + i * classes_;
        double highest = -std::numeric_limits<double>::infinity(), lowest = -highest; // of those at and below bounds
        double highest_free = highest;
        std::size_t free = 0;
        for (std::size_t k = 0; k < classes_; ++k) {
            const double g = f_[k] + (k == y ? 0.0 : 1.0), upper = k == y ? bound_[i] : 0.0;
            if (alpha[k] < upper) {
                ++free;
                lowest = std::min(lowest, g);
                highest_free = std::max(highest_free, g);
            } else {
                highest = std::max(highest, g);
            }
        }
        return free == 1 ? highest - lowest : std::max(highest, highest_free) - lowest;
    }

    bool move(std::size_t i) {
        const auto y = static_cast<std::size_t>(y_[i]);
        const double a = square_[i] + eta_;
        double* alpha = alpha_.data() + i * classes_;
        if (!(a > 0))
            return false;
        for (std::size_t k = 0; k < classes_; ++k)
            b_[k] = f_[k] + (k == y ? 0.0 : 1.0) - a * alpha[k];
        solve_row(b_.data(), a, bound_[i], y, classes_, found_.data(), room_);
        double most = 0;
        for (std::size_t k = 0; k < classes_; ++k) {
            change_[k] = found_[k] - alpha[k];
            alpha[k] = found_[k];
            balance()[k] += change_[k];
            most = std::max(most, std::abs(change_[k]));
        }
        const double* change = change_.data();
        rows_.for_each_cell(i, [&](std::size_t j, double x) {
            double* w = w_.data() + j * lanes_;
            for (std::size_t k = 0; k < lanes_; ++k)
                w[k] += x * change[k];
        });
        return most > 1e-14 * bound_[i];
    }

    /// Both objectives from all rows; intercepts that are not quite balanced cost, to first order, what is taken off.
    void look(CrammerSingerSolution& found) {
        double loss = 0, gap = 0;
        for (std::size_t i = 0; i < y_.size(); ++i) {
            if (i % 64 == 0)
                monitor_.check();
            score(i, 0.0);
            const auto [l, g] = cost(i);
            loss += l;
            gap += g;
        }
        double short_of = 0;
        found.intercept.assign(b0_.begin(), b0_.begin() + static_cast<std::ptrdiff_t>(classes_));
        for (std::size_t k = 0; set_.intercept && k < classes_; ++k)
            short_of += 2 * std::abs(balance()[k]) * (1 + std::abs(b0_[k])) - b0_[k] * balance()[k];
        found.w.resize(classes_ * rows_.width());
        for (std::size_t k = 0; k < classes_; ++k)
            for (std::size_t j = 0; j < rows_.width(); ++j)
                found.w[k * rows_.width() + j] = w_[j * lanes_ + k];
        found.primal = 0.5 * length() + loss;
        found.dual = found.primal - std::max(gap, 0.0) - short_of;
        found.converged = found.primal - found.dual <= set_.tol * found.primal + rounding_;
    }

    const Rows& rows_;
    std::span<const std::int32_t> y_;
    std::span<const double> bound_;
    std::size_t classes_, lanes_;
    const CrammerSingerSettings& set_;
    Monitor& monitor_;
    LiveRows live_;
    std::vector<double> w_, alpha_, square_; // weights: a line of lanes for each column
    std::vector<bool> aside_;
    std::vector<double> b0_, f_, b_, found_, change_, room_;
    double rounding_ = 0; // what is left of losses of 1 when they are rounded
    double eta_ = 0, worst_ = std::numeric_limits<double>::infinity();
};

} // namespace detail

/// Solve. Requires y[i] in [0, classes), bound[i] > 0, fewer than 2^32 rows. Sequential; O(cells classes) a pass.
template <class Rows>
CrammerSingerSolution solve_crammer_singer(const Rows& rows, std::span<const std::int32_t> y,
                                           std::span<const double> bound, std::size_t classes,
                                           const CrammerSingerSettings& settings, Monitor& monitor) {
    return detail::CrammerSinger<Rows>(rows, y, bound, classes, settings, monitor).solve();
}

} // namespace margin::svm
