#pragma once
// The best split of a node among columns drawn for it.
#include "cases.hpp"
#include "coded_table.hpp"
#include "margin/tree/binned/bin_draw.hpp"
#include "margin/tree/binned/bin_proposals.hpp"
#include "margin/tree/binned/histogram_moments.hpp"
#include "random_threshold.hpp"
#include "sorted_codes.hpp"
#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace margin::ensemble {

/// What one column is to a node: a run of cases for each code that is held, ascending, found by counting where codes
/// are few beside the cases, else by sorting. One for each worker: it keeps its room from node to node.
template <class Case>
class ColumnRuns {
public:
    /// Cells of `width` sums and a number of cases.
    ColumnRuns(const CodedTable& table, std::size_t width) : table_(table), width_(width) {}

    /// Call run(code, sums, n) for each code that is held, missing cells last, as code n_bins.
    template <class Run>
    void each(std::span<const Case> cases, std::size_t j, Run&& run) {
        const std::size_t n_codes = table_.columns[j].n_bins + 1;
        table_.with_codes(j, [&](const auto* codes) {
            if (n_codes <= 2 * cases.size())
                count(cases, codes, n_codes, run);
            else
                sort(cases, codes, n_codes, run);
        });
    }

private:
    template <class Code, class Run>
    void count(std::span<const Case> cases, const Code* codes, std::size_t n_codes, Run& run) {
        const std::size_t cell = width_ + 1;
        cells_.assign(n_codes * cell, 0.0);
        for (const Case& c : cases) {
            double* const at = cells_.data() + codes[c.row] * cell;
            c.add_to(at);
            at[width_] += static_cast<double>(c.times());
        }
        for (std::size_t code = 0; code < n_codes; ++code)
            if (const double* const at = cells_.data() + code * cell; at[width_] > 0)
                run(code, at, static_cast<std::size_t>(at[width_]));
    }

    template <class Code, class Run>
    void sort(std::span<const Case> cases, const Code* codes, std::size_t n_codes, Run& run) {
        keys_.resize(cases.size());
        for (std::size_t i = 0; i < cases.size(); ++i)
            keys_[i] = Key{codes[cases[i].row]} << 32 | i;
        sort_keys(keys_, n_codes, spare_);
        cells_.resize(width_);
        for (std::size_t begin = 0, end; begin < keys_.size(); begin = end) {
            const std::uint32_t code = code_of(keys_[begin]);
            std::fill(cells_.begin(), cells_.end(), 0.0);
            std::size_t n = 0;
            for (end = begin; end < keys_.size() && code_of(keys_[end]) == code; ++end) {
                const Case& c = cases[place_of(keys_[end])];
                c.add_to(cells_.data());
                n += c.times();
            }
            run(code, cells_.data(), n);
        }
    }

    const CodedTable& table_;
    std::size_t width_;
    tree::Buffer<double> cells_;
    std::vector<Key> keys_, spare_;
};

/// Under any criterion: proposals are weighed behind a virtual call, so that this is compiled once for each kind of case.
/// Losses of means without monotone columns are weighed here, all thresholds of a column in one go.
template <class Case>
class NodeSearch {
public:
    using Target = typename Case::Target;
    using Proposals = tree::BinProposals<Target>;

    NodeSearch(const CodedTable& table, const BinCommon& common, std::size_t width,
               std::unique_ptr<Proposals> proposals, bool by_moments)
        : table_(table), common_(common), width_(width), proposals_(std::move(proposals)), by_moments_(by_moments),
          varying_(table.varying()), runs_(table, width), random_(table, common, width), draw_(varying_.size()) {}

    double loss(const double* sum, double weight) const noexcept { return proposals_->loss(sum, weight); }

    /// Columns in random order until enough were seen that vary and one of them has a split; `seed` and the way to the
    /// node decide which (tree::ColumnDraw). `numbers` are those of random splits, else nothing.
    void best(std::span<const Case> cases, const BinNode& node, std::uint64_t seed, const NodeNumbers& numbers,
              BinSplit& split) {
        node_ = &node;
        numbers_ = &numbers;
        split_ = &split;
        split.found = false;
        best_score_ = 0;
        proposals_->begin(node, split);
        const std::size_t wanted = common_.settings.max_features;
        if (wanted >= varying_.size()) {
            for (const std::uint32_t j : varying_)
                weigh(cases, j);
            return;
        }
        draw_.begin(seed, node.path);
        for (std::size_t n_seen = 0; draw_.more() && (n_seen < wanted || !split.found);)
            n_seen += weigh(cases, varying_[draw_.next()]);
    }

private:
    /// What column j proposes; false if all cases have the same code.
    bool weigh(std::span<const Case> cases, std::size_t j) {
        if (table_.columns[j].nominal)
            return weigh_sums(cases, j);
        if (common_.settings.random_splits)
            return random_.weigh(cases, j, *node_, *numbers_, *proposals_, *split_);
        return by_moments_ ? weigh_moments(cases, j) : weigh_sums(cases, j);
    }

