#pragma once
// The best split of a node, alone or of many nodes at a time.
#include "margin/core/random.hpp"
#include "margin/core/threads.hpp"
#include "margin/tree/splits/choose.hpp"
#include "work.hpp"
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace margin::tree {

/// Whether a split may be made: the rows of the whole tree must profit enough.
template <class Target>
bool is_worth_it(const Plan<Target>& plan, const Node<Target>& node, const Candidate& split) noexcept {
    return split.found && node.weight / plan.all_weight * split.gain + 1e-15 >= plan.settings.min_decrease;
}

/// The search for the split of one node: columns are drawn, each proposes, and a rule chooses.
template <class Target>
class Search {
public:
    /// Begin with a node; columns that are not drawn propose nothing. The node must outlive the search.
    void begin(const Plan<Target>& plan, const Node<Target>& node, std::uint64_t path) {
        node_ = &node;
        by_ = &plan.search;
        by_->prepare(node, plan.common, prepared_);
        const std::size_t d = node.cases.columns.size();
        proposals_.assign(d, {});
        order_.resize(d);
        std::iota(order_.begin(), order_.end(), 0u);
        n_drawn_ = std::min(d, plan.settings.max_features);
        if (n_drawn_ < d)
            Stream(plan.settings.seed, path).shuffle(std::span(order_));
    }

    std::size_t n_drawn() const noexcept { return n_drawn_; }

    /// Let the i-th drawn column propose. Different ones may do so at the same time.
    void propose(std::size_t i, Scratch& scratch) {
        proposals_[order_[i]] = by_->propose(*node_, order_[i], prepared_, scratch);
    }

    /// The split; where no drawn column has one, further ones are asked until one has.
    Candidate end(const Plan<Target>& plan, Scratch& scratch) {
        Candidate split = settle(proposals_, *node_, *by_);
        for (; !split.found && n_drawn_ < order_.size(); ++n_drawn_) {
            propose(n_drawn_, scratch);
            split = settle(proposals_, *node_, *by_);
        }
        split.found = is_worth_it(plan, *node_, split);
        return split;
    }

private:
    const Node<Target>* node_ = nullptr;
    const SplitSearch<Target>* by_ = nullptr;
    Prepared<Target> prepared_;
    std::vector<Candidate> proposals_;
    std::vector<std::uint32_t> order_;
    std::size_t n_drawn_ = 0;
};

} // namespace margin::tree
