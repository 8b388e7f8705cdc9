#pragma once
// Boosting of classes, round after round: the weights and the votes so far of every training row.
//
// grow() finds the tree of a round under the weights as they are; the caller says what its leaves vote and by what
// weights are multiplied, and advance() does both in one pass over the rows, together with the errors and margins.
#include "grow_shallow.hpp"
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

namespace margin::boosting {

/// Cells of the distribution of margins, from -1 to 1.
inline constexpr std::size_t margin_cells = 200;

/// What the votes so far say of the training rows. Sums of weights are on the grid.
struct Standing {
    sum_t wrong = 0, whole = 0;
    double least_margin = std::numeric_limits<double>::infinity();
    std::array<sum_t, margin_cells> margins{};
};

class ClassRounds {
public:
    /// `weight` are shares of 1, all above 0. Row i stands for `times[i]` rows of that weight each, and for one where
    /// there are no times: what one of them weighs is rounded to the grid, so that all sums are those of so many rows.
    /// Requires that times * weight add up to 1, and n_classes <= ClassSums<...>::most_classes. The table and y must stay
    /// as long as this.
    ClassRounds(const RankedTable& table, std::span<const std::int32_t> y, std::span<const double> weight,
                std::size_t n_classes, std::span<const std::int64_t> times = {})
        : table_(table), y_(y), n_classes_(n_classes), times_(times.begin(), times.end()),
          weight_(weight.begin(), weight.end()), given_(weight.begin(), weight.end()), votes_(weight.size() * width()),
          leaf_(weight.size()), items_(weight.size()) {
        weigh_items(0, rows());
    }

    std::size_t rows() const noexcept { return weight_.size(); }
    std::size_t n_classes() const noexcept { return n_classes_; }
    /// Votes of two classes are one number, above 0 for the second; else one for each class.
    std::size_t width() const noexcept { return n_classes_ == 2 ? 1 : n_classes_; }
    std::vector<double>& weight() noexcept { return weight_; }
    const std::vector<std::uint8_t>& leaf() const noexcept { return leaf_; }

    /// Go on from weights and votes as they were. Requires as many as there are rows, and rows x width().
    void resume(std::span<const double> weight, std::span<const double> votes) {
        weight_.assign(weight.begin(), weight.end());
        votes_.assign(votes.begin(), votes.end());
        weigh_items(0, rows());
    }

    /// The sums of a leaf are weights by class, on the grid. O(depth n d) time.
    ShallowTree grow(std::string_view criterion, std::size_t depth, std::size_t n_threads, Monitor& monitor) {
        return Criteria::visit(criterion, [&]<class C>() {
            const auto grow_by = [&]<class Stat>(Stat stat) {
                return ShallowGrower<Stat>(table_, stat, items_, leaf_, n_threads, monitor).grow(depth);
            };
            return n_classes_ == 2 ? grow_by(ClassSums<C, 2>{}) : grow_by(ClassSums<C, 0>{n_classes_});
        });
    }

    /// Multiply the weight of a row of class k in leaf l by factor[l, k], and add vote[l] to its votes. Margins are
    /// votes over `scale`. What the next tree reads is made in the same pass. O(n K) time.
    Standing advance(MatrixView<const double> factor, MatrixView<const double> vote, double scale,
                     std::size_t n_threads, Monitor& monitor) {
        constexpr std::size_t block = 8192;
        return reduce_in_order(
            rows(), block, rows() < 4 * block ? 1 : n_threads, monitor, [] { return Standing{}; },
            [&](Standing& part, std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) {
                    const std::size_t l = leaf_[i], k = static_cast<std::size_t>(y_[i]);
                    // Weights that vanish could not come back.
                    weight_[i] = std::max(weight_[i] * factor(l, k), 1e-290);
                    double* const votes = votes_.data() + i * width();
                    for (std::size_t c = 0; c < width(); ++c)
                        votes[c] += vote(l, c);
                    count(part, margin_of(votes, k) / scale, right(votes, k), heft(i, given_[i]));
                }
                weigh_items(begin, end);
            },
            [](Standing& left, Standing&& right) {
                left.wrong += right.wrong;
                left.whole += right.whole;
                left.least_margin = std::min(left.least_margin, right.least_margin);
                for (std::size_t c = 0; c < margin_cells; ++c)
                    left.margins[c] += right.margins[c];
            });
    }

private:
    void weigh_items(std::size_t begin, std::size_t end) noexcept {
        for (std::size_t i = begin; i < end; ++i)
            items_[i] = ClassSums<Error, 2>::item(heft(i, weight_[i]), y_[i]);
    }

