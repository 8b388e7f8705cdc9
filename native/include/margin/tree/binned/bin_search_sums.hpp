#pragma once
// The best split of a node for any target and any weights, from the sums of its bins.
#include "bin_draw.hpp"
#include "bin_node.hpp"
#include "histogram.hpp"
#include "margin/tree/exact/prepared.hpp"
#include "margin/tree/splits/level_order.hpp"
#include "margin/tree/splits/nominal_subset.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace margin::tree {

/// One for each worker: it keeps its room from node to node.
template <class Code, class Criterion, class TallyOfRows>
class SumSearch {
public:
    using Tally = TallyOfRows;
    using Target = typename Tally::Target;
    using Number = typename Tally::Number;
    using Rows = BinRows<Code, typename Tally::Item>;
    /// Nodes up to this size need no histogram: the bins of one column at a time are filled and emptied again.
    static constexpr std::size_t direct_rows = 32;

    SumSearch(const BinCommon& common, Tally tally)
        : common_(common), settings_(common.settings), columns_(common.columns), tally_(tally), width_(tally.width()),
          low_(width_), high_(width_), best_low_(width_), none_(width_), draw_(common.columns.size()) {
        std::size_t most_bins = 0;
        for (const BinnedColumn& column : columns_)
            most_bins = std::max(most_bins, column.n_bins + 1);
        column_bins_.resize(most_bins * tally.cell());
        bins_.clear(width_);
    }

    /// Whether only some columns are looked at, which is done without histograms.
    bool draws() const noexcept { return settings_.max_features < columns_.size(); }

    /// `histogram` is not read for nodes of up to `direct_rows` rows.
    void best(const Rows& rows, const BinNode& node, const Number* histogram, BinSplit& split) {
        begin(node, split);
        split.found = false;
        if (draws()) {
            draw_.begin(settings_.seed, node.path);
            for (std::size_t n_seen = 0; draw_.more() && (n_seen < settings_.max_features || !split.found);)
                n_seen += weigh_rows(rows, draw_.next());
            return;
        }
        for (std::size_t j = 0; j < columns_.size(); ++j)
            if (node.n <= direct_rows)
                weigh_rows(rows, j);
            else
                weigh_bins(j, histogram + common_.first[j] * tally_.cell());
    }

    // One column at a time, for searches that have better ways with others: proposals that beat `split` take its place.

    void begin(const BinNode& node, BinSplit& split) noexcept {
        node_ = &node;
        split_ = &split;
    }

    /// From the rows of the node; false if all of them are in one bin.
    bool weigh_rows(const Rows& rows, std::size_t j) {
        gather_rows(rows, j);
        return weigh_column(j);
    }

    /// From the bins of the column.
    void weigh_bins(std::size_t j, const Number* bins) {
        gather_bins(bins, columns_[j].n_bins);
        weigh_column(j);
    }

private:
    /// What the bins that were gathered propose; false if all rows are in one.
    bool weigh_column(std::size_t j) {
        if (n_held_ + (bins_.n_missing > 0 ? 1 : 0) < 2)
            return false;
        if (columns_[j].nominal) {
            propose_levels(j);
            return true;
        }
        sweep(j, none_.data(), 0, 1);
        if (bins_.n_missing > 0)
            sweep(j, bins_.missing_sum.data(), bins_.n_missing, 0);
        return true;
    }

    // ---- the bins that rows of the node hold

    /// Room for so many bins; it is seldom made, since none is given back but for levels.
    void clear_bins(std::size_t most) {
        if (bins_.n.size() < most) {
            bins_.first.resize(most);
            bins_.n.resize(most);
            bins_.weight.resize(most);
            bins_.sum.resize(most * width_);
        }
        n_held_ = 0;
        bins_.n_missing = 0;
    }

    /// A bin counts only if rows are in it; it is written down all the same, which saves a jump.
    void add_bin(std::size_t bin, const Number* cell) {
        double* const sum = bins_.sum.data() + n_held_ * width_;
        const std::size_t n = tally_.read(cell, sum);
        bins_.first[n_held_] = static_cast<code_t>(bin);
        bins_.n[n_held_] = static_cast<std::uint32_t>(n);
        bins_.weight[n_held_] = Target::weight(sum, width_);
        n_held_ += n > 0;
    }

    void add_missing(const Number* cell) {
        bins_.n_missing = tally_.read(cell, bins_.missing_sum.data());
        bins_.missing_weight = Target::weight(bins_.missing_sum.data(), width_);
    }

    void gather_bins(const Number* cells, std::size_t n_bins) {
        clear_bins(n_bins);
        for (std::size_t b = 0; b < n_bins; ++b)
            add_bin(b, cells + b * tally_.cell());
        add_missing(cells + n_bins * tally_.cell());
    }

