#pragma once
// A tree as it has been grown: what its nodes ask of bins, and the rows at its leaves.
#include "linear_term.hpp"
#include "margin/core/simd.hpp"
#include "margin/ensemble/forest/nodes.hpp"
#include "split.hpp"
#include "table/binned_table.hpp"
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace margin::boosting {

/// Where the rows of a node lie: in one of two halves, so that they can be dealt out from one to the other.
struct Segment {
    int half = 0;
    std::size_t begin = 0, n = 0;
};

struct GrownNode {
    std::uint32_t first = 0; // the node of branch 0, branch 1 is the next; 0 at leaves
    std::size_t depth = 0;
    Segment rows;
    NodeSums sums;
    Split split;
    double value = 0;                  // of a leaf
    std::vector<LinearTerm> terms;     // and what it adds for columns of numbers, where leaves are linear
    std::vector<std::uint64_t> groups; // bits of the sets of columns that may go on from here; none: all columns may

    bool is_leaf() const noexcept { return first == 0; }
    /// What a leaf says of row i.
    double says(const RawNumbers& raw, std::size_t i) const noexcept {
        double sum = value;
        for (const LinearTerm& term : terms)
            sum += term.at(raw.at(i, term.column));
        return sum;
    }
};

using GrownTree = std::vector<GrownNode>;

/// The leaf of a row in bins; code_of(j) is its code in column j.
template <class CodeOf>
std::uint32_t leaf_of(const GrownTree& tree, CodeOf&& code_of) noexcept {
    std::uint32_t at = 0;
    while (!tree[at].is_leaf())
        at = tree[at].first + !holds(tree[at].split.low, code_of(tree[at].split.column));
    return at;
}

/// Numbers up to this go to branch 0. Only missing cells lie above infinity.
inline double threshold_behind(const tree::BinnedColumn& column, std::size_t bin) noexcept {
    if (bin + 1 >= column.n_bins)
        return std::numeric_limits<double>::infinity();
    if (!column.coded)
        return column.cuts.between(bin, bin + 1);
    double last = 0; // levels of ordered columns share bins with their neighbours
    for (std::size_t level = 0; level < column.bin_of.size(); ++level)
        if (column.bin_of[level] <= bin)
            last = static_cast<double>(level);
    return last;
}

/// Trees as they are kept: nodes of 16 bytes that ask for numbers and levels instead of bins.
struct KeptTrees {
    std::vector<ensemble::Node> nodes;
    std::vector<std::int64_t> start{0};
    std::vector<std::uint64_t> words;
    std::vector<double> gain, cover;      // of each node: what its split gained; the second derivatives of its leaves
    std::vector<std::int64_t> term_nodes; // of linear leaves: the node of each term, counted over all trees,
    std::vector<std::uint32_t> term_columns;
    std::vector<double> terms; // slope, center, low and high

    void add(const GrownTree& tree, const BinnedTable& table) {
        for (std::uint32_t k = 0; k < tree.size(); ++k) {
            nodes.push_back(kept(tree[k], k, table));
            gain.push_back(tree[k].is_leaf() ? 0 : tree[k].split.gain);
            cover.push_back(tree[k].sums.h(tree[k].sums.all));
            for (const LinearTerm& term : tree[k].terms) {
                term_nodes.push_back(start.back() + k);
                term_columns.push_back(term.column);
                terms.insert(terms.end(), {term.slope, term.center, term.low, term.high});
            }
        }
        double* const covers = cover.data() + start.back();
        for (std::size_t k = tree.size(); k-- > 0;) // branches come behind their node
            if (!tree[k].is_leaf())
                covers[k] = covers[tree[k].first] + covers[tree[k].first + 1];
        start.push_back(static_cast<std::int64_t>(nodes.size()));
    }

private:
    ensemble::Node kept(const GrownNode& node, std::uint32_t own, const BinnedTable& table) {
        ensemble::Node made;
        if (node.is_leaf()) {
            made.threshold = node.value;
            made.first = own;
            made.tag = ensemble::Node::leaf;
            return made;
        }
        const tree::BinnedColumn& column = table.columns[node.split.column];
        made.first = node.first;
        made.tag = node.split.column;
        if (!holds(node.split.low, column.n_bins))
            made.tag |= ensemble::Node::missing_right;
        if (!node.split.nominal && !table.by_targets[node.split.column]) {
            made.threshold = threshold_behind(column, node.split.bin);
            return made;
        }
        made.tag |= static_cast<std::uint32_t>(ensemble::Node::Kind::subset) << 27;
        const std::size_t begin = words.size();
        for (std::size_t bin = 0; bin < column.n_bins; ++bin)
            if (holds(node.split.low, bin))
                for (const tree::code_t level : column.levels_of[bin]) {
                    words.resize(std::max(words.size(), begin + level / 64 + 1));
                    words[begin + level / 64] |= std::uint64_t{1} << (level % 64);
                }
        made.list = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(words.size() - begin)};
        return made;
    }
};

} // namespace margin::boosting