    /// What row i weighs on the grid, if one of its rows has such a share.
    sum_t heft(std::size_t i, double share) const noexcept {
        return times_.empty() ? on_grid(share) : times_[i] * on_grid(share);
    }

    /// By how much the votes for class k exceed those for any other.
    double margin_of(const double* votes, std::size_t k) const noexcept {
        if (n_classes_ == 2)
            return k == 1 ? votes[0] : -votes[0];
        double other = -std::numeric_limits<double>::infinity();
        for (std::size_t c = 0; c < n_classes_; ++c)
            if (c != k)
                other = std::max(other, votes[c]);
        return votes[k] - other;
    }

    /// Whether class k wins; of equal votes the first class.
    bool right(const double* votes, std::size_t k) const noexcept {
        if (n_classes_ == 2)
            return (votes[0] > 0) == (k == 1);
        return static_cast<std::size_t>(std::max_element(votes, votes + n_classes_) - votes) == k;
    }

    static void count(Standing& part, double margin, bool is_right, sum_t weight) noexcept {
        part.whole += weight;
        part.wrong += is_right ? 0 : weight;
        part.least_margin = std::min(part.least_margin, margin);
        const double cell = (margin + 1) * (margin_cells / 2.0);
        // The negation also catches what is no number, where nothing has voted yet.
        part.margins[!(cell > 0) ? 0 : std::min(static_cast<std::size_t>(cell), margin_cells - 1)] += weight;
    }

    const RankedTable& table_;
    std::span<const std::int32_t> y_;
    std::size_t n_classes_;
    std::vector<std::int64_t> times_;
    std::vector<double> weight_, given_, votes_;
    std::vector<std::uint8_t> leaf_;
    std::vector<sum_t> items_; // of ClassSums, whatever the criterion
};

/// A tree for numbers z under weights w by least squares, and the leaf of each row. The sums of a leaf are those of w and
/// w z, in the units that stand beside them. Requires w > 0.
struct ValueTree {
    ShallowTree tree;
    std::vector<std::uint8_t> leaf;
    double weight_unit, moment_unit;
};

inline ValueTree grow_values(const RankedTable& table, std::span<const double> weight, std::span<const double> z,
                             std::size_t depth, std::size_t n_threads, Monitor& monitor) {
    double whole = 0, magnitude = 0;
    for (std::size_t i = 0; i < weight.size(); ++i) {
        whole += weight[i];
        magnitude += std::abs(weight[i] * z[i]);
    }
    // About 2^60 points to the total. A power of two, so that the order of the rows does not show in it.
    const auto unit = [](double total) {
        int exponent = 0;
        std::frexp(total, &exponent);
        return std::max(std::ldexp(1.0, exponent - 60), std::ldexp(1.0, -1022));
    };
    ValueTree made{{}, {}, unit(whole), unit(magnitude)};
    std::vector<Moments::Item> items(weight.size());
    for (std::size_t i = 0; i < weight.size(); ++i) {
        const double wz = weight[i] * z[i] / made.moment_unit;
        items[i] = {std::max<sum_t>(static_cast<sum_t>(weight[i] / made.weight_unit + 0.5), 1),
                    static_cast<sum_t>(wz + (wz < 0 ? -0.5 : 0.5))};
    }
    made.tree = ShallowGrower<Moments>(table, {}, items, made.leaf, n_threads, monitor).grow(depth);
    return made;
}

/// A tree for labels, and the leaf of each row. shares[i, k] is what row i gains by answer k, below 0 for a loss; the
/// sums of a leaf are those of its rows on the grid, and how many they are. Requires the magnitudes to add up to at most 2.
struct LabelTree {
    ShallowTree tree;
    std::vector<std::uint8_t> leaf;
};

inline LabelTree grow_labels(const RankedTable& table, MatrixView<const double> shares, std::string_view criterion,
                             std::size_t depth, std::size_t n_threads, Monitor& monitor) {
    std::vector<sum_t> on_the_grid(shares.rows() * shares.columns());
    for (std::size_t i = 0; i < on_the_grid.size(); ++i)
        on_the_grid[i] = std::llround(shares.data()[i] * grid);
    std::vector<std::uint32_t> rows(shares.rows());
    std::iota(rows.begin(), rows.end(), 0u);
    LabelTree made;
    LabelCriteria::visit(criterion, [&]<class C>() {
        const LabelSums<C> stat{on_the_grid.data(), shares.columns()};
        made.tree = ShallowGrower<LabelSums<C>>(table, stat, rows, made.leaf, n_threads, monitor).grow(depth);
    });
    return made;
}

} // namespace margin::boosting
