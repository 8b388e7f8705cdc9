#pragma once
// Growing a limited number of leaves: the node whose split lowers the impurity of all rows most is split next.
#include "grow_parallel.hpp"
#include <cstddef>
#include <queue>
#include <utility>
#include <vector>

namespace margin::tree {

/// Grows one tree with at most settings.max_leaves leaves. Of equally good nodes the one that was made first goes first.
template <class Target>
class BestFirstGrower {
public:
    explicit BestFirstGrower(const Plan<Target>& plan) : plan_(plan), workshop_(plan) {}

    GrownTree grow(Work<Target>&& root) {
        std::vector<Work<Target>> fresh;
        fresh.push_back(std::move(root));
        add(std::move(fresh));
        std::size_t n_leaves = 1;
        while (!waiting_.empty()) {
            const std::size_t at = waiting_.top().record;
            waiting_.pop();
            const std::size_t n_more = nodes_[at]->split.n_branches - 1;
            if (n_leaves + n_more <= plan_.settings.max_leaves) {
                n_leaves += n_more;
                split(at);
            }
            nodes_[at].reset();
        }
        return in_preorder();
    }

private:
    using Open = typename Workshop<Target>::Open;

    struct Waiting {
        double decrease;
        std::size_t record;
        bool operator<(const Waiting& other) const noexcept { // the queue gives the largest first
            return decrease < other.decrease || (decrease == other.decrease && record > other.record);
        }
    };

    /// Write new nodes down, and find their splits.
    void add(std::vector<Work<Target>>&& fresh) {
        Open open;
        for (auto& work : fresh) {
            work.parent = -1; // each node is a tree of its own until all are put together
            open.push_back(std::make_unique<OpenNode<Target>>(plan_, std::move(work)));
            auto& record = records_.emplace_back();
            record.width = plan_.target.value_width();
            write_leaf(record, plan_, open.back()->work, open.back()->node);
        }
        workshop_.find_splits(open);
        for (auto& node : open) {
            if (node->split.found)
                waiting_.push({node->node.weight * node->split.gain, nodes_.size()});
            nodes_.push_back(node->split.found ? std::move(node) : nullptr);
        }
    }

    void split(std::size_t at) {
        Open open;
        open.push_back(std::move(nodes_[at]));
        workshop_.deal_cases(open);
        auto& node = *open.front();
        GrownTree& record = records_[at];
        write_split(record, plan_, node.split);
        for (std::size_t b = 0; b < record.child.size(); ++b)
            record.child[b] = static_cast<std::int32_t>(records_.size() + b);
        std::vector<Work<Target>> children(record.child.size());
        const std::vector<double> value = record.value;
        node.branching.hand_over(plan_, node.work, node.split, -1, value.data(), value.size(),
                                 [&](Work<Target>&& child) { children[child.branch] = std::move(child); });
        add(std::move(children));
    }

    GrownTree in_preorder() const {
        GrownTree tree;
        tree.width = plan_.target.value_width();
        for (const GrownTree& record : records_)
            detail::append_nodes(tree, record, 0, 1);
        std::vector<GrownTree> none;
        return stitch(tree, none);
    }

    const Plan<Target>& plan_;
    Workshop<Target> workshop_;
    std::vector<GrownTree> records_; // of one node each
    Open nodes_;                     // with their cases, as long as they wait
    std::priority_queue<Waiting> waiting_;
};

} // namespace margin::tree
