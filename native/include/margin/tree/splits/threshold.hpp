#pragma once
// Two branches at a threshold, for numbers and ordered codes.
#include "candidate.hpp"
#include "margin/tree/exact/prepared.hpp"
#include "margin/tree/random/random_split.hpp"
#include "margin/tree/targets/bounds.hpp"
#include "sweep_several.hpp"
#include "sweep_sums.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace margin::tree {

/// The threshold of one column with the largest gain.
///
/// Missing cells: with MissingSplit::direction both ways are tried for each threshold, and known against missing; else
/// the gain is that of the known cases times their share (Quinlan 1993).
/// Of equal gains the smallest threshold wins, then missing cells to the right.
template <class Criterion, class Target>
class ThresholdSearch {
public:
    ThresholdSearch(const Node<Target>& node, std::size_t k, const Prepared<Target>& prepared, Scratch& scratch)
        : node_(node), cases_(node.cases), settings_(node.settings), entries_(node.cases.column(k)),
          prepared_(prepared), scratch_(scratch) {
        best_.column = cases_.columns[k];
        best_.ask = Ask::threshold;
        directed_ = settings_.missing == MissingSplit::direction;
        scratch.best.resize(node.width);
        count_missing();
    }

    /// O(n) where the loss is that of a mean or classes are counted, else O(n + codes K).
    Candidate run() {
        const double all_weight = directed_ ? node_.weight : node_.weight - absent_weight_;
        const double* all = directed_ ? node_.sum.data() : scratch_.known.data();
        const std::size_t n_all = directed_ ? entries_.size() : n_known_;
        const std::size_t n_missing = entries_.size() - n_known_;
        whole_ = directed_ ? node_.loss : Criterion::loss(scratch_.known.data(), node_.width, all_weight);
        least_weight_ = least_weight(all_weight);
        const std::size_t first = settings_.random_splits ? drawn_place() : 0;
        const auto until = [&](std::size_t last) { return settings_.random_splits ? std::min(first + 1, last) : last; };
        const std::size_t known_cuts = n_known_ - std::min<std::size_t>(n_known_, 1);
        look({entries_.data(), first, until(directed_ && n_missing > 0 ? n_known_ : known_cuts), 0, n_all,
              scratch_.none.data(), all, 0, all_weight, least_weight_},
             1);
        if (directed_ && n_missing > 0)
            look({entries_.data(), first, until(known_cuts), n_missing, n_all, scratch_.absent.data(), all,
                  absent_weight_, all_weight, least_weight_},
                 0);
        charge();
        best_.score = best_.gain;
        return std::move(best_);
    }

private:
    /// Where the one threshold stands that is drawn: behind the last number that is not above it. Of equal numbers all
    /// go low, and only missing cells high.
    std::size_t drawn_place() {
        if (n_known_ == 0 || entries_[0].code == entries_[n_known_ - 1].code)
            return n_known_ - std::min<std::size_t>(n_known_, 1);
        const std::vector<double>& value = node_.columns[best_.column].value;
        const auto number = [&](const Entry& e) { return value.empty() ? static_cast<double>(e.code) : value[e.code]; };
        const double t =
            drawn_between(number(entries_[0]), number(entries_[n_known_ - 1]), node_.seed, node_.path, best_.column);
        if (!value.empty())
            best_.drawn = t;
        const auto known = entries_.first(n_known_);
        const auto above = std::ranges::partition_point(known, [&](const Entry& e) { return number(e) <= t; });
        return static_cast<std::size_t>(above - known.begin()) - 1;
    }

    void count_missing() {
        scratch_.none.assign(node_.width, 0.0);
        n_known_ = entries_.size();
        if (n_known_ == 0 || entries_.back().code != missing_code) {
            if (!directed_)
                scratch_.known = node_.sum;
            return;
        }
        scratch_.absent.assign(node_.width, 0.0);
        double* const absent = scratch_.absent.data();
        while (n_known_ > 0 && entries_[n_known_ - 1].code == missing_code) {
            const auto place = entries_[--n_known_].place;
            Target::add(absent, cases_.target[place], cases_.weight_of(place));
        }
        absent_weight_ = Target::weight(absent, node_.width);
        scratch_.known.resize(node_.width);
        for (std::size_t c = 0; c < node_.width; ++c)
            scratch_.known[c] = node_.sum[c] - absent[c];
    }

    /// The weight that either branch must have.
    double least_weight(double known_weight) const {
        if (!settings_.tenth_per_class)
            return settings_.min_leaf_weight;
        const double classes = std::is_same_v<Target, Classes> ? static_cast<double>(node_.width) : 1.0;
        const auto least = static_cast<double>(settings_.min_leaf);
        return std::max(settings_.min_leaf_weight, std::max(least, std::min(0.1 * known_weight / classes, 25.0)));
    }

