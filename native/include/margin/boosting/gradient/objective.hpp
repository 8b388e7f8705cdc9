#pragma once
// What is to be minimised: rows with targets, weights and scores, and a loss over them.
#include "linear_term.hpp"
#include "losses.hpp"
#include "margin/core/threads.hpp"
#include "softmax.hpp"
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace margin::boosting {

/// Targets (numbers, or codes of classes), weights (or none) and scores, class after class.
struct ScoredRows {
    std::vector<double> y, weight, scores;
    RawNumbers raw{}; // columns of numbers, where leaves are linear

    std::size_t size() const noexcept { return y.size(); }
    const double* weights() const noexcept { return weight.empty() ? nullptr : weight.data(); }
};

/// A loss by name, or the softmax of several classes.
class Objective {
public:
    static constexpr std::size_t block = 4096;

    /// The name of a loss whose derivatives are worked out elsewhere and handed over before each round.
    static constexpr std::string_view given = "given";

    Objective(const std::string& loss, double parameter, std::size_t n_scores)
        : functions_(loss_functions(n_scores > 1 || loss == given ? "log_loss" : loss, parameter)),
          parameter_(parameter), n_scores_(n_scores), is_given_(loss == given) {}

    void give(std::vector<double> g, std::vector<double> h) {
        g_ = std::move(g);
        h_ = std::move(h);
    }

    std::size_t n_scores() const noexcept { return n_scores_; }
    bool renewed() const noexcept { return !is_given_ && functions_.traits.renewed; }
    double share() const noexcept { return functions_.share; }

    /// Bring probabilities up to date with the scores, before the first tree of a round.
    void begin_round(const ScoredRows& rows, std::size_t n_threads, Monitor& monitor) {
        if (n_scores_ == 1 || is_given_)
            return;
        p_.resize(rows.scores.size());
        parallel_for(rows.size(), block, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
            detail::softmax_rows(rows.scores.data(), rows.size(), n_scores_, begin, end, p_.data());
        });
    }

    /// Derivatives of rows [begin, end) by their score k.
    void slopes(const ScoredRows& rows, std::size_t k, std::size_t begin, std::size_t end, double* g,
                double* h) const noexcept {
        const std::size_t n = end - begin;
        if (is_given_) {
            std::copy_n(g_.data() + k * rows.size() + begin, n, g);
            std::copy_n(h_.data() + k * rows.size() + begin, n, h);
        } else if (n_scores_ == 1)
            functions_.slopes(rows.scores.data() + begin, rows.y.data() + begin, n, parameter_, g, h);
        else
            detail::softmax_slopes(p_.data() + k * rows.size() + begin, rows.y.data() + begin, n,
                                   static_cast<double>(k), factor(), g, h);
    }

    /// The largest |g| and h of any row.
    std::pair<double, double> largest(const ScoredRows& rows, std::size_t n_threads, Monitor& monitor) const {
        if (is_given_) {
            std::pair<double, double> most(0, 0);
            for (std::size_t i = 0; i < g_.size(); ++i)
                most = {std::max(most.first, std::abs(g_[i])), std::max(most.second, h_[i])};
            return most;
        }
        if (n_scores_ > 1)
            return {1, 0.25 * factor()};
        if (functions_.traits.bounded)
            return {1, functions_.traits.most_h};
        using Pair = std::pair<double, double>;
        return reduce_in_order(
            rows.size(), 16 * block, n_threads, monitor, [] { return Pair(0, 0); },
            [&](Pair& most, std::size_t begin, std::size_t end) {
                std::array<double, block> g, h;
                for (; begin < end; begin += block) {
                    const std::size_t n = std::min(block, end - begin);
                    slopes(rows, 0, begin, begin + n, g.data(), h.data());
                    for (std::size_t i = 0; i < n; ++i) {
                        most.first = std::max(most.first, std::abs(g[i]));
                        most.second = std::max(most.second, h[i]);
                    }
                }
            },
            [](Pair& a, Pair&& b) { a = {std::max(a.first, b.first), std::max(a.second, b.second)}; });
    }

    /// The mean loss.
    double loss(const ScoredRows& rows, std::size_t n_threads, Monitor& monitor) const {
        if (is_given_)
            return 0; // known elsewhere
        const double* const w = rows.weights();
        using Pair = std::pair<double, double>;
        const Pair sums = reduce_in_order(
            rows.size(), block, n_threads, monitor, [] { return Pair(0, 0); },
            [&](Pair& sum, std::size_t begin, std::size_t end) {
                sum.first += n_scores_ > 1 ? detail::softmax_loss(rows.scores.data(), rows.y.data(), w, rows.size(),
                                                                  n_scores_, begin, end)
                                           : functions_.loss(rows.scores.data() + begin, rows.y.data() + begin,
                                                             w ? w + begin : nullptr, end - begin, parameter_);
                for (std::size_t i = begin; i < end; ++i)
                    sum.second += w ? w[i] : 1;
            },
            [](Pair& a, Pair&& b) { a = {a.first + b.first, a.second + b.second}; });
        return sums.second > 0 ? sums.first / sums.second : 0;
    }

private:
    double factor() const noexcept { return static_cast<double>(n_scores_) / static_cast<double>(n_scores_ - 1); }

    LossFunctions functions_;
    double parameter_;
    std::size_t n_scores_;
    bool is_given_;
    std::vector<double> g_, h_; // given derivatives: scores x rows
    std::vector<float> p_;
};

} // namespace margin::boosting
