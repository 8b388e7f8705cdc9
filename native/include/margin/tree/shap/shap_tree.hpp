#pragma once
// A tree as SHAP values are read off it: its nodes in preorder, with everything that does not depend on the row.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace margin::tree {

/// A node, and the branch that leads to it.
struct ShapStep {
    std::uint32_t node;  // its number in the tree it was read from
    std::uint32_t depth; // 0 at the root
    std::uint32_t end;   // the first step behind its subtree
    std::uint32_t leaf;  // its row in `value`; `inner` where a question follows
    std::uint32_t slot;  // the column that was asked above, among those of the tree
    std::int32_t branch; // which branch of the node above this is
    double share;        // of the cover of all branches of the node above
    double without;      // the product of the shares on the way of all branches of the same column

    static constexpr std::uint32_t inner = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::int32_t no_way = -2; // what a node says where none of its branches was ever taken
};

struct ShapTree {
    std::size_t width = 1; // numbers that a leaf answers
    std::size_t depth = 0;
    std::size_t most_columns = 0; // different ones on one way
    std::vector<ShapStep> steps;
    std::vector<std::int32_t> columns; // of each slot
    std::vector<double> value;         // width per leaf
    std::vector<double> base;          // the answer to a row of which nothing is known
};

namespace detail {

/// Reads a tree node by node, depth first.
template <class Source>
class ShapReader {
public:
    explicit ShapReader(const Source& source) : source_(source) {}

    ShapTree read() {
        tree_.width = source_.width();
        tree_.base.assign(tree_.width, 0.0);
        enter({0, 0, 0, ShapStep::inner, 0, ShapStep::no_way, 1.0, 1.0});
        while (!open_.empty()) {
            Open& top = open_.back();
            if (top.next == top.n) {
                leave();
                continue;
            }
            const std::size_t b = top.next++;
            const std::size_t parent = tree_.steps[top.step].node;
            const bool is_way = b < source_.n_branches(parent);
            const std::size_t child = is_way ? source_.child(parent, b) : parent;
            const double share = top.total > 0 ? source_.cover(child) / top.total : is_way ? 0.0 : 1.0;
            const std::uint32_t slot = slot_of(source_.column(parent));
            enter({static_cast<std::uint32_t>(child), static_cast<std::uint32_t>(open_.size()), 0, ShapStep::inner,
                   slot, is_way ? static_cast<std::int32_t>(b) : ShapStep::no_way, share, without_[slot] * share});
        }
        return std::move(tree_);
    }

private:
    struct Open { // a node with branches still to come
        std::size_t step, next, n;
        double total;    // cover of its branches
        double reaching; // of a row of which nothing is known
        double without;  // of the slot, before this node's own branch
        bool is_new;     // its slot was not on the way before
    };

    void enter(ShapStep step) {
        const std::size_t at = tree_.steps.size();
        const double reaching = open_.empty() ? 1.0 : open_.back().reaching * step.share;
        const bool is_root = at == 0;
        if (step.branch == ShapStep::no_way && !is_root) {
            write_leaf(step, reaching, true);
            return;
        }
        if (source_.is_leaf(step.node)) {
            write_leaf(step, reaching, !is_root);
            return;
        }
        Open open{at, 0, source_.n_branches(step.node), 0.0, reaching, 1.0, false};
        for (std::size_t b = 0; b < open.n; ++b)
            open.total += source_.cover(source_.child(step.node, b));
        open.n += !(open.total > 0); // one way more: the node itself
        if (!is_root) {
            open.without = without_[step.slot];
            without_[step.slot] = step.without;
            open.is_new = on_way_[step.slot]++ == 0;
            n_on_way_ += open.is_new;
            tree_.most_columns = std::max(tree_.most_columns, n_on_way_);
        }
        tree_.steps.push_back(step);
        tree_.depth = std::max<std::size_t>(tree_.depth, step.depth);
        open_.push_back(open);
    }

    void leave() {
        const Open top = open_.back();
        open_.pop_back();
        ShapStep& step = tree_.steps[top.step];
        step.end = static_cast<std::uint32_t>(tree_.steps.size());
        if (top.step == 0)
            return;
        without_[step.slot] = top.without;
        --on_way_[step.slot];
        n_on_way_ -= top.is_new;
    }

    void write_leaf(ShapStep step, double reaching, bool has_slot) {
        const std::size_t width = tree_.width;
        step.leaf = static_cast<std::uint32_t>(tree_.value.size() / width);
        tree_.value.resize(tree_.value.size() + width);
        double* const value = tree_.value.data() + step.leaf * width;
        source_.value(step.node, value);
        for (std::size_t k = 0; k < width; ++k)
            tree_.base[k] += reaching * value[k];
        step.end = static_cast<std::uint32_t>(tree_.steps.size() + 1);
        tree_.steps.push_back(step);
        tree_.depth = std::max<std::size_t>(tree_.depth, step.depth);
        const std::size_t more = has_slot && on_way_[step.slot] == 0 ? 1 : 0;
        tree_.most_columns = std::max(tree_.most_columns, n_on_way_ + more);
    }

    std::uint32_t slot_of(std::int32_t column) {
        const auto c = static_cast<std::size_t>(column);
        if (c >= slot_.size())
            slot_.resize(c + 1, ShapStep::inner);
        if (slot_[c] == ShapStep::inner) {
            slot_[c] = static_cast<std::uint32_t>(tree_.columns.size());
            tree_.columns.push_back(column);
            without_.push_back(1.0);
            on_way_.push_back(0);
        }
        return slot_[c];
    }

    const Source& source_;
    ShapTree tree_;
    std::vector<Open> open_;
    std::vector<std::uint32_t> slot_;
    std::vector<double> without_;
    std::vector<std::uint32_t> on_way_;
    std::size_t n_on_way_ = 0;
};

} // namespace detail

/// Read a tree. A source says, of node 0 (the root) and what it leads to:
///     std::size_t  width()                 numbers that a leaf answers
///     bool         is_leaf(node)
///     std::int32_t column(node)            the column asked
///     std::size_t  n_branches(node), child(node, branch)
///     double       cover(node)             weight of the training rows that came there, at least 0
///     void         value(node, double* to) what a leaf answers; of any node whose branches all have cover 0
///     std::int32_t branch(node, row)       where a row goes; below 0: down all branches by their covers
/// Covers need not add up: only the shares of a node's branches count. O(nodes width) time.
template <class Source>
ShapTree shap_tree(const Source& source) {
    return detail::ShapReader<Source>(source).read();
}

} // namespace margin::tree
