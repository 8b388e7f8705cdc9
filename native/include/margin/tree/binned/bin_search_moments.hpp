#pragma once
// The best split of a node where a loss is that of a mean: squared error, and Gini for two classes with weights.
#include "bin_draw.hpp"
#include "bin_node.hpp"
#include "bin_search_sums.hpp"
#include "histogram_moments.hpp"
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace margin::tree {

/// One for each worker: it keeps its room from node to node. Requires no monotone columns.
template <class Code, class Criterion, class Tally>
class MomentSearch final : public BinSearch<Code, Tally> {
    static_assert(Criterion::is_mean(2), "only losses of means");

public:
    using Target = typename Tally::Target;
    using Number = typename Tally::Number;
    using Rows = BinRows<Code, typename Tally::Item>;
    /// Nodes up to this size need no histogram: rows are sorted, 32 columns at a time.
    static constexpr std::size_t direct_rows = 48;

    MomentSearch(const BinCommon& common, Tally tally)
        : BinSearch<Code, Tally>(common, direct_rows), common_(common), settings_(common.settings),
          columns_(common.columns), tally_(tally),
          levels_(common, tally, proposals_by<Criterion, Target>(common, tally.width())), draw_(common.columns.size()) {
        std::size_t most_bins = 0;
        for (const BinnedColumn& column : columns_)
            most_bins = std::max(most_bins, column.n_bins + 1);
        column_bins_.resize(most_bins * tally.cell());
        cuts_.make_room(std::max(most_bins, direct_rows));
        ranks_.resize((columns_.size() + lanes - 1) / lanes * direct_rows);
        ranked_.resize(ranks_.size() / direct_rows);
    }

    double loss(const double* sum, double weight) const noexcept override { return Criterion::loss(sum, 2, weight); }

    void best(const Rows& rows, const BinNode& node, const Number* histogram, BinSplit& split) override {
        node_ = &node;
        split_ = &split;
        split.found = false;
        best_score_ = 0;
        levels_.begin(node, split);
        if (node.n <= direct_rows)
            take_items(rows);
        if (this->draws) {
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

private:
    static constexpr std::size_t lanes = std::tuple_size_v<CodeRow<Code>>;

    /// What column j proposes, from its rows; false if all of them are in one bin.
    bool weigh_rows(const Rows& rows, std::size_t j) {
        if (columns_[j].nominal)
            return levels_.weigh_rows(rows, j);
        if (node_->n <= direct_rows) {
            sort_cuts(rows, j);
        } else {
            const std::size_t cell = tally_.cell();
            for (std::size_t i = node_->begin; i < node_->begin + node_->n; ++i)
                tally_.add(column_bins_.data() + rows.codes(node_->half, i)[j] * cell, rows.item(node_->half, i));
            gather_cuts(j, column_bins_.data());
            std::fill_n(column_bins_.begin(), (columns_[j].n_bins + 1) * cell, Number{0});
        }
        return propose(j);
    }

    void weigh_bins(std::size_t j, const Number* bins) {
        if (columns_[j].nominal) {
            levels_.weigh_bins(j, bins);
            return;
        }
        gather_cuts(j, bins);
        propose(j);
    }

    // ---- thresholds from bins

    /// Thresholds behind the bins that are held, without a jump for those that are not.
    void gather_cuts(std::size_t j, const Number* bins) {
        const std::size_t n_bins = columns_[j].n_bins, cell = tally_.cell();
        double n = 0, weight = 0, sum = 0;
        std::size_t m = 0;
        for (std::size_t b = 0; b < n_bins; ++b) {
            const Moments bin = moments_of_bin(tally_, bins + b * cell);
            n += bin.n;
            weight += bin.weight;
            sum += bin.sum;
            cuts_.n[m] = n;
            cuts_.weight[m] = weight;
            cuts_.sum[m] = sum;
            cuts_.code[m] = static_cast<std::uint32_t>(b);
            m += bin.n > 0;
        }
        cuts_.size = m;
        cuts_.code[m] = static_cast<std::uint32_t>(n_bins);
        absent_ = moments_of_bin(tally_, bins + n_bins * cell);
    }

    // ---- thresholds from rows

    void take_items(const Rows& rows) {
        for (std::size_t i = 0; i < node_->n; ++i)
            items_[i] = moments_of_row(rows.item(node_->half, node_->begin + i));
        std::fill(ranked_.begin(), ranked_.end(), false);
    }

    /// The ranks of the rows in column j and its neighbours.
    const CodeRow<Code>* ranks(const Rows& rows, std::size_t j) {
        const std::size_t block = j / lanes, width = std::min(lanes, columns_.size() - block * lanes);
        CodeRow<Code>* const rank = ranks_.data() + block * direct_rows;
        if (!ranked_[block]) {
            for (std::size_t i = 0; i < node_->n; ++i)
                std::memcpy(rows_[i].data(), rows.codes(node_->half, node_->begin + i) + block * lanes,
                            width * sizeof(Code));
            rank_rows(rows_.data(), node_->n, rank);
            ranked_[block] = true;
        }
        return rank;
    }

    /// Thresholds behind rows whose successor has another code.
    void sort_cuts(const Rows& rows, std::size_t j) {
        const std::size_t n_rows = node_->n;
        const CodeRow<Code>* const rank = ranks(rows, j);
        std::array<std::uint32_t, direct_rows> order;
        for (std::size_t i = 0; i < n_rows; ++i)
            order[rank[i][j % lanes]] = static_cast<std::uint32_t>(i);
        for (std::size_t k = 0; k < n_rows; ++k)
            cuts_.code[k] = rows.codes(node_->half, node_->begin + order[k])[j];
        const auto n_bins = static_cast<std::uint32_t>(columns_[j].n_bins);
        std::size_t n_known = n_rows;
        absent_ = {};
        while (n_known > 0 && cuts_.code[n_known - 1] == n_bins)
            absent_.add(items_[order[--n_known]]);
        cuts_.code[n_known] = n_bins;
        Moments below;
        for (std::size_t k = 0; k < n_known; ++k) {
            below.add(items_[order[k]]);
            cuts_.n[k] = cuts_.code[k] != cuts_.code[k + 1] ? below.n : MomentCuts::none;
            cuts_.weight[k] = below.weight;
            cuts_.sum[k] = below.sum;
        }
        cuts_.size = n_known;
    }

    // ---- the best of them

    bool propose(std::size_t j) {
        if (cuts_.size == 0 || (absent_.n == 0 && cuts_.code[0] == cuts_.code[cuts_.size - 1]))
            return false;
        pass(j, {}, 1);
        if (absent_.n > 0)
            pass(j, absent_, 0);
        return true;
    }

    /// One pass; `low` are missing cells on the low side.
    void pass(std::size_t j, const Moments& low, std::int32_t missing) {
        const auto least = static_cast<double>(std::max<std::size_t>(settings_.min_leaf, 1));
        const double largest = score_moments(cuts_, {static_cast<double>(node_->n), node_->weight, node_->sum[1], low.n,
                                                     low.weight, low.sum, least, settings_.min_leaf_weight});
        // But for rounding, gains are scores divided by the same number for all columns: most columns end here.
        const double rounding = 0x1p-48 * node_->sum[1] * node_->sum[1];
        if (largest < 0 || largest < best_score_ * (1 - 0x1p-10) - rounding)
            return;
        best_score_ = std::max(best_score_, largest);
        const auto at = static_cast<std::size_t>(
            std::find(cuts_.score.data(), cuts_.score.data() + cuts_.size, largest) - cuts_.score.data());
        const Moments below{cuts_.n[at] + low.n, cuts_.weight[at] + low.weight, cuts_.sum[at] + low.sum};
        const auto low_sum = below.template sums<Target>();
        const std::array high_sum{node_->sum[0] - low_sum[0], node_->sum[1] - low_sum[1]};
        const double gain = (node_->loss - (Criterion::loss(low_sum.data(), 2, below.weight) +
                                            Criterion::loss(high_sum.data(), 2, node_->weight - below.weight))) /
                            node_->weight;
        if (!beats(gain, j, cuts_.code[at], *split_))
            return;
        BinSplit& best = *split_;
        best.found = true;
        best.gain = best.score = gain;
        best.column = static_cast<std::uint32_t>(j);
        best.ask = Ask::threshold;
        best.codes.clear();
        best.cut = cuts_.code[at];
        best.next = cuts_.code[at + 1];
        best.missing = missing;
        best.sees_missing = absent_.n > 0;
        best.n_low = static_cast<std::size_t>(below.n);
        best.low_weight = below.weight;
        best.low.assign(low_sum.begin(), low_sum.end());
    }

    const BinCommon& common_;
    const Settings& settings_;
    const std::vector<BinnedColumn>& columns_;
    Tally tally_;
    SumSearch<Code, Tally> levels_;
    ColumnDraw draw_;
    std::vector<Number> column_bins_; // zeros between uses
    MomentCuts cuts_;
    Moments absent_;
    std::array<Moments, direct_rows> items_;
    std::array<CodeRow<Code>, direct_rows> rows_{};
    std::vector<CodeRow<Code>> ranks_; // `direct_rows` for every 32 columns
    std::vector<bool> ranked_;
    double best_score_ = 0;

    const BinNode* node_ = nullptr;
    BinSplit* split_ = nullptr;
};

} // namespace margin::tree
