#pragma once
// What the bins of one column propose: sums of bins in, the best split out, for any target and any weights.
#include "bin_node.hpp"
#include "margin/tree/exact/prepared.hpp"
#include "margin/tree/random/random_levels.hpp"
#include "margin/tree/splits/level_order.hpp"
#include "margin/tree/splits/nominal_subset.hpp"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

namespace margin::tree {

/// The bins of a column, gathered by a search, and what they propose. Only what is behind these calls knows the
/// criterion: searches and growers are compiled for rows and histograms, not for criteria.
template <class Target>
class BinProposals {
public:
    explicit BinProposals(std::size_t width) { bins.clear(width); }
    virtual ~BinProposals() = default;

    Groups bins;            // that rows of the node hold in one column, the first n_held of them
    std::size_t n_held = 0; // missing cells aside

    virtual double loss(const double* sum, double weight) const noexcept = 0;

    /// A split that beats this one takes its place.
    void begin(const BinNode& node, BinSplit& split) noexcept {
        node_ = &node;
        split_ = &split;
    }

    /// What the bins propose as column j; false if all rows are in one.
    virtual bool weigh_column(std::size_t j) = 0;

protected:
    const BinNode* node_ = nullptr;
    BinSplit* split_ = nullptr;
};

/// One for each worker: it keeps its room from node to node.
template <class Criterion, class Target>
class ProposalsBy final : public BinProposals<Target> {
public:
    ProposalsBy(const BinCommon& common, std::size_t width)
        : BinProposals<Target>(width), common_(common), settings_(common.settings), columns_(common.columns),
          width_(width), low_(width), high_(width), best_low_(width), none_(width) {}

    double loss(const double* sum, double weight) const noexcept override {
        return Criterion::loss(sum, width_, weight);
    }

    bool weigh_column(std::size_t j) override {
        if (n_held + (bins.n_missing > 0 ? 1 : 0) < 2)
            return false;
        if (columns_[j].nominal) {
            propose_levels(j);
            return true;
        }
        sweep(j, none_.data(), 0, 1);
        if (bins.n_missing > 0)
            sweep(j, bins.missing_sum.data(), bins.n_missing, 0);
        return true;
    }

private:
    using BinProposals<Target>::bins, BinProposals<Target>::n_held;
    using BinProposals<Target>::node_, BinProposals<Target>::split_;

    // ---- thresholds

    struct Cut {
        bool found = false;
        std::size_t at = 0; // of the bins that are held
        std::size_t n_low = 0;
        double low_weight = 0;
    };

    /// All thresholds of a column, with missing cells in branch `missing`; `low` lies on the low side beforehand.
    void sweep(std::size_t j, const double* low, std::size_t n_low, std::int32_t missing) {
        const bool last = missing == 1 && bins.n_missing > 0; // known against missing
        const std::size_t n_cuts = n_held - (last || n_held == 0 ? 0 : 1);
        const Cut cut = best_cut(j, low, n_low, n_cuts);
        if (!cut.found)
            return;
        for (std::size_t k = 0; k < width_; ++k)
            high_[k] = node_->sum[k] - best_low_[k];
        const double gain = (node_->loss - (Criterion::loss(best_low_.data(), width_, cut.low_weight) +
                                            Criterion::loss(high_.data(), width_, node_->weight - cut.low_weight))) /
                            node_->weight;
        BinSplit& best = *split_;
        if (!beats(gain, j, bins.first[cut.at], best))
            return;
        best.found = true;
        best.gain = best.score = gain;
        best.column = static_cast<std::uint32_t>(j);
        best.ask = Ask::threshold;
        best.codes.clear();
        best.cut = bins.first[cut.at];
        best.next = cut.at + 1 < n_held ? bins.first[cut.at + 1] : static_cast<code_t>(columns_[j].n_bins);
        best.missing = missing;
        best.sees_missing = bins.n_missing > 0;
        best.n_low = cut.n_low;
        best.low_weight = cut.low_weight;
        best.low = best_low_;
    }

    /// By the same expressions as where columns are sorted (threshold.hpp).
    Cut best_cut(std::size_t j, const double* low, std::size_t n_low, std::size_t n_cuts) {
        const std::int8_t way = settings_.monotone.empty() ? 0 : settings_.monotone[j];
        if (way != 0)
            return run<double>(low, n_low, n_cuts, [&](double weight, double rest) {
                const double a = bounded_value<Target>(low_.data(), weight),
                             b = bounded_value<Target>(high_.data(), rest);
                const bool kept = (a - b) * way <= 0 && std::min(a, b) >= node_->bounds.lowest &&
                                  std::max(a, b) <= node_->bounds.highest;
                return kept ? -losses(weight, rest) : -std::numeric_limits<double>::infinity();
            });
        if (Criterion::is_mean(width_))
            return run<double>(low, n_low, n_cuts, [&](double weight, double rest) {
                const double apart = low_[1] * node_->weight - weight * node_->sum[1];
                return apart * apart * (1 / (weight * rest));
            });
        if constexpr (Criterion::counted != Counted::nothing)
            if (common_.whole)
                return best_counted(low, n_low, n_cuts);
        return run<double>(low, n_low, n_cuts, [&](double weight, double rest) { return -losses(weight, rest); });
    }