    /// One pass; missing cells go to branch `missing`.
    void look(Sweep sweep, std::int32_t missing) {
        narrow(sweep);
        if (sweep.first >= sweep.last)
            return;
        const Cut cut = pass(sweep);
        if (!cut.found)
            return;
        auto& high = scratch_.high;
        high.resize(node_.width);
        for (std::size_t c = 0; c < node_.width; ++c)
            high[c] = sweep.all[c] - scratch_.best[c];
        const double rest = sweep.all_weight - cut.low_weight;
        const double after = Criterion::loss(scratch_.best.data(), node_.width, cut.low_weight) +
                             Criterion::loss(high.data(), node_.width, rest);
        const double gain = (whole_ - after) / node_.weight;
        const code_t at = entries_[cut.at].code;
        if (best_.found && (gain < best_.gain || (gain == best_.gain && at >= best_.cut)))
            return;
        best_.found = true;
        best_.gain = gain;
        best_.cut = at;
        best_.next = cut.at + 1 < entries_.size() ? entries_[cut.at + 1].code : missing_code;
        best_.missing = directed_ ? missing : -1;
        if (settings_.gain_ratio)
            best_.split_info = split_information(std::array{cut.low_weight, rest, directed_ ? 0.0 : absent_weight_});
    }

    /// Leave out what too few cases on one side forbid. Where all weights are 1, weights are numbers of cases.
    void narrow(Sweep& sweep) const {
        std::size_t least = std::max<std::size_t>(settings_.min_leaf, 1);
        if (cases_.weight.empty() && sweep.least_weight > 0)
            least = std::max(least, static_cast<std::size_t>(std::ceil(sweep.least_weight)));
        sweep.first = std::max(sweep.first, least - std::min(least, sweep.n_low + 1));
        sweep.last = std::min(sweep.last, sweep.n_all - std::min(sweep.n_all, sweep.n_low + least));
    }

    Cut pass(const Sweep& sweep) {
        const std::int8_t way = settings_.monotone.empty() ? 0 : settings_.monotone[best_.column];
        if (way != 0)
            return sweep_sums<Criterion>(cases_, sweep, node_.width, scratch_,
                                         [&](const double* low, double low_weight, const double* high, double rest) {
                                             return keeps_order<Target>(node_, way, low, low_weight, high, rest);
                                         });
        if constexpr (!Target::several)
            if (Criterion::is_mean(node_.width)) {
                if (cases_.weight.empty() && sweep.n_all == cases_.n)
                    return sweep_equal_moments(cases_, sweep, prepared_.inverse.data(), scratch_);
                return sweep_weighted_moments(cases_, sweep, scratch_);
            }
        if constexpr (Criterion::counted != Counted::nothing)
            if (is_counted<Criterion>(node_.width, *prepared_.common))
                return count(sweep);
        return sweep_sums<Criterion>(cases_, sweep, node_.width, scratch_,
                                     [](const double*, double, const double*, double) { return true; });
    }

    Cut count(const Sweep& sweep) {
        if constexpr (Target::several && Criterion::counted == Counted::squares)
            return sweep_several<SquareParts>(cases_, sweep, node_.width, scratch_, {});
        else if constexpr (Target::several && Criterion::counted == Counted::logarithms)
            return sweep_several<LogParts>(cases_, sweep, node_.width, scratch_,
                                           {prepared_.common->logs.x_log_x.data()});
        else if constexpr (Criterion::counted == Counted::squares)
            return CountSweep<SquareParts>(cases_, prepared_.classes, sweep, scratch_).run({});
        else if constexpr (Criterion::counted == Counted::logarithms)
            return CountSweep<LogParts>(cases_, prepared_.classes, sweep, scratch_)
                .run({prepared_.common->logs.x_log_x.data()});
        else
            static_assert(has_case<Criterion::counted>, "no pass that counts this");
    }

    /// Having been chosen among many cuts costs what it takes to say which (Quinlan 1996).
    void charge() {
        if (best_.found && settings_.charge_cuts)
            best_.gain -= std::log2(static_cast<double>(n_cuts())) / node_.weight;
        if (settings_.no_useless_splits && best_.gain * node_.weight <= 1e-6)
            best_.found = false;
    }

    /// Thresholds that leave enough weight on either side, missing cells aside.
    std::size_t n_cuts() const {
        const double all = node_.weight - absent_weight_;
        double weight = 0;
        std::size_t n = 0;
        for (std::size_t i = 0; i + 1 < n_known_; ++i) {
            weight += cases_.weight_of(entries_[i].place);
            n += entries_[i].code != entries_[i + 1].code && weight >= least_weight_ && all - weight >= least_weight_ &&
                 i + 1 >= settings_.min_leaf && n_known_ - i - 1 >= settings_.min_leaf;
        }
        return std::max<std::size_t>(n, 1);
    }

    const Node<Target>& node_;
    const Segment<Target>& cases_;
    const Settings& settings_;
    std::span<const Entry> entries_;
    const Prepared<Target>& prepared_;
    Scratch& scratch_;
    std::size_t n_known_ = 0;
    double absent_weight_ = 0, whole_ = 0, least_weight_ = 0;
    bool directed_ = true;
    Candidate best_;
};

/// The best threshold of column k of the node's columns.
template <class Criterion, class Target>
Candidate best_threshold(const Node<Target>& node, std::size_t k, const Prepared<Target>& prepared, Scratch& scratch) {
    return ThresholdSearch<Criterion, Target>(node, k, prepared, scratch).run();
}

/// The same for a single column of a node.
template <class Criterion, class Target>
Candidate best_threshold(const Node<Target>& node, std::size_t k) {
    const Common common;
    Prepared<Target> prepared;
    prepared.template take<Criterion>(node, common);
    Scratch scratch;
    return best_threshold<Criterion>(node, k, prepared, scratch);
}

} // namespace margin::tree
