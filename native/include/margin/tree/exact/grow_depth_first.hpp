#pragma once
// Growing a subtree on one thread, depth first: what a node has left in the caches is there when its branches come.
#include "branches.hpp"
#include "record.hpp"
#include "search.hpp"
#include <array>
#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

namespace margin::tree {

/// Entries that are no longer needed, by size: asking the system for memory again and again would cost more than the
/// work on small nodes.
class Spares {
public:
    /// Room for n entries, filled with anything.
    Buffer<Entry> take(std::size_t n) {
        auto& shelf = shelves_[static_cast<std::size_t>(std::bit_width(n))];
        Buffer<Entry> entries;
        if (!shelf.empty()) {
            entries = std::move(shelf.back());
            shelf.pop_back();
        } else {
            entries.reserve((std::size_t{1} << std::bit_width(n)) - 1);
        }
        entries.resize(n);
        return entries;
    }

    void give(Buffer<Entry>&& entries) {
        if (const std::size_t room = entries.capacity(); room > 0) {
            entries.clear();
            shelves_[static_cast<std::size_t>(std::bit_width(room + 1)) - 1].push_back(std::move(entries));
        }
    }

private:
    std::array<std::vector<Buffer<Entry>>, 64> shelves_; // on shelf s: room for 2^s - 1
};

/// Grows subtrees, one after another.
template <class Target>
class LoneGrower {
public:
    explicit LoneGrower(const Plan<Target>& plan) : plan_(plan) {}

    /// The subtree below a node, which becomes node 0 of it.
    GrownTree grow(Work<Target>&& root) {
        GrownTree tree;
        tree.width = plan_.target.value_width();
        root.parent = -1;
        stack_.push_back(std::move(root));
        while (!stack_.empty()) {
            Work<Target> work = std::move(stack_.back());
            stack_.pop_back();
            expand(work, tree);
            spares_.give(std::move(work.cases.entries));
        }
        return tree;
    }

private:
    void expand(Work<Target>& work, GrownTree& tree) {
        const auto at = static_cast<std::int32_t>(tree.size());
        const Node<Target> node = node_of(plan_, work);
        write_leaf(tree, plan_, work, node);
        if (work.ends || tree.impurity.back() <= plan_.settings.min_impurity)
            return;
        plan_.monitor.check();
        search_.begin(plan_, node, work.path);
        for (std::size_t i = 0; i < search_.n_drawn(); ++i)
            search_.propose(i, scratch_);
        Candidate split = search_.end(plan_, scratch_);
        if (!split.found)
            return;
        branching_.assign(plan_, work, node, split);
        if (!branching_.complete()) {
            branching_.division.make_room(work.cases.columns.size(), [&](std::size_t n) { return spares_.take(n); });
            branching_.division.deal_all(work.cases);
        }
        write_split(tree, plan_, split);
        const double* value = tree.value.data() + tree.value.size() - tree.width;
        branching_.hand_over(plan_, work, split, at, value, tree.width,
                             [&](Work<Target>&& child) { stack_.push_back(std::move(child)); });
    }

    const Plan<Target>& plan_;
    std::vector<Work<Target>> stack_;
    Search<Target> search_;
    Branching<Target> branching_;
    Scratch scratch_;
    Spares spares_;
};

} // namespace margin::tree
