#pragma once
// One threshold drawn at random for a column of a node: nothing is sorted and nothing counted by codes.
#include "cases.hpp"
#include "coded_table.hpp"
#include "margin/tree/binned/bin_proposals.hpp"
#include "margin/tree/random/random_split.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace margin::ensemble {

using tree::BinCommon, tree::BinNode, tree::BinSplit;

/// Requires a table coded exactly: a code for every different number. One for each worker.
template <class Case>
class RandomThreshold {
public:
    using Target = typename Case::Target;

    RandomThreshold(const CodedTable& table, const BinCommon& common, std::size_t width)
        : table_(table), common_(common), width_(width), parts_(3 * (width + 1)), low_(width), high_(width) {}

    /// What column j proposes; false if all cases have the same code. O(n) time. Missing cells are tried on both sides;
    /// where all known numbers are equal, they are parted from the missing ones.
    bool weigh(std::span<const Case> cases, std::size_t j, const BinNode& node,
               const tree::BinProposals<Target>& proposals, BinSplit& best) {
        const tree::BinnedColumn& column = table_.columns[j];
        const auto n_bins = static_cast<std::uint32_t>(column.n_bins);
        const auto [lowest, highest, has_missing] = read_codes(cases, j, n_bins);
        if (lowest > highest || (lowest == highest && !has_missing))
            return false;
        Threshold at{lowest, n_bins, std::numeric_limits<double>::quiet_NaN()};
        if (lowest < highest)
            at = draw(column, j, lowest, highest, node);
        add_up(cases, at.cut, n_bins);
        for (const std::int32_t missing : {1, 0})
            if (missing == 1 || (has_missing && lowest < highest))
                offer(at, j, missing, has_missing, node, proposals, best);
        return true;
    }

private:
    static constexpr std::size_t few = 32; // cases
    struct Range {
        std::uint32_t lowest, highest;
        bool has_missing;
    };
    struct Threshold {
        std::uint32_t cut, next; // next: any code of the high side
        double number;           // NaN for codes without numbers
    };

    Range read_codes(std::span<const Case> cases, std::size_t j, std::uint32_t n_bins) {
        codes_.resize(cases.size());
        Range range{n_bins, 0, false};
        table_.with_codes(j, [&](const auto* codes) {
            for (std::size_t i = 0; i < cases.size(); ++i) {
                const std::uint32_t code = codes[cases[i].row];
                codes_[i] = code;
                range.lowest = std::min(range.lowest, code);
                range.highest = std::max(range.highest, code == n_bins ? 0 : code);
                range.has_missing |= code == n_bins;
            }
        });
        if (range.lowest == n_bins) // nothing is known
            range.has_missing = false;
        return range;
    }

    Threshold draw(const tree::BinnedColumn& column, std::size_t j, std::uint32_t lowest, std::uint32_t highest,
                   const BinNode& node) const {
        const std::vector<double>& value = column.cuts.value;
        const bool coded = column.coded;
        const double t = tree::drawn_between(coded ? lowest : value[lowest], coded ? highest : value[highest],
                                             node.seed, node.path, j);
        if (coded) { // written down as the largest code that lies below
            std::uint32_t cut = lowest;
            for (const std::uint32_t code : codes_)
                cut = code <= t ? std::max(cut, code) : cut;
            return {cut, highest, std::numeric_limits<double>::quiet_NaN()};
        }
        if (codes_.size() <= few) { // a search among all numbers waits for memory at every step, these loads do not
            std::uint32_t cut = lowest;
            for (const std::uint32_t code : codes_)
                if (code <= highest && value[code] <= t)
                    cut = std::max(cut, code);
            return {cut, highest, t};
        }
        const auto begin = value.begin() + lowest;
        const auto above = std::upper_bound(begin, value.begin() + highest, t);
        return {static_cast<std::uint32_t>(above - value.begin()) - 1, highest, t};
    }

    /// Sums of the low side, of the high side and of missing cells; no branch on the side, which cannot be foretold.
    void add_up(std::span<const Case> cases, std::uint32_t cut, std::uint32_t n_bins) {
        std::ranges::fill(parts_, 0.0);
        for (std::size_t i = 0; i < cases.size(); ++i) {
            double* const at = part((codes_[i] > cut) + (codes_[i] == n_bins));
            cases[i].add_to(at);
            at[width_] += static_cast<double>(cases[i].times());
        }
    }
    double* part(std::size_t k) noexcept { return parts_.data() + k * (width_ + 1); }

    void offer(const Threshold& at, std::size_t j, std::int32_t missing, bool has_missing, const BinNode& node,
               const tree::BinProposals<Target>& proposals, BinSplit& best) {
        const auto& settings = common_.settings;
        const double *const known = part(0), *const absent = part(2);
        for (std::size_t k = 0; k < width_; ++k) {
            low_[k] = known[k] + (missing == 0 ? absent[k] : 0.0);
            high_[k] = node.sum[k] - low_[k];
        }
        const auto n_low = static_cast<std::size_t>(known[width_] + (missing == 0 ? absent[width_] : 0.0));
        const double weight = Target::weight(low_.data(), width_), rest = node.weight - weight;
        const std::size_t least = std::max<std::size_t>(settings.min_leaf, 1);
        if (n_low < least || node.n - n_low < least || weight < settings.min_leaf_weight ||
            rest < settings.min_leaf_weight || !keeps_order(j, weight, rest, node))
            return;
        const double gain =
            (node.loss - (proposals.loss(low_.data(), weight) + proposals.loss(high_.data(), rest))) / node.weight;
        if (!tree::beats(gain, j, at.cut, best))
            return;
        best.found = true;
        best.gain = best.score = gain;
        best.column = static_cast<std::uint32_t>(j);
        best.ask = tree::Ask::threshold;
        best.codes.clear();
        best.cut = at.cut;
        best.next = at.next;
        best.drawn = at.number;
        best.missing = missing;
        best.sees_missing = has_missing;
        best.n_low = n_low;
        best.low_weight = weight;
        best.low = low_;
    }

    bool keeps_order(std::size_t j, double weight, double rest, const BinNode& node) const {
        const auto& monotone = common_.settings.monotone;
        if (monotone.empty() || monotone[j] == 0)
            return true;
        const double a = tree::bounded_value<Target>(low_.data(), weight),
                     b = tree::bounded_value<Target>(high_.data(), rest);
        return (a - b) * monotone[j] <= 0 && std::min(a, b) >= node.bounds.lowest &&
               std::max(a, b) <= node.bounds.highest;
    }

    const CodedTable& table_;
    const BinCommon& common_;
    std::size_t width_;
    std::vector<std::uint32_t> codes_;
    std::vector<double> parts_, low_, high_;
};

} // namespace margin::ensemble
