#pragma once
// What growing asks of a criterion. Growers are compiled for targets; only what is behind these calls, one for each column
// of a node and a few for the node, knows the criterion.
#include "margin/tree/splits/candidate.hpp"
#include "margin/tree/splits/sweep.hpp"
#include "node.hpp"
#include "prepared.hpp"
#include <cstddef>
#include <vector>

namespace margin::tree {

template <class Target>
class SplitSearch {
public:
    virtual ~SplitSearch() = default;

    /// Tables that are the same for all nodes.
    virtual void fill(Common& common, double all_weight) const = 0;

    /// Impurity times weight. Requires n > 0.
    virtual double loss(const Segment<Target>& cases, const std::vector<double>& sum, double weight) const = 0;

    /// What a node answers, bounds of monotone columns aside, and its impurity.
    virtual void describe(const Node<Target>& node, double* value, double& impurity) const = 0;

    /// What the columns of a node have in common.
    virtual void prepare(const Node<Target>& node, const Common& common, Prepared<Target>& prepared) const = 0;

    /// What column k of the node's columns proposes; long lists of codes may be left out.
    virtual Candidate propose(const Node<Target>& node, std::size_t k, const Prepared<Target>& prepared,
                              Scratch& scratch) const = 0;

    /// A proposal with its list of codes.
    virtual Candidate in_full(const Node<Target>& node, std::size_t k, const Candidate& proposal) const = 0;

    /// Whether columns are ranked by their gains, whatever other rules the settings state.
    virtual bool by_gain_alone() const noexcept = 0;
};

} // namespace margin::tree
