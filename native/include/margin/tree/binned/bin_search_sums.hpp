#pragma once
// The best split of a node for any target and any weights, from the sums of its bins.
#include "bin_draw.hpp"
#include "bin_proposals.hpp"
#include "bin_search.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace margin::tree {

/// One for each worker: it keeps its room from node to node.
template <class Code, class Tally>
class SumSearch final : public BinSearch<Code, Tally> {
public:
    using Target = typename Tally::Target;
    using Number = typename Tally::Number;
    using Rows = BinRows<Code, typename Tally::Item>;
    using Proposals = BinProposals<Target>;
    /// Nodes up to this size need no histogram: the bins of one column at a time are filled and emptied again.
    static constexpr std::size_t direct_rows = 32;

    SumSearch(const BinCommon& common, Tally tally, std::unique_ptr<Proposals> proposals)
        : BinSearch<Code, Tally>(common, direct_rows), common_(common), settings_(common.settings),
          columns_(common.columns), tally_(tally), width_(tally.width()), proposals_(std::move(proposals)),
          bins_(proposals_->bins), n_held_(proposals_->n_held), draw_(common.columns.size()) {
        std::size_t most_bins = 0;
        for (const BinnedColumn& column : columns_)
            most_bins = std::max(most_bins, column.n_bins + 1);
        column_bins_.resize(most_bins * tally.cell());
    }

    double loss(const double* sum, double weight) const noexcept override { return proposals_->loss(sum, weight); }

    void best(const Rows& rows, const BinNode& node, const Number* histogram, BinSplit& split) override {
        begin(node, split);
        split.found = false;
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

    // One column at a time, for searches that have better ways with others: proposals that beat `split` take its place.

    void begin(const BinNode& node, BinSplit& split) noexcept {
        node_ = &node;
        proposals_->begin(node, split);
    }

    /// From the rows of the node; false if all of them are in one bin.
    [[gnu::noinline]] bool weigh_rows(const Rows& rows, std::size_t j) {
        gather_rows(rows, j);
        return proposals_->weigh_column(j);
    }

    /// From the bins of the column.
    [[gnu::noinline]] void weigh_bins(std::size_t j, const Number* bins) {
        gather_bins(bins, columns_[j].n_bins);
        proposals_->weigh_column(j);
    }

private:
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

    const BinCommon& common_;
    const Settings& settings_;
    const std::vector<BinnedColumn>& columns_;
    Tally tally_;
    std::size_t width_;
    std::unique_ptr<Proposals> proposals_;
    Groups& bins_; // of the proposals
    std::size_t& n_held_;
    std::vector<Number> column_bins_; // zeros between uses
    std::vector<Code> held_;
    ColumnDraw draw_;
    const BinNode* node_ = nullptr;
};

/// A search whose bins are weighed under a criterion.
template <class Criterion, class Code, class Tally>
std::unique_ptr<BinSearch<Code, Tally>> sum_search(const BinCommon& common, Tally tally) {
    return std::make_unique<SumSearch<Code, Tally>>(
        common, tally, proposals_by<Criterion, typename Tally::Target>(common, tally.width()));
}

} // namespace margin::tree
