#pragma once
// Growing a tree from its root: take a node, find its best split, deal its cases out, and go on with its branches.
#include "choose.hpp"
#include "divide.hpp"
#include "grown.hpp"
#include "margin/core/monitor.hpp"
#include "mean.hpp"
#include "ranks.hpp"
#include "shares.hpp"
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace margin::tree {

/// Weights of the classes as they are; impurity is loss per weight.
template <class Criterion>
void describe(const Node<Classes>& node, double* value, double& impurity) {
    std::copy(node.sum.begin(), node.sum.end(), value);
    impurity = node.weight > 0 ? node.loss / node.weight : 0.0;
}

/// The mean, and the mean squared deviation from it.
template <class Criterion>
void describe(const Node<Values>& node, double* value, double& impurity) {
    const auto& cases = node.cases;
    const double* weight = cases.weight.empty() ? nullptr : cases.weight.data();
    const Spread spread = spread_of(cases.target.data(), weight, cases.n, node.weight);
    *value = spread.mean;
    impurity = spread.variance;
}

inline bool is_pure(const Node<Classes>& node) noexcept {
    return std::ranges::count_if(node.sum, [](double w) { return w > 0; }) <= 1;
}

inline bool is_pure(const Node<Values>& node) noexcept {
    const auto& target = node.cases.target;
    return std::ranges::all_of(target, [&](const Values::Item& item) { return item.y == target.front().y; });
}

/// Grows one tree. The columns, and the sums in `Target`, must outlive it.
template <class Criterion, class Target>
class Grower {
public:
    Grower(const std::vector<Column>& columns, const Target& target, const Settings& settings, std::size_t n_threads,
           Monitor& monitor)
        : columns_(columns), target_(target), settings_(settings), n_threads_(n_threads), monitor_(monitor) {}

    GrownTree grow(Segment<Target>&& root) {
        tree_.width = std::is_same_v<Target, Classes> ? target_.width() : 1;
        if (settings_.missing == MissingSplit::fractional)
            steps_ = steps_for(root);
        std::vector<Work> stack;
        stack.push_back({std::move(root), -1, 0, 0, {}});
        while (!stack.empty()) {
            monitor_.check();
            Work work = std::move(stack.back());
            stack.pop_back();
            const auto at = static_cast<std::int32_t>(tree_.size());
            if (work.parent >= 0)
                tree_.child[static_cast<std::size_t>(tree_.child_start[work.parent]) + work.branch] = at;
            auto parts = expand(work);
            for (std::size_t b = parts.size(); b-- > 0;)
                stack.push_back({std::move(parts[b]), at, b, work.depth + 1,
                                 std::vector<double>(tree_.value.end() - tree_.width, tree_.value.end())});
        }
        return std::move(tree_);
    }

private:
    struct Work {
        Segment<Target> cases;
        std::int32_t parent;
        std::size_t branch, depth;
        std::vector<double> inherited; // the value of a node that no case reaches
    };

    /// Write the node down, and give the cases of its branches: none for a leaf.
    std::vector<Segment<Target>> expand(const Work& work) {
        Node<Target> node{work.cases, columns_, settings_, target_.width(), std::vector<double>(target_.width()), 0, 0};
        for (std::size_t i = 0; i < work.cases.n; ++i)
            Target::add(node.sum.data(), work.cases.target[i], work.cases.weight_of(i));
        node.weight = Target::weight(node.sum.data(), node.width);
        node.loss = Criterion::loss(node.sum.data(), node.width, node.weight);
        if (work.parent < 0)
            all_ = node.weight;
        node.all = all_;
        write_leaf(work, node);
        if (work.cases.n < settings_.min_split || work.depth >= settings_.max_depth || work.cases.n == 0 ||
            is_pure(node))
            return {};
        Candidate split = best_split<Criterion>(node, n_threads_, monitor_);
        if (!split.found || node.weight / all_ * split.gain + 1e-15 < settings_.min_decrease)
            return {};
        const auto k = std::ranges::find(work.cases.columns, split.column) - work.cases.columns.begin();
        const bool has_missing = work.cases.column(static_cast<std::size_t>(k)).back().code == missing_code;
        auto parts =
            settings_.missing == MissingSplit::fractional && has_missing
                ? divide_in_parts(work.cases, static_cast<std::size_t>(k), split, steps_)
                : divide(work.cases, branches(work.cases, static_cast<std::size_t>(k), split), split.n_branches);
        if (settings_.missing == MissingSplit::direction && !has_missing)
            split.missing = static_cast<std::int32_t>(
                std::ranges::max_element(parts, {}, [](const auto& part) { return part.n; }) - parts.begin());
        write_split(split);
        return parts;
    }

    void write_leaf(const Work& work, const Node<Target>& node) {
        tree_.ask.push_back(static_cast<std::uint8_t>(Ask::nothing));
        tree_.column.push_back(-1);
        tree_.threshold.push_back(0);
        tree_.missing.push_back(0);
        tree_.gain.push_back(0);
        tree_.cases.push_back(static_cast<std::int64_t>(work.cases.n));
        tree_.weight.push_back(node.weight);
        tree_.value.resize(tree_.value.size() + tree_.width);
        tree_.impurity.push_back(0);
        if (work.cases.n == 0)
            std::ranges::copy(work.inherited, tree_.value.end() - static_cast<std::ptrdiff_t>(tree_.width));
        else
            describe<Criterion>(node, tree_.value.data() + tree_.value.size() - tree_.width, tree_.impurity.back());
        tree_.child_start.push_back(tree_.child_start.back());
        tree_.detail_start.push_back(tree_.detail_start.back());
        tree_.surrogate_start.push_back(tree_.surrogate_start.back());
    }

    void write_split(const Candidate& split) {
        const Column& column = columns_[split.column];
        tree_.ask.back() = static_cast<std::uint8_t>(split.ask);
        tree_.column.back() = static_cast<std::int32_t>(split.column);
        tree_.missing.back() = split.missing;
        tree_.gain.back() = split.gain;
        if (split.ask == Ask::threshold)
            tree_.threshold.back() = column.between(split.cut, split.next);
        if (split.ask == Ask::subset)
            tree_.detail.insert(tree_.detail.end(), split.codes.begin(), split.codes.end());
        if (split.ask == Ask::interval)
            tree_.detail.insert(tree_.detail.end(), split.cuts.begin(), split.cuts.end());
        tree_.detail_start.back() = static_cast<std::int64_t>(tree_.detail.size());
        tree_.child.resize(tree_.child.size() + split.n_branches);
        tree_.child_start.back() = static_cast<std::int64_t>(tree_.child.size());
    }

    const std::vector<Column>& columns_;
    Target target_;
    const Settings& settings_;
    std::size_t n_threads_;
    Monitor& monitor_;
    GrownTree tree_;
    double all_ = 0;
    Steps steps_;
};

/// The root: all rows, with the columns that vary.
template <class Target>
Segment<Target> root_segment(Ranked& ranked, std::vector<typename Target::Item>&& target,
                             std::vector<double>&& weight) {
    Segment<Target> root;
    root.n = target.size();
    root.target = std::move(target);
    root.weight = std::move(weight);
    for (std::size_t j = 0; j < ranked.entries.size(); ++j) {
        const auto& entries = ranked.entries[j];
        if (entries.empty() || entries.front().code == entries.back().code)
            continue;
        root.columns.push_back(static_cast<std::uint32_t>(j));
        root.entries.insert(root.entries.end(), entries.begin(), entries.end());
    }
    return root;
}

/// A tree for classes 0 ... n_classes - 1; no weights are weights of 1. Requires weights above 0.
template <class T>
GrownTree grow_classes(const Table<T>& table, std::span<const std::int32_t> y, std::span<const double> weight,
                       std::size_t n_classes, std::string_view criterion, const Settings& settings,
                       std::size_t n_threads, Monitor& monitor) {
    std::vector<double> rounded(weight.begin(), weight.end());
    round_weights(rounded);
    Ranked ranked = rank_columns(table, n_threads, monitor);
    auto root = root_segment<Classes>(ranked, {y.begin(), y.end()}, std::move(rounded));
    return ClassCriteria::visit(criterion, [&]<class C>() {
        return Grower<C, Classes>(ranked.columns, {n_classes}, settings, n_threads, monitor).grow(std::move(root));
    });
}

/// A tree for numbers; no weights are weights of 1. Requires weights above 0.
template <class T>
GrownTree grow_values(const Table<T>& table, std::span<const double> y, std::span<const double> weight,
                      std::string_view, const Settings& settings, std::size_t n_threads, Monitor& monitor) {
    std::vector<double> rounded(weight.begin(), weight.end());
    round_weights(rounded);
    Ranked ranked = rank_columns(table, n_threads, monitor);
    auto root = root_segment<Values>(ranked, value_items(y, rounded), std::move(rounded));
    return Grower<SquaredError, Values>(ranked.columns, {}, settings, n_threads, monitor).grow(std::move(root));
}

} // namespace margin::tree
