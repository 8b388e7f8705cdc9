#pragma once
// The best split of a node that holds two classes, all rows counting 1.
#include "bin_draw.hpp"
#include "bin_search_sums.hpp"
#include "histogram_pairs.hpp"
#include "margin/tree/settings.hpp"
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace margin::tree {

/// One for each worker: it keeps its room from node to node.
template <class Code, class Criterion, class Word>
class PairSearch final : public BinSearch<Code, PairTally<Word>> {
public:
    using Tally = PairTally<Word>;
    using Rows = BinRows<Code, std::uint16_t>;
    /// Nodes up to this size need no histogram: all rows are compared with all others, 32 columns at a time.
    static constexpr std::size_t direct_rows = sizeof(Code) == 1 ? 64 : 0;

    PairSearch(const BinCommon& common, Tally tally)
        : BinSearch<Code, Tally>(common, direct_rows), columns_(common.columns), first_(common.first),
          settings_(common.settings), levels_(common, tally, proposals_by<Criterion, Classes>(common, 2)),
          draw_(columns_.size()), least_(std::max({static_cast<double>(common.settings.min_leaf),
                                                   std::ceil(common.settings.min_leaf_weight), 1.0})) {
        std::size_t most_bins = 0;
        for (const BinnedColumn& column : columns_)
            most_bins = std::max(most_bins, column.n_bins + 1);
        below_.resize(most_bins + 16);
        loss_.resize(most_bins + 16);
        column_bins_.resize(most_bins);
    }

    double loss(const double* sum, double weight) const noexcept override { return Criterion::loss(sum, 2, weight); }

    void best(const Rows& rows, const BinNode& node, const Word* histogram, BinSplit& split) override {
        node_ = &node;
        split_ = &split;
        split.found = false;
        levels_.begin(node, split);
        limit_ = std::numeric_limits<float>::infinity();
        totals_ = {static_cast<float>(node.sum[0]), static_cast<float>(node.sum[1]), static_cast<float>(least_)};
        if (this->draws)
            draw_columns(rows);
        else if (node.n > direct_rows)
            for (std::size_t j = 0; j < columns_.size(); ++j)
                weigh_column(j, histogram + first_[j]);
        else if constexpr (direct_rows > 0)
            compare_rows(rows);
        if (split.found && split.ask == Ask::threshold)
            complete(rows, histogram);
    }

private:
    void weigh_column(std::size_t j, const Word* bins) {
        if (columns_[j].nominal) {
            levels_.weigh_bins(j, bins);
            return;
        }
        sweep(j, bins, 0, 1);
        if (columns_[j].has_missing && bins[columns_[j].n_bins] != 0)
            sweep(j, bins, bins[columns_[j].n_bins], 0);
    }

    /// Columns in random order until enough were seen that vary and one of them has a split.
    void draw_columns(const Rows& rows) {
        draw_.begin(settings_.seed, node_->path);
        for (std::size_t n_seen = 0; draw_.more() && (n_seen < settings_.max_features || !split_->found);) {
            const std::size_t j = draw_.next();
            const Word of_all = count_column(rows, j);
            if (column_bins_[rows.codes(node_->half, node_->begin)[j]] == of_all)
                continue; // one bin holds all rows
            ++n_seen;
            weigh_column(j, column_bins_.data());
        }
    }

    /// The bins of one column, counted; gives the sum of all.
    Word count_column(const Rows& rows, std::size_t j) {
        std::fill_n(column_bins_.begin(), columns_[j].n_bins + 1, Word{0});
        Word all = 0;
        for (std::size_t i = node_->begin; i < node_->begin + node_->n; ++i) {
            const Word one = Tally::one(rows.item(node_->half, i));
            column_bins_[rows.codes(node_->half, i)[j]] += one;
            all += one;
        }
        return all;
    }

    /// All thresholds of a column, with missing cells in branch `missing`.
    void sweep(std::size_t j, const Word* bins, Word before, std::int32_t missing) {
        const std::size_t n_bins = columns_[j].n_bins;
        if (!is_near(detail::rough_losses<Criterion>(bins, n_bins, before, totals_, below_.data(), loss_.data())))
            return;
        Cut best;
        for (std::size_t b = 0; b < n_bins; ++b)
            if (loss_[b] <= limit_ && bins[b] != 0)
                weigh(static_cast<code_t>(b), Tally::zeros(below_[b]), Tally::ones(below_[b]), best);
        propose(j, best, missing);
    }

    /// Whether a rough loss may be that of the best threshold so far, or a better one.
    bool is_near(float least) noexcept {
        if (!(least <= limit_) || std::isinf(least))
            return false;
        limit_ = std::min(limit_, least * rough_margin);
        return true;
    }

    struct Cut {
        bool found = false;
        double score = 0;
        code_t at = 0;
        double zeros = 0, ones = 0;
    };

    /// Exactly, by the same expression as where columns are sorted. Of equal scores the smallest threshold wins.
    void weigh(code_t at, std::size_t n_zeros, std::size_t n_ones, Cut& best) const {
        const auto zeros = static_cast<double>(n_zeros), ones = static_cast<double>(n_ones);
        const double score = exact_score<Criterion>(*node_, zeros, ones);
        if (!best.found || score > best.score || (score == best.score && at < best.at))
            best = {true, score, at, zeros, ones};
    }

    void propose(std::size_t j, const Cut& cut, std::int32_t missing) {
        if (!cut.found)
            return;
        const std::array low{cut.zeros, cut.ones}, high{node_->sum[0] - cut.zeros, node_->sum[1] - cut.ones};
        const double gain = (node_->loss - (Criterion::loss(low.data(), 2, low[0] + low[1]) +
                                            Criterion::loss(high.data(), 2, high[0] + high[1]))) /
                            node_->weight;
        BinSplit& best = *split_;
        if (!beats(gain, j, cut.at, best))
            return;
        best.found = true;
        best.gain = best.score = gain;
        best.column = static_cast<std::uint32_t>(j);
        best.ask = Ask::threshold;
        best.codes.clear();
        best.cut = cut.at;
        best.missing = missing;
        best.n_low = static_cast<std::size_t>(cut.zeros + cut.ones);
        best.low_weight = cut.zeros + cut.ones;
        best.low.assign(low.begin(), low.end());
    }

    /// The rows of a small node, those of the first class first.
    std::size_t sort_by_class(const Rows& rows) {
        std::size_t n_zeros = 0, n_ones = 0;
        const auto zeros = static_cast<std::size_t>(node_->sum[0]);
        for (std::size_t i = node_->begin; i < node_->begin + node_->n; ++i) {
            const bool one = rows.item(node_->half, i) != 0;
            sorted_[one ? zeros + n_ones : n_zeros] = rows.codes(node_->half, i);
            n_ones += one;
            n_zeros += !one;
        }
        return n_zeros;
    }

    /// All rows against all others, 32 codes at a time: few columns stand side by side several times, and as many
    /// thresholds are looked at together.
    void compare_rows(const Rows& rows)
        requires(direct_rows > 0)
    {
        const std::size_t d = columns_.size(), n = node_->n, n_zeros = sort_by_class(rows);
        for (std::size_t first = 0; first < d; first += detail::pair_lanes) {
            const std::size_t m = std::min(detail::pair_lanes, d - first), width = std::bit_ceil(m),
                              copies = detail::pair_lanes / width, n_cuts = (n - 1) / copies + 1;
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t c = 0; c < copies; ++c)
                    std::memcpy(rows_[i].data() + c * width, sorted_[i] + first, width);
            for (std::size_t i = 0; i < n_cuts * copies; ++i) // the last row fills up what is left
                std::memcpy(cuts_[i / copies].data() + i % copies * width, sorted_[std::min(i, n - 1)] + first, width);
            detail::rough_pairs<Criterion>(rows_.data(), n_zeros, n, cuts_.data(), n_cuts, totals_, zeros_.data(),
                                           ones_.data(), pair_loss_.data());
            std::array<float, detail::pair_lanes> least;
            detail::least_losses(pair_loss_.data(), n_cuts, least);
            for (std::size_t j = 0; j < m; ++j) {
                if (columns_[first + j].nominal)
                    continue;
                Cut best;
                for (std::size_t l = j; l < detail::pair_lanes; l += width)
                    if (is_near(least[l]))
                        for (std::size_t i = 0; i < n_cuts; ++i)
                            if (pair_loss_[i][l] <= limit_)
                                weigh(cuts_[i][l], zeros_[i][l], ones_[i][l], best);
                propose(first + j, best, 1);
            }
        }
        for (std::size_t j = 0; j < d; ++j)
            if (columns_[j].nominal)
                levels_.weigh_rows(rows, j);
            else if (columns_[j].has_missing)
                send_missing_low(rows, j);
    }

    void send_missing_low(const Rows& rows, std::size_t j) {
        count_column(rows, j);
        if (const Word missing = column_bins_[columns_[j].n_bins]; missing != 0)
            sweep(j, column_bins_.data(), missing, 0);
    }

    /// The bin above the threshold that rows of the node hold.
    void complete(const Rows& rows, const Word* histogram) {
        BinSplit& best = *split_;
        const auto n_bins = static_cast<code_t>(columns_[best.column].n_bins);
        best.next = n_bins;
        best.sees_missing = false;
        if (histogram) {
            const Word* bins = histogram + first_[best.column];
            for (best.next = best.cut + 1; best.next < n_bins && bins[best.next] == 0;)
                ++best.next;
            best.sees_missing = bins[n_bins] != 0;
            return;
        }
        for (std::size_t i = node_->begin; i < node_->begin + node_->n; ++i)
            if (const code_t code = rows.codes(node_->half, i)[best.column]; code > best.cut) {
                best.next = std::min(best.next, code);
                best.sees_missing |= code == n_bins;
            }
    }

    const std::vector<BinnedColumn>& columns_;
    const std::vector<std::uint32_t>& first_;
    const Settings& settings_;
    SumSearch<Code, Tally> levels_;
    ColumnDraw draw_;
    double least_;
    std::vector<Word> below_, column_bins_;
    std::vector<float> loss_;
    std::array<const Code*, direct_rows> sorted_;
    std::array<detail::PairRow, direct_rows> rows_, cuts_, zeros_, ones_;
    std::array<std::array<float, detail::pair_lanes>, direct_rows> pair_loss_;

    const BinNode* node_ = nullptr;
    BinSplit* split_ = nullptr;
    PairTotals totals_{};
    float limit_ = 0;
};

} // namespace margin::tree