    bool weigh_sums(std::span<const Case> cases, std::size_t j) {
        tree::Groups& bins = proposals_->bins;
        const std::size_t n_bins = table_.columns[j].n_bins, most = std::min(n_bins, cases.size());
        if (bins.n.size() < most)
            bins.resize(most);
        bins.n_missing = 0;
        std::size_t& held = proposals_->n_held = 0;
        runs_.each(cases, j, [&](std::size_t code, const double* sum, std::size_t n) {
            if (code == n_bins) {
                std::copy_n(sum, width_, bins.missing_sum.begin());
                bins.n_missing = n;
                bins.missing_weight = Target::weight(sum, width_);
                return;
            }
            std::copy_n(sum, width_, bins.sum.begin() + static_cast<std::ptrdiff_t>(held * width_));
            bins.first[held] = static_cast<tree::code_t>(code);
            bins.n[held] = static_cast<std::uint32_t>(n);
            bins.weight[held++] = Target::weight(sum, width_);
        });
        return proposals_->weigh_column(j);
    }

    // ---- losses of means, as tree::MomentSearch has them

    bool weigh_moments(std::span<const Case> cases, std::size_t j) {
        const std::size_t n_bins = table_.columns[j].n_bins;
        if (const std::size_t most = std::min(n_bins, cases.size()) + 1; cuts_.code.size() < most + cuts_.lanes)
            cuts_.make_room(most);
        tree::Moments below, absent;
        std::size_t m = 0;
        runs_.each(cases, j, [&](std::size_t code, const double* sum, std::size_t n) {
            const tree::Moments run{static_cast<double>(n), Target::weight(sum, 2), sum[1]};
            if (code == n_bins) {
                absent = run;
                return;
            }
            below.add(run);
            cuts_.n[m] = below.n;
            cuts_.weight[m] = below.weight;
            cuts_.sum[m] = below.sum;
            cuts_.code[m++] = static_cast<std::uint32_t>(code);
        });
        cuts_.size = m;
        cuts_.code[m] = static_cast<std::uint32_t>(n_bins);
        if (m + (absent.n > 0 ? 1 : 0) < 2)
            return false;
        pass(j, {}, 1, absent.n > 0);
        if (absent.n > 0)
            pass(j, absent, 0, true);
        return true;
    }

    /// One pass; `low` are missing cells on the low side.
    void pass(std::size_t j, const tree::Moments& low, std::int32_t missing, bool sees_missing) {
        const auto& settings = common_.settings;
        const auto least = static_cast<double>(std::max<std::size_t>(settings.min_leaf, 1));
        const double largest =
            tree::score_moments(cuts_, {static_cast<double>(node_->n), node_->weight, node_->sum[1], low.n, low.weight,
                                        low.sum, least, settings.min_leaf_weight});
        // But for rounding, gains are scores divided by the same number for all columns: most columns end here.
        const double rounding = 0x1p-48 * node_->sum[1] * node_->sum[1];
        if (largest < 0 || largest < best_score_ * (1 - 0x1p-10) - rounding)
            return;
        best_score_ = std::max(best_score_, largest);
        const auto at = static_cast<std::size_t>(
            std::find(cuts_.score.data(), cuts_.score.data() + cuts_.size, largest) - cuts_.score.data());
        const tree::Moments below{cuts_.n[at] + low.n, cuts_.weight[at] + low.weight, cuts_.sum[at] + low.sum};
        const auto low_sum = below.template sums<Target>();
        const std::array high_sum{node_->sum[0] - low_sum[0], node_->sum[1] - low_sum[1]};
        const double gain =
            (node_->loss - (loss(low_sum.data(), below.weight) + loss(high_sum.data(), node_->weight - below.weight))) /
            node_->weight;
        if (!tree::beats(gain, j, cuts_.code[at], *split_))
            return;
        BinSplit& best = *split_;
        best.found = true;
        best.gain = best.score = gain;
        best.column = static_cast<std::uint32_t>(j);
        best.ask = tree::Ask::threshold;
        best.codes.clear();
        best.cut = cuts_.code[at];
        best.next = cuts_.code[at + 1];
        best.missing = missing;
        best.sees_missing = sees_missing;
        best.n_low = static_cast<std::size_t>(below.n);
        best.low_weight = below.weight;
        best.low.assign(low_sum.begin(), low_sum.end());
    }

    const CodedTable& table_;
    const BinCommon& common_;
    std::size_t width_;
    std::unique_ptr<Proposals> proposals_;
    bool by_moments_;
    std::vector<std::uint32_t> varying_;
    ColumnRuns<Case> runs_;
    RandomThreshold<Case> random_;
    tree::ColumnDraw draw_;
    tree::MomentCuts cuts_;
    double best_score_ = 0;
    const BinNode* node_ = nullptr;
    const NodeNumbers* numbers_ = nullptr;
    BinSplit* split_ = nullptr;
};

} // namespace margin::ensemble
