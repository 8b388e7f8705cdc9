#pragma once
// Divisions of the groups of a column into two sides: the best of those that are offered.
#include "candidate.hpp"
#include "groups.hpp"
#include "margin/tree/targets/null_gain.hpp"
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace margin::tree {

/// Keeps the division with the largest gain, or gain ratio; of equal ones the first. Under the rule of the average gain
/// ratios that differ by less than a millionth are equal, as in J48.
///
/// A division is given by the sum, weight and number of the known cases on one side. With MissingSplit::direction the
/// missing cells belong to that side or to the other one; else the gain is that of the known cases times their share.
template <class Criterion, class Target>
class TwoSides {
public:
    TwoSides(const Node<Target>& node, const Groups& groups, bool by_ratio = false)
        : node_(node), groups_(groups), by_ratio_(by_ratio),
          directed_(node.settings.missing == MissingSplit::direction), whole_(node.sum), whole_weight_(node.weight),
          n_whole_(node.cases.n), with_missing_(node.width), rest_(node.width) {
        if (!directed_) {
            for (std::size_t c = 0; c < node.width; ++c)
                whole_[c] -= groups.missing_sum[c];
            whole_weight_ -= groups.missing_weight;
            n_whole_ -= groups.n_missing;
        }
        loss_ = directed_ ? node.loss : Criterion::loss(whole_.data(), node.width, whole_weight_);
    }

    /// Whether missing cells may go to either side.
    bool two_ways() const noexcept { return directed_ && groups_.n_missing > 0; }

    /// Offer a division under a name, with missing cells on the other side and, where that is possible, on this one.
    void offer(std::uint64_t name, const double* sum, double weight, std::size_t n) {
        weigh(name, sum, weight, n, false);
        if (two_ways())
            offer_with_missing(name, sum, weight, n);
    }

    /// The same with missing cells on this side. Requires two_ways().
    void offer_with_missing(std::uint64_t name, const double* sum, double weight, std::size_t n) {
        for (std::size_t c = 0; c < node_.width; ++c)
            with_missing_[c] = sum[c] + groups_.missing_sum[c];
        weigh(name, with_missing_.data(), weight + groups_.missing_weight, n + groups_.n_missing, true);
    }

    bool found() const noexcept { return found_; }
    std::uint64_t name() const noexcept { return name_; }
    bool first_is_lighter() const noexcept { return side_weight_ <= whole_weight_ - side_weight_; }

    /// What the column proposes, `first` being the branch of the side that was offered, if that pays for having been
    /// chosen among 2^bits divisions.
    void describe(Candidate& split, std::int32_t first, double bits) const {
        const double charge = node_.settings.charge_levels ? price<Criterion>(node_, bits) : 0.0;
        split.found = found_ && (charge == 0 || gain_ > charge);
        if (!split.found)
            return;
        split.gain = split.score = gain_ - charge;
        split.split_info = information(side_weight_);
        split.missing = directed_ ? (missing_here_ ? first : 1 - first) : -1;
    }

private:
    void weigh(std::uint64_t name, const double* sum, double weight, std::size_t n, bool missing_here) {
        const double rest_weight = whole_weight_ - weight;
        if (!large_enough(node_.settings, n, weight) || !large_enough(node_.settings, n_whole_ - n, rest_weight))
            return;
        for (std::size_t c = 0; c < node_.width; ++c)
            rest_[c] = whole_[c] - sum[c];
        // The losses are added before they are taken off: which side is called the first must not change a bit.
        const double gain = (loss_ - (Criterion::loss(sum, node_.width, weight) +
                                      Criterion::loss(rest_.data(), node_.width, rest_weight))) /
                            node_.weight;
        double merit = gain;
        if (by_ratio_) {
            const double bits = information(weight);
            merit = bits > 0 ? gain / bits : 0.0;
        }
        const double slack = by_ratio_ && node_.settings.average_gain ? 1e-6 : 0.0;
        if (found_ && merit <= merit_ + slack)
            return;
        found_ = true;
        gain_ = gain;
        merit_ = merit;
        name_ = name;
        side_weight_ = weight;
        missing_here_ = missing_here;
    }

    /// Entropy of the division in bits, a side having this weight; missing cells that go no way are one more part.
    double information(double weight) const noexcept {
        return split_information(std::array{weight, whole_weight_ - weight, directed_ ? 0.0 : groups_.missing_weight});
    }

    const Node<Target>& node_;
    const Groups& groups_;
    bool by_ratio_;
    bool directed_;
    std::vector<double> whole_;
    double whole_weight_;
    std::size_t n_whole_;
    std::vector<double> with_missing_, rest_;
    double loss_ = 0;

    bool found_ = false, missing_here_ = false;
    double gain_ = 0, merit_ = 0, side_weight_ = 0;
    std::uint64_t name_ = 0;
};

/// Criteria that every kind of tree knows: what a column proposes under them is compiled once (native/src/tree_proposals.cpp).
/// One that is not listed is compiled wherever it is used.
#define MARGIN_FOR_CRITERIA(each)                                                                                      \
    each(Gini, Classes);                                                                                               \
    each(Entropy, Classes);                                                                                            \
    each(Error, Classes);                                                                                              \
    each(SquaredError, Values)

} // namespace margin::tree