    Cut best_counted(const double* low, std::size_t n_low, std::size_t n_cuts) {
        if constexpr (Criterion::counted == Counted::squares)
            return run<double>(low, n_low, n_cuts, [&](double weight, double rest) {
                return squares(low_) / weight + squares(high_) / rest;
            });
        else if constexpr (Criterion::counted == Counted::logarithms)
            return run<std::int64_t>(
                low, n_low, n_cuts, [&](double weight, double rest) { return logs(low_, weight) + logs(high_, rest); });
        else
            static_assert(has_case<Criterion::counted>, "no pass that counts this");
    }

    double losses(double weight, double rest) const noexcept {
        return Criterion::loss(low_.data(), width_, weight) + Criterion::loss(high_.data(), width_, rest);
    }
    double squares(const std::vector<double>& sum) const noexcept {
        double total = 0;
        for (const double s : sum)
            total += s * s;
        return total;
    }
    std::int64_t logs(const std::vector<double>& sum, double weight) const noexcept {
        const auto& table = common_.logs.x_log_x;
        std::int64_t total = -table[static_cast<std::size_t>(weight)];
        for (const double s : sum)
            total += table[static_cast<std::size_t>(s)];
        return total;
    }

    /// The first threshold of the largest score; it leaves the sum of its low side in best_low_. O(bins K).
    template <class Score, class ScoreOf>
    Cut run(const double* low, std::size_t n_low, std::size_t n_cuts, ScoreOf&& score_of) {
        std::copy_n(low, width_, low_.begin());
        double weight = n_low > 0 ? bins.missing_weight : 0.0;
        const std::size_t least = std::max<std::size_t>(settings_.min_leaf, 1);
        Cut best;
        Score largest{};
        for (std::size_t i = 0; i < n_cuts; ++i) {
            const double* const sum = bins.sum_of(i);
            for (std::size_t k = 0; k < width_; ++k) {
                low_[k] += sum[k];
                high_[k] = node_->sum[k] - low_[k];
            }
            weight += bins.weight[i];
            n_low += bins.n[i];
            const double rest = node_->weight - weight;
            if (n_low < least || node_->n - n_low < least || weight < settings_.min_leaf_weight ||
                rest < settings_.min_leaf_weight)
                continue;
            const Score score = score_of(weight, rest);
            if constexpr (std::is_same_v<Score, double>)
                if (score == -std::numeric_limits<double>::infinity())
                    continue;
            if (best.found && score <= largest)
                continue;
            largest = score;
            best = {true, i, n_low, weight};
            best_low_ = low_;
        }
        return best;
    }

    // ---- levels

    /// Subsets of levels as nominal_subset.hpp finds them, each bin being a level.
    void propose_levels(std::size_t j) {
        bins.first.resize(n_held);
        bins.n.resize(n_held);
        bins.weight.resize(n_held);
        bins.sum.resize(n_held * width_);
        if (bins.n_missing == 0) {
            bins.missing_weight = 0;
            std::ranges::fill(bins.missing_sum, 0.0);
        }
        cases_.n = node_->n;
        const Node<Target> node{cases_,
                                no_columns_,
                                settings_,
                                width_,
                                {node_->sum, node_->sum + width_},
                                node_->weight,
                                node_->loss,
                                node_->bounds.lowest,
                                node_->bounds.highest,
                                common_.all_weight,
                                node_->seed,
                                node_->path};
        Candidate split;
        split.column = static_cast<std::uint32_t>(j);
        split.ask = Ask::subset;
        if (settings_.random_splits)
            propose_random_levels<Criterion>(node, bins, split);
        else if (settings_.nominal == NominalSplit::one_vs_rest)
            propose_one_level<Criterion>(node, bins, split);
        else
            propose_subset<Criterion>(node, bins, true, split);
        if (!split.found || !beats(split.gain, j, 0, *split_))
            return;
        static_cast<Candidate&>(*split_) = std::move(split);
        split_->sees_missing = bins.n_missing > 0;
        add_up_low();
    }

    void add_up_low() {
        split_->n_low = 0;
        split_->low_weight = 0;
        split_->low.assign(width_, 0.0);
        const auto add = [&](const double* sum, double weight, std::size_t n) {
            for (std::size_t k = 0; k < width_; ++k)
                split_->low[k] += sum[k];
            split_->low_weight += weight;
            split_->n_low += n;
        };
        for (std::size_t i = 0; i < bins.size(); ++i)
            if (std::ranges::binary_search(split_->codes, bins.first[i]))
                add(bins.sum_of(i), bins.weight[i], bins.n[i]);
        if (split_->missing == 0)
            add(bins.missing_sum.data(), bins.missing_weight, bins.n_missing);
    }

    const BinCommon& common_;
    const Settings& settings_;
    const std::vector<BinnedColumn>& columns_;
    std::size_t width_;
    std::vector<double> low_, high_, best_low_, none_;
    Segment<Target> cases_; // counts only
    std::vector<Column> no_columns_;
};

/// Proposals under a criterion.
template <class Criterion, class Target>
std::unique_ptr<BinProposals<Target>> proposals_by(const BinCommon& common, std::size_t width) {
    return std::make_unique<ProposalsBy<Criterion, Target>>(common, width);
}

#define MARGIN_PROPOSE(Criterion, Target)                                                                              \
    extern template std::unique_ptr<BinProposals<Target>> proposals_by<Criterion, Target>(const BinCommon&, std::size_t)
MARGIN_FOR_CRITERIA(MARGIN_PROPOSE);
#undef MARGIN_PROPOSE

} // namespace margin::tree
