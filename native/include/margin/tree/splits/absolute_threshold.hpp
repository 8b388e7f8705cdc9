#pragma once
// The best split of a column under the absolute error: losses of all beginnings and ends of its order, found by adding
// one case after another to the sums of ranks.
#include "candidate.hpp"
#include "margin/core/monitor.hpp"
#include "margin/tree/exact/node.hpp"
#include "margin/tree/targets/absolute.hpp"
#include "margin/tree/targets/bounds.hpp"
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace margin::tree {

/// Keeps the threshold with the smallest loss of both sides in an order of cases. O(n log n) time, O(n) memory.
class AbsoluteSweep {
public:
    AbsoluteSweep(const Node<Values>& node, const TargetRanks& ranks, std::span<const Entry> known,
                  std::span<const Entry> missing, Monitor* monitor)
        : node_(node), ranks_(ranks), known_(known), missing_(missing), monitor_(monitor),
          directed_(node.settings.missing == MissingSplit::direction) {
        for (const Entry& e : missing)
            missing_weight_ += node.cases.weight_of(e.place);
    }

    /// The best threshold; `way` as in Settings::monotone. Codes are those of the entries.
    Candidate run(std::int8_t way) {
        way_ = way;
        whole_ = loss_of_all();
        look(1);
        if (directed_ && !missing_.empty())
            look(0);
        return best_;
    }

private:
    void add(std::span<const Entry> entries) {
        for (const Entry& e : entries)
            add(e);
    }
    void add(const Entry& e) {
        if (monitor_ && ++n_added_ % 4096 == 0) // a column of a million cases takes longer than anyone wants to wait
            monitor_->check();
        const auto& cases = node_.cases;
        sums_.add(ranks_.rank[e.place], cases.weight_of(e.place), cases.target[e.place].part);
    }

    double loss_of_all() {
        sums_.clear(ranks_.y.size());
        add(known_);
        if (directed_)
            add(missing_);
        return known_.empty() ? 0.0 : sums_.median(ranks_.y.data()).loss;
    }

    /// Thresholds with missing cells in branch `missing`, if they go one way at all.
    void look(std::int32_t missing) {
        const std::size_t n = known_.size();
        if (n == 0)
            return;
        const bool low_missing = directed_ && missing == 0, high_missing = directed_ && missing == 1;
        low_.resize(n);
        sums_.clear(ranks_.y.size());
        if (low_missing)
            add(missing_);
        for (std::size_t i = 0; i < n; ++i) {
            add(known_[i]);
            low_[i] = sums_.median(ranks_.y.data());
        }
        sums_.clear(ranks_.y.size());
        if (high_missing)
            add(missing_);
        double high_weight = high_missing ? missing_weight_ : 0.0;
        if (high_missing && !missing_.empty())
            consider(n - 1, missing_code, missing_.size(), high_weight, missing);
        for (std::size_t i = n - 1; i-- > 0;) {
            add(known_[i + 1]);
            high_weight += node_.cases.weight_of(known_[i + 1].place);
            if (known_[i].code != known_[i + 1].code)
                consider(i, known_[i + 1].code, n - 1 - i + (high_missing ? missing_.size() : 0), high_weight, missing);
        }
    }

    void consider(std::size_t i, code_t next, std::size_t n_high, double high_weight, std::int32_t missing) {
        const Settings& s = node_.settings;
        const std::size_t n_all = directed_ ? node_.cases.n : known_.size();
        const double all_weight = directed_ ? node_.weight : node_.weight - missing_weight_;
        if (!large_enough(s, n_high, high_weight) || !large_enough(s, n_all - n_high, all_weight - high_weight))
            return;
        const Median high = sums_.median(ranks_.y.data()), low = low_[i];
        if (way_ != 0 && ((low.value - high.value) * way_ > 0 || std::min(low.value, high.value) < node_.lowest ||
                          std::max(low.value, high.value) > node_.highest))
            return;
        const double gain = (whole_ - (low.loss + high.loss)) / node_.weight;
        const code_t cut = known_[i].code;
        if (best_.found && (gain < best_.gain || (gain == best_.gain && cut > best_.cut) ||
                            (gain == best_.gain && cut == best_.cut && missing == 0)))
            return;
        best_.found = true;
        best_.gain = best_.score = gain;
        best_.ask = Ask::threshold;
        best_.cut = cut;
        best_.next = next;
        best_.missing = directed_ ? missing : -1;
        best_.split_info =
            split_information(std::array{all_weight - high_weight, high_weight, directed_ ? 0.0 : missing_weight_});
    }

    const Node<Values>& node_;
    const TargetRanks& ranks_;
    std::span<const Entry> known_, missing_;
    Monitor* monitor_;
    std::size_t n_added_ = 0;
    bool directed_;
    std::int8_t way_ = 0;
    double missing_weight_ = 0, whole_ = 0;
    RankSums sums_;
    std::vector<Median> low_;
    Candidate best_;
};

/// The entries of a nominal column with its levels in the order of their medians, and the level at each place of it.
/// The best division of levels need not keep to this order, but is rarely found far from it.
inline std::vector<code_t> order_by_median(const Node<Values>& node, const TargetRanks& ranks,
                                           std::span<const Entry> known, std::vector<Entry>& ordered) {
    struct Level {
        double median;
        code_t code;
        std::size_t begin, end;
    };
    std::vector<Level> levels;
    std::vector<std::pair<double, double>> items;
    for (std::size_t begin = 0, end; begin < known.size(); begin = end) {
        items.clear();
        double all = 0, below = 0;
        for (end = begin; end < known.size() && known[end].code == known[begin].code; ++end) {
            const auto place = known[end].place;
            items.emplace_back(ranks.y[ranks.rank[place]], node.cases.weight_of(place));
            all += items.back().second;
        }
        std::ranges::sort(items);
        std::size_t at = 0;
        while (at + 1 < items.size() && 2 * (below + items[at].second) < all)
            below += items[at++].second;
        levels.push_back({items[at].first, known[begin].code, begin, end});
    }
    std::ranges::stable_sort(levels, {}, &Level::median);
    std::vector<code_t> codes;
    for (const Level& level : levels) {
        for (std::size_t i = level.begin; i < level.end; ++i)
            ordered.push_back({static_cast<code_t>(codes.size()), known[i].place});
        codes.push_back(level.code);
    }
    return codes;
}

/// The best split of column k: a threshold, or two sets of levels along the order of their medians.
/// `monitor`, if any, may end it before.
inline Candidate best_absolute(const Node<Values>& node, std::size_t k, const TargetRanks& ranks, Monitor* monitor) {
    const auto entries = node.cases.column(k);
    const std::uint32_t column = node.cases.columns[k];
    std::size_t n_known = entries.size();
    while (n_known > 0 && entries[n_known - 1].code == missing_code)
        --n_known;
    const auto known = entries.first(n_known), missing = entries.subspan(n_known);
    Candidate best;
    if (!node.columns[column].nominal) {
        best = AbsoluteSweep(node, ranks, known, missing, monitor)
                   .run(node.settings.monotone.empty() ? 0 : node.settings.monotone[column]);
    } else {
        std::vector<Entry> ordered;
        const auto codes = order_by_median(node, ranks, known, ordered);
        best = AbsoluteSweep(node, ranks, ordered, missing, monitor).run(0);
        best.ask = Ask::subset;
        if (best.found)
            best.codes.assign(codes.begin(), codes.begin() + best.cut + 1);
        std::ranges::sort(best.codes);
    }
    best.column = column;
    return best;
}

} // namespace margin::tree