    void gather_rows(const Rows& rows, std::size_t j) {
        const std::size_t n_bins = columns_[j].n_bins, cell = tally_.cell();
        for (std::size_t i = node_->begin; i < node_->begin + node_->n; ++i)
            tally_.add(column_bins_.data() + rows.codes(node_->half, i)[j] * cell, rows.item(node_->half, i));
        if (node_->n > direct_rows) {
            gather_bins(column_bins_.data(), n_bins);
            std::fill_n(column_bins_.begin(), (n_bins + 1) * cell, Number{0});
            return;
        }
        clear_bins(n_bins);
        held_.clear();
        for (std::size_t i = node_->begin; i < node_->begin + node_->n; ++i)
            held_.push_back(rows.codes(node_->half, i)[j]);
        std::ranges::sort(held_);
        held_.erase(std::unique(held_.begin(), held_.end()), held_.end());
        for (const Code code : held_) {
            Number* const at = column_bins_.data() + code * cell;
            if (code < n_bins)
                add_bin(code, at);
            else
                add_missing(at);
            std::fill_n(at, cell, Number{0});
        }
    }

    // ---- thresholds

    struct Cut {
        bool found = false;
        std::size_t at = 0; // of the bins that are held
        std::size_t n_low = 0;
        double low_weight = 0;
    };

    /// All thresholds of a column, with missing cells in branch `missing`; `low` lies on the low side beforehand.
    void sweep(std::size_t j, const double* low, std::size_t n_low, std::int32_t missing) {
        const bool last = missing == 1 && bins_.n_missing > 0; // known against missing
        const std::size_t n_cuts = n_held_ - (last || n_held_ == 0 ? 0 : 1);
        const Cut cut = best_cut(j, low, n_low, n_cuts);
        if (!cut.found)
            return;
        for (std::size_t k = 0; k < width_; ++k)
            high_[k] = node_->sum[k] - best_low_[k];
        const double gain = (node_->loss - (Criterion::loss(best_low_.data(), width_, cut.low_weight) +
                                            Criterion::loss(high_.data(), width_, node_->weight - cut.low_weight))) /
                            node_->weight;
        BinSplit& best = *split_;
        if (!beats(gain, j, bins_.first[cut.at], best))
            return;
        best.found = true;
        best.gain = best.score = gain;
        best.column = static_cast<std::uint32_t>(j);
        best.ask = Ask::threshold;
        best.codes.clear();
        best.cut = bins_.first[cut.at];
        best.next = cut.at + 1 < n_held_ ? bins_.first[cut.at + 1] : static_cast<code_t>(columns_[j].n_bins);
        best.missing = missing;
        best.sees_missing = bins_.n_missing > 0;
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
        double weight = n_low > 0 ? bins_.missing_weight : 0.0;
        const std::size_t least = std::max<std::size_t>(settings_.min_leaf, 1);
        Cut best;
        Score largest{};
        for (std::size_t i = 0; i < n_cuts; ++i) {
            const double* const sum = bins_.sum_of(i);
            for (std::size_t k = 0; k < width_; ++k) {
                low_[k] += sum[k];
                high_[k] = node_->sum[k] - low_[k];
            }
            weight += bins_.weight[i];
            n_low += bins_.n[i];
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
        bins_.first.resize(n_held_);
        bins_.n.resize(n_held_);
        bins_.weight.resize(n_held_);
        bins_.sum.resize(n_held_ * width_);
        if (bins_.n_missing == 0) {
            bins_.missing_weight = 0;
            std::ranges::fill(bins_.missing_sum, 0.0);
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
                                common_.all_weight};
        Candidate split;
        split.column = static_cast<std::uint32_t>(j);
        split.ask = Ask::subset;
        if (settings_.nominal == NominalSplit::one_vs_rest)
            propose_one_level<Criterion>(node, bins_, split);
        else
            propose_subset<Criterion>(node, bins_, true, split);
        if (!split.found || !beats(split.gain, j, 0, *split_))
            return;
        static_cast<Candidate&>(*split_) = std::move(split);
        split_->sees_missing = bins_.n_missing > 0;
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
        for (std::size_t i = 0; i < bins_.size(); ++i)
            if (std::ranges::binary_search(split_->codes, bins_.first[i]))
                add(bins_.sum_of(i), bins_.weight[i], bins_.n[i]);
        if (split_->missing == 0)
            add(bins_.missing_sum.data(), bins_.missing_weight, bins_.n_missing);
    }

    const BinCommon& common_;
    const Settings& settings_;
    const std::vector<BinnedColumn>& columns_;
    Tally tally_;
    std::size_t width_;
    Groups bins_; // that rows of the node hold in one column, the first n_held_ of them
    std::size_t n_held_ = 0;
    std::vector<double> low_, high_, best_low_, none_;
    std::vector<Number> column_bins_; // zeros between uses
    std::vector<Code> held_;
    ColumnDraw draw_;
    Segment<Target> cases_; // counts only
    std::vector<Column> no_columns_;

    const BinNode* node_ = nullptr;
    BinSplit* split_ = nullptr;
};

} // namespace margin::tree
