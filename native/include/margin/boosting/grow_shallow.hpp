#pragma once
// Stumps and shallow trees under the weights of a round.
//
// Level by level: every column is passed over once for all open nodes, which share their passes, and rows carry the
// number of their node. At the last level a split has to make the score larger; above it a split may be of use later
// (exclusive or), and only pure nodes stay as they are. Columns are shared out to threads and nothing else is, so that
// the tree is the same for any number of them; of equal cuts the first column's first is taken.
#include "column_search.hpp"
#include "margin/ensemble/forest/nodes.hpp"
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace margin::boosting {

/// Leaves are numbered in a byte.
inline constexpr std::size_t most_depth = 7;

struct ShallowTree {
    std::vector<ensemble::Node> nodes; // a leaf's threshold is its number among the leaves
    std::vector<std::uint64_t> words;  // of subsets
    std::vector<sum_t> sums;           // of each leaf
    std::size_t n_leaves = 0;
};

template <class Stat>
class ShallowGrower {
public:
    using Item = typename Stat::Item;

    /// leaf[i] will be the leaf of row i.
    ShallowGrower(const RankedTable& table, Stat stat, std::span<const Item> items, std::vector<std::uint8_t>& leaf,
                  std::size_t n_threads, Monitor& monitor)
        : table_(table), stat_(stat), items_(items), node_(leaf),
          n_threads_(table.rows() * table.columns() < 50'000 ? 1 : n_threads), monitor_(monitor) {}

    /// Requires 1 <= depth <= most_depth. O(depth n d) time.
    ShallowTree grow(std::size_t depth) {
        node_.assign(table_.rows(), 0);
        tree_.nodes.resize(1);
        open_.assign(1, 0);
        totals_ = add_up(1);
        for (std::size_t level = 0; level < depth; ++level) {
            const std::vector<Cut> cuts = search();
            if (!divide(cuts, level + 1 == depth))
                break;
        }
        for (std::size_t m = 0; m < open_.size(); ++m) {
            ensemble::Node& leaf = tree_.nodes[open_[m]];
            leaf.threshold = static_cast<double>(m);
            leaf.first = open_[m];
            leaf.tag = ensemble::Node::leaf;
        }
        tree_.n_leaves = open_.size();
        tree_.sums = totals_;
        return std::move(tree_);
    }

private:
    static constexpr std::size_t rows_a_chunk = 16384;

    /// The sums of each node that rows are in.
    std::vector<sum_t> add_up(std::size_t n_nodes) const {
        const std::size_t width = stat_.n_sums();
        return reduce_in_order(
            table_.rows(), rows_a_chunk, n_threads_, monitor_, [&] { return std::vector<sum_t>(n_nodes * width); },
            [&](std::vector<sum_t>& part, std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i)
                    stat_.add(part.data() + node_[i] * width, items_[i]);
            },
            [](std::vector<sum_t>& left, std::vector<sum_t>&& right) {
                for (std::size_t k = 0; k < left.size(); ++k)
                    left[k] += right[k];
            });
    }

    /// The best cut of each open node over all columns.
    std::vector<Cut> search() {
        const std::size_t n_open = open_.size();
        const auto& varying = table_.varying();
        const Level<Stat> level{table_, stat_, items_.data(), node_.data(), n_open, totals_.data()};
        std::vector<std::vector<Cut>> found(varying.size());
        std::vector<std::atomic<double>> bars(n_open);
        for (auto& bar : bars)
            bar = -std::numeric_limits<double>::infinity();
        std::vector<SearchRoom> rooms(std::max<std::size_t>(n_workers(varying.size(), 1, n_threads_), 1));
        parallel_for(varying.size(), 1, n_threads_, monitor_, [&](std::size_t v, std::size_t, std::size_t worker) {
            found[v].resize(n_open);
            search_column(level, varying[v], bars.data(), rooms[worker], found[v].data());
        });
        std::vector<Cut> best(n_open);
        for (auto& of_column : found)
            for (std::size_t m = 0; m < n_open; ++m)
                if (of_column[m].score > best[m].score)
                    best[m] = std::move(of_column[m]);
        return best;
    }

    bool splits(const Cut& cut, std::size_t m, bool is_last) const {
        const sum_t* const total = totals_.data() + m * stat_.n_sums();
        if (!cut.found() || stat_.is_pure(total))
            return false;
        const double before = stat_.side(total);
        return !is_last || cut.score - before > 1e-12 * std::max(std::abs(cut.score), std::abs(before));
    }

    /// Write the splits and send the rows on; false if no node was split.
    bool divide(const std::vector<Cut>& cuts, bool is_last) {
        std::vector<std::uint32_t> next;
        std::vector<std::uint8_t> from(open_.size());
        std::vector<bool> split(open_.size());
        for (std::size_t m = 0; m < open_.size(); ++m) {
            split[m] = splits(cuts[m], m, is_last);
            from[m] = static_cast<std::uint8_t>(next.size());
            if (!split[m]) {
                next.push_back(open_[m]);
                continue;
            }
            const auto first = static_cast<std::uint32_t>(tree_.nodes.size());
            tree_.nodes.resize(first + 2);
            next.insert(next.end(), {first, first + 1});
        }
        std::vector<std::uint8_t> before = node_;
        for (std::size_t m = 0; m < open_.size(); ++m)
            send(before, m, from[m], split[m] ? &cuts[m] : nullptr);
        const bool any = next.size() > open_.size();
        if (any)
            write(cuts, split, next, from);
        open_ = std::move(next);
        return any;
    }

    /// node_[i] = to, or to + 1 for the rows of branch 1, for the rows of open node m.
    void send(const std::vector<std::uint8_t>& before, std::size_t m, std::uint8_t to, const Cut* cut) {
        const std::size_t n = table_.rows();
        if (!cut) {
            for (std::size_t i = 0; i < n; ++i)
                if (before[i] == m)
                    node_[i] = to;
            return;
        }
        const std::size_t n_bins = table_.column(cut->column).n_bins;
        std::vector<std::uint8_t> right(cut->subset ? n_bins + 1 : 0, 1);
        for (const std::uint32_t code : cut->codes)
            right[code] = 0;
        const bool whole = open_.size() == 1;
        table_.coded().with_codes(cut->column, [&](const auto* codes) {
            const auto low = cut->low;
            const auto missing_left = cut->missing_right ? std::uint32_t(n_bins) + 1 : std::uint32_t(n_bins);
            parallel_for(n, rows_a_chunk, n_threads_, monitor_, [&](std::size_t i, std::size_t end, std::size_t) {
                for (; i < end; ++i)
                    if (whole || before[i] == m)
                        node_[i] = static_cast<std::uint8_t>(
                            to + (cut->subset ? right[codes[i]] : (codes[i] > low) & (codes[i] != missing_left)));
            });
        });
    }

    /// The questions of the nodes that were split. Missing cells go the heavier way where the node held none.
    void write(const std::vector<Cut>& cuts, const std::vector<bool>& split, const std::vector<std::uint32_t>& next,
               const std::vector<std::uint8_t>& from) {
        std::vector<double> heavy(next.size());
        totals_ = add_up(next.size());
        for (std::size_t c = 0; c < next.size(); ++c)
            heavy[c] = stat_.heaviness(totals_.data() + c * stat_.n_sums());
        for (std::size_t m = 0; m < open_.size(); ++m) {
            if (!split[m])
                continue;
            const Cut& cut = cuts[m];
            const tree::BinnedColumn& column = table_.column(cut.column);
            bool right = cut.missing_right;
            if (!holds_missing(cut.column, from[m]))
                right = heavy[from[m] + std::size_t{1}] >= heavy[from[m]];
            ensemble::Node& node = tree_.nodes[open_[m]];
            node.first = next[from[m]];
            node.tag = cut.column | (right ? ensemble::Node::missing_right : 0) | (cut.subset ? 1u << 27 : 0);
            if (!cut.subset) {
                node.threshold = column.between(cut.low, cut.next);
                continue;
            }
            const auto begin = static_cast<std::uint32_t>(tree_.words.size());
            for (const std::uint32_t code : cut.codes)
                for (const auto level : code < column.n_bins ? column.levels_of[code] : std::vector<tree::code_t>{}) {
                    tree_.words.resize(std::max<std::size_t>(tree_.words.size(), begin + level / 64 + 1));
                    tree_.words[begin + level / 64] |= std::uint64_t{1} << level % 64;
                }
            node.list = {begin, static_cast<std::uint32_t>(tree_.words.size()) - begin};
        }
    }

    /// Whether a row of the node that was split has no cell in the column; its children are `first` and the next.
    bool holds_missing(std::size_t j, std::size_t first) const {
        const tree::BinnedColumn& column = table_.column(j);
        if (!column.has_missing)
            return false;
        return table_.coded().with_codes(j, [&](const auto* codes) {
            for (std::size_t i = 0; i < table_.rows(); ++i)
                if (codes[i] == column.n_bins && (node_[i] == first || node_[i] == first + 1))
                    return true;
            return false;
        });
    }

    const RankedTable& table_;
    Stat stat_;
    std::span<const Item> items_;
    std::vector<std::uint8_t>& node_;
    std::size_t n_threads_;
    Monitor& monitor_;
    ShallowTree tree_;
    std::vector<std::uint32_t> open_; // the open nodes, by their place in the tree
    std::vector<sum_t> totals_;
};

} // namespace margin::boosting
