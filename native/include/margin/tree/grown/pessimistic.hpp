#pragma once
// Pessimistic pruning: a subtree goes where a leaf, or its own heaviest branch, is not expected to err more.
//
// What a node is expected to err is the upper confidence limit of a binomial share, not the errors seen. Quinlan (1993),
// ch. 4. A branch that takes the place of its parent gets all of the parent's cases ("subtree raising").
#include "margin/core/monitor.hpp"
#include "walk_view.hpp"
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace margin::tree {

/// What is added to e errors among n cases: with probability `confidence` as few are seen or fewer where the share of
/// errors is (e + extra) / n. `z` is the normal quantile of 1 - confidence.
///
/// Without errors (1 - p)^n = confidence is solved for p; from one error on the normal approximation with a continuity
/// correction of 1/2 (its score interval); in between, cases being parts, a straight line. Requires n > 0.
inline double extra_errors(double n, double e, double confidence, double z) noexcept {
    if (confidence >= 0.5)
        return 0.0;
    if (e < 1) {
        const double none = n * (1 - std::pow(confidence, 1 / n));
        return e == 0 ? none : none + e * (extra_errors(n, 1, confidence, z) - none);
    }
    if (e + 0.5 >= n)
        return std::max(n - e, 0.0);
    const double f = (e + 0.5) / n, zz = z * z / n;
    const double upper = (f + zz / 2 + z * std::sqrt(f * (1 - f) / n + zz / (4 * n))) / (1 + zz);
    return upper * n - e;
}

/// The nodes that are left, in preorder.
struct Pruned {
    std::vector<std::int32_t> node;       // of the old tree: whose question is asked
    std::vector<std::int32_t> stands_for; // for each node of the old tree, whose question is asked in its place
    std::vector<std::uint8_t> leaf;       // asks nothing any more
    std::vector<double> value;            // weights of the classes, width per node
    std::vector<double> weight;
    std::vector<std::int64_t> cases;
};

/// Prunes one tree for classes. Rows are one double per column, numbers first, then codes, NaN for missing cells.
///
/// Rule, bottom up: a leaf if it errs no more than the subtree and its heaviest branch (plus 0.1 each); else that branch
/// if it errs no more than the subtree (plus 0.1), pruned once more with the cases it has now. Of equally heavy
/// branches the last. Cases are dealt out in place; only parts of cases are copied. No recursion: O(nodes K + rows) memory
/// but for those parts. To try a branch in place of its parent, only the cases of the other branches walk down it, which
/// are the lesser part: O(rows depth log rows) time as a rule. Where cases are parts, all of them are dealt out again.
class PessimisticPruning {
public:
    PessimisticPruning(const TreeView& tree, std::span<const double> cells, std::size_t n_columns,
                       std::span<const std::int32_t> y, std::span<const double> weight, double confidence, double z,
                       bool raise, Monitor& monitor)
        : tree_(tree), cells_(cells), n_columns_(n_columns), y_(y), confidence_(confidence), z_(z), raise_(raise),
          monitor_(monitor), stands_(tree.size()), leaf_(tree.size()), value_(tree.size() * tree.width),
          added_(tree.size() * tree.width), weight_(tree.size()), errors_(tree.size()), n_(tree.size()) {
        has_parts_ = std::ranges::any_of(tree.missing, [](std::int32_t branch) { return branch < 0; }) &&
                     std::ranges::any_of(cells, [](double cell) { return std::isnan(cell); });
        for (std::size_t i = 0; i < tree.size(); ++i) {
            stands_[i] = static_cast<std::int32_t>(i);
            leaf_[i] = tree.is_leaf(i);
        }
        for (std::size_t i = 0; i < y.size(); ++i)
            order_.push_back({static_cast<std::uint32_t>(i), weight.empty() ? 1.0 : weight[i]});
    }

    Pruned prune() {
        std::vector<Frame> stack;
        stack.push_back(opened(0, {0, order_.size(), {}}));
        while (!stack.empty()) {
            monitor_.check();
            Frame& frame = stack.back();
            if (frame.next < frame.branches.size()) {
                const std::size_t b = frame.next++;
                const auto child = static_cast<std::size_t>(children(frame.place)[b]);
                Cases cases{frame.branches[b].begin, frame.branches[b].end, std::move(frame.branches[b].parts)};
                stack.push_back(opened(child, std::move(cases))); // `frame` is gone from here on
            } else if (!frame.branches.empty() && settle(frame)) {
                frame = opened(frame.place, std::move(frame.cases));
            } else {
                if (leaf_[frame.place])
                    errors_[frame.place] = expected(value_.data() + frame.place * tree_.width);
                stack.pop_back();
            }
        }
        return listed();
    }

private:
    struct Case {
        std::uint32_t row;
        double weight;
    };
    /// Cases begin ... end - 1 of `order_`, and parts of others.
    struct Cases {
        std::size_t begin, end;
        std::vector<Case> parts;
    };
    struct Frame {
        std::size_t place;
        Cases cases;
        std::vector<Cases> branches;
        std::size_t next = 0;
    };
    std::span<const std::int32_t> children(std::size_t place) const noexcept {
        return tree_.children(static_cast<std::size_t>(stands_[place]));
    }

    /// Count the cases of a place and deal them out to its branches.
    Frame opened(std::size_t place, Cases&& cases) {
        count(place, cases);
        Frame frame{place, std::move(cases), {}};
        if (!leaf_[place])
            frame.branches = dealt(static_cast<std::size_t>(stands_[place]), frame.cases);
        return frame;
    }

    void count(std::size_t place, const Cases& cases) {
        double* value = value_.data() + place * tree_.width;
        std::fill_n(value, tree_.width, 0.0);
        each(cases, [&](const Case& c) { value[y_[c.row]] += c.weight; });
        weight_[place] = 0;
        for (std::size_t k = 0; k < tree_.width; ++k)
            weight_[place] += value[k];
        n_[place] = static_cast<std::int64_t>(cases.end - cases.begin + cases.parts.size());
    }

    template <class Visit>
    void each(const Cases& cases, Visit&& visit) const {
        for (std::size_t i = cases.begin; i < cases.end; ++i)
            visit(order_[i]);
        for (const Case& c : cases.parts)
            visit(c);
    }

    std::int32_t branch(std::size_t node, const Case& c) const noexcept {
        return branch_of(tree_, node, cells_.data() + c.row * n_columns_);
    }

    /// The cases of each branch of a question: whole ones side by side in `order_`, those whose cell is missing behind
    /// them and as parts in all branches, as large as the shares of the known ones.
    std::vector<Cases> dealt(std::size_t node, const Cases& cases) {
        const std::size_t n_branches = tree_.children(node).size(), n = cases.end - cases.begin;
        std::vector<Cases> branches(n_branches);
        std::vector<std::size_t> next(n_branches + 2);
        branch_.resize(std::max(branch_.size(), n));
        for (std::size_t i = 0; i < n; ++i) {
            const std::int32_t b = branch(node, order_[cases.begin + i]);
            branch_[i] = b < 0 ? static_cast<std::uint32_t>(n_branches) : static_cast<std::uint32_t>(b);
            ++next[branch_[i] + 1];
        }
        std::partial_sum(next.begin(), next.end(), next.begin());
        for (std::size_t b = 0; b < n_branches; ++b) {
            branches[b].begin = cases.begin + next[b];
            branches[b].end = cases.begin + next[b + 1];
        }
        moved_.assign(order_.begin() + static_cast<std::ptrdiff_t>(cases.begin),
                      order_.begin() + static_cast<std::ptrdiff_t>(cases.end));
        const std::size_t n_known = next[n_branches];
        for (std::size_t i = 0; i < n; ++i)
            order_[cases.begin + next[branch_[i]]++] = moved_[i];
        if (n_known < n || !cases.parts.empty())
            deal_parts(node, cases, cases.begin + n_known, branches);
        return branches;
    }

    /// Parts of cases, and whole cases from `first_missing` on, whose cell is missing.
    void deal_parts(std::size_t node, const Cases& cases, std::size_t first_missing, std::vector<Cases>& branches) {
        std::vector<Case> missing(order_.begin() + static_cast<std::ptrdiff_t>(first_missing),
                                  order_.begin() + static_cast<std::ptrdiff_t>(cases.end));
        for (const Case& c : cases.parts)
            if (const std::int32_t b = branch(node, c); b < 0)
                missing.push_back(c);
            else
                branches[static_cast<std::size_t>(b)].parts.push_back(c);
        std::vector<double> known(branches.size());
        for (std::size_t b = 0; b < branches.size(); ++b)
            each(branches[b], [&](const Case& c) { known[b] += c.weight; });
        share_out(missing, known, branches);
    }

    static void share_out(const std::vector<Case>& missing, const std::vector<double>& known,
                          std::vector<Cases>& branches) {
        double total = 0;
        for (const double w : known)
            total += w;
        for (std::size_t b = 0; b < branches.size(); ++b) {
            const double share = total > 0 ? known[b] / total : 1 / static_cast<double>(branches.size());
            if (share > 0)
                for (const Case& c : missing)
                    branches[b].parts.push_back({c.row, c.weight * share});
        }
    }

    double expected(const double* value) const noexcept {
        double total = 0;
        for (std::size_t k = 0; k < tree_.width; ++k)
            total += value[k];
        if (!(total > 0))
            return 0;
        const double wrong = total - *std::max_element(value, value + tree_.width);
        return wrong + extra_errors(total, wrong, confidence_, z_);
    }

    static constexpr double slack = 0.1 + 1e-6; // what pruning may cost (C4.5), and what rounding may

    /// Visit every place of a subtree with other cases than its own.
    template <class Visit>
    void with_cases(std::size_t place, Cases&& cases, Visit&& visit) {
        std::vector<std::pair<std::size_t, Cases>> stack;
        stack.emplace_back(place, std::move(cases));
        while (!stack.empty()) {
            monitor_.check();
            auto [at, its] = std::move(stack.back());
            stack.pop_back();
            visit(at, its);
            if (leaf_[at])
                continue;
            auto branches = dealt(static_cast<std::size_t>(stands_[at]), its);
            const auto below = children(at);
            for (std::size_t b = branches.size(); b-- > 0;)
                stack.emplace_back(static_cast<std::size_t>(below[b]), std::move(branches[b]));
        }
    }

    /// What a branch is expected to err with all cases of its parent.
    double expected_of_branch(std::size_t place, const Cases& cases) {
        double total = 0;
        std::vector<double> value(tree_.width);
        with_cases(place, Cases(cases), [&](std::size_t at, const Cases& its) {
            if (!leaf_[at])
                return;
            std::fill(value.begin(), value.end(), 0.0);
            each(its, [&](const Case& c) { value[static_cast<std::size_t>(y_[c.row])] += c.weight; });
            total += expected(value.data());
        });
        return total;
    }

    /// The same where all cases are whole: what the cases of the other branches add to the leaves they reach.
    double expected_with_others(std::size_t place, const Frame& frame, std::size_t heaviest) {
        double total = errors_[place];
        reached_.clear();
        for (std::size_t b = 0; b < frame.branches.size(); ++b)
            for (std::size_t i = frame.branches[b].begin; b != heaviest && i < frame.branches[b].end; ++i) {
                std::size_t at = place;
                while (!leaf_[at])
                    at = static_cast<std::size_t>(children(
                        at)[static_cast<std::size_t>(branch(static_cast<std::size_t>(stands_[at]), order_[i]))]);
                double* added = added_.data() + at * tree_.width;
                if (std::all_of(added, added + tree_.width, [](double w) { return w == 0; })) {
                    reached_.push_back(at);
                    std::copy_n(value_.data() + at * tree_.width, tree_.width, added);
                }
                added[y_[order_[i].row]] += order_[i].weight;
            }
        for (const std::size_t at : reached_) {
            double* added = added_.data() + at * tree_.width;
            total += expected(added) - expected(value_.data() + at * tree_.width);
            std::fill_n(added, tree_.width, 0.0);
        }
        return total;
    }

    /// Decide what becomes of a place whose branches are pruned; true if one of them took it and is to be pruned again.
    bool settle(const Frame& frame) {
        const std::size_t place = frame.place;
        const auto below = children(place);
        std::size_t heaviest = 0;
        double as_it_is = 0;
        for (std::size_t b = 0; b < below.size(); ++b) {
            as_it_is += errors_[static_cast<std::size_t>(below[b])];
            if (weight_[static_cast<std::size_t>(below[b])] >= weight_[static_cast<std::size_t>(below[heaviest])])
                heaviest = b;
        }
        const auto branch = static_cast<std::size_t>(below[heaviest]);
        double as_branch = std::numeric_limits<double>::infinity();
        if (raise_)
            as_branch =
                has_parts_ ? expected_of_branch(branch, frame.cases) : expected_with_others(branch, frame, heaviest);
        const double as_leaf = expected(value_.data() + place * tree_.width);
        errors_[place] = as_it_is;
        if (as_leaf <= as_it_is + slack && as_leaf <= as_branch + slack) {
            leaf_[place] = true;
            return false;
        }
        if (!(as_branch <= as_it_is + slack))
            return false;
        stands_[place] = stands_[branch];
        leaf_[place] = leaf_[branch];
        with_cases(place, Cases(frame.cases), [&](std::size_t at, const Cases& its) { count(at, its); });
        return true;
    }

    /// What is left, parents before their branches; a place that no case reaches says what its parent says.
    Pruned listed() const {
        Pruned found;
        found.stands_for = stands_;
        std::vector<std::pair<std::size_t, std::size_t>> stack{{0, 0}}; // a place, and where its parent stands
        while (!stack.empty()) {
            const auto [place, parent] = stack.back();
            stack.pop_back();
            const std::size_t here = found.node.size();
            found.node.push_back(stands_[place]);
            found.leaf.push_back(leaf_[place]);
            found.weight.push_back(weight_[place]);
            found.cases.push_back(n_[place]);
            found.value.resize(found.value.size() + tree_.width);
            const double* value =
                weight_[place] > 0 ? value_.data() + place * tree_.width : found.value.data() + parent * tree_.width;
            std::copy_n(value, tree_.width, found.value.data() + here * tree_.width);
            if (leaf_[place])
                continue;
            const auto below = children(place);
            for (std::size_t b = below.size(); b-- > 0;)
                stack.emplace_back(static_cast<std::size_t>(below[b]), here);
        }
        return found;
    }

    TreeView tree_;
    std::span<const double> cells_;
    std::size_t n_columns_;
    std::span<const std::int32_t> y_;
    double confidence_, z_;
    bool raise_, has_parts_ = false;
    Monitor& monitor_;
    std::vector<std::int32_t> stands_; // whose question is asked at a place
    std::vector<std::uint8_t> leaf_;
    std::vector<double> value_, added_;   // weights of the classes at a place; room for trying more cases there
    std::vector<double> weight_, errors_; // all weight; what the subtree is expected to err
    std::vector<std::int64_t> n_;
    std::vector<Case> order_, moved_;
    std::vector<std::uint32_t> branch_;
    std::vector<std::size_t> reached_;
};

} // namespace margin::tree
