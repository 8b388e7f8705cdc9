#pragma once
// Rows to leaves, and to what the leaves say.
//
// A row alone waits for memory at every node. Eight rows are therefore walked side by side, some levels down at a time:
// their loads do not depend on each other and overlap, and no branch of the program depends on a cell. Rows that have
// arrived then leave the list. Measured on a whole tree of 10,000 nodes: 39 ns a row, against 76 with all rows of a group
// one level down at a time.
#include "margin/core/simd.hpp"
#include "margin/core/threads.hpp"
#include "margin/core/views.hpp"
#include "walk_pack.hpp"
#include <array>
#include <atomic>
#include <numeric>

namespace margin::tree {

/// Rows walked together, and rows that one thread takes at a time.
inline constexpr std::size_t walk_group = 64;
inline constexpr std::size_t walk_chunk = 32 * walk_group;

/// The place of a row whose missing cell only the tree itself can follow.
inline constexpr std::uint32_t needs_tree = std::numeric_limits<std::uint32_t>::max();

/// Rows side by side, and the levels they go down before those that have arrived are sorted out; a tree that is not much
/// deeper is walked to its end at once.
inline constexpr std::size_t abreast = 8, levels_at_once = 6, shallow = 12;

template <class T>
MARGIN_INLINED std::uint32_t step_down(const PackedNode* nodes, std::uint32_t at, const T* row) noexcept {
    const PackedNode& node = nodes[at];
    const double x = row[node.column()];
    const bool above = x > node.threshold, above_or_missing = !(x <= node.threshold);
    return node.first + (above | (above_or_missing & (node.tag >> 31)));
}

/// leaf[i] = the leaf of row i, by thresholds alone. Requires packed.plain and n <= walk_group.
template <class T>
void walk_plain(const Packed& packed, const T* rows, std::size_t n_columns, std::size_t n, std::uint32_t* leaf) {
    const PackedNode* nodes = packed.nodes.data();
    if (n == 1) {
        std::uint32_t at = 0;
        while (!nodes[at].is_leaf())
            at = step_down(nodes, at, rows);
        *leaf = packed.origin[at];
        return;
    }
    const std::size_t n_levels = packed.depth <= shallow ? packed.depth : levels_at_once;
    std::array<std::uint8_t, walk_group + abreast> walking;
    std::iota(walking.begin(), walking.begin() + static_cast<std::ptrdiff_t>(n), std::uint8_t{0});
    std::fill_n(leaf, n, 0u);
    for (std::size_t n_walking = n; n_walking > 0;) {
        std::fill_n(walking.begin() + static_cast<std::ptrdiff_t>(n_walking), abreast, walking[n_walking - 1]);
        std::size_t n_left = 0;
        for (std::size_t k = 0; k < n_walking; k += abreast) {
            std::array<std::uint32_t, abreast> at;
            std::array<const T*, abreast> row;
            for (std::size_t j = 0; j < abreast; ++j) {
                at[j] = leaf[walking[k + j]];
                row[j] = rows + walking[k + j] * n_columns;
            }
            for (std::size_t level = 0; level < n_levels; ++level)
                for (std::size_t j = 0; j < abreast; ++j)
                    at[j] = step_down(nodes, at[j], row[j]);
            for (std::size_t j = 0; j < std::min(abreast, n_walking - k); ++j) {
                const std::uint8_t i = walking[k + j];
                leaf[i] = at[j];
                walking[n_left] = i;
                n_left += !nodes[at[j]].is_leaf();
            }
        }
        n_walking = n_left;
    }
    for (std::size_t i = 0; i < n; ++i)
        leaf[i] = packed.origin[leaf[i]];
}

/// The branch of a cell at a node of any kind; the node is not `special` if the cell is missing.
inline std::uint32_t packed_branch(const Packed& packed, const PackedNode& node, double x) noexcept {
    const bool missing = std::isnan(x);
    switch (node.kind()) {
    case PackedNode::Kind::threshold:
        return missing ? node.tag >> 31 : x > node.threshold;
    case PackedNode::Kind::subset: {
        if (missing)
            return node.tag >> 31;
        const std::uint32_t code = code_within(x, std::numeric_limits<std::uint32_t>::max());
        return code / 64 >= node.list.n || !(packed.words[node.list.begin + code / 64] >> (code % 64) & 1);
    }
    case PackedNode::Kind::level:
        return missing ? node.level.missing : code_within(x, node.level.n - 1);
    default: {
        const double* cuts = packed.cuts.data() + node.list.begin;
        return missing ? static_cast<std::uint32_t>(cuts[-1])
                       : static_cast<std::uint32_t>(std::lower_bound(cuts, cuts + node.list.n, x) - cuts);
    }
    }
}

/// leaf[i] = the leaf of row i, or `needs_tree`, by questions of any kind. Requires n <= walk_group.
inline void walk_any(const Packed& packed, const double* rows, std::size_t n_columns, std::size_t n,
                     std::uint32_t* leaf) {
    std::array<std::uint8_t, walk_group> walking;
    for (std::size_t i = 0; i < n; ++i) {
        walking[i] = static_cast<std::uint8_t>(i);
        leaf[i] = 0;
    }
    while (n > 0) {
        std::size_t left = 0;
        for (std::size_t k = 0; k < n; ++k) {
            const std::size_t i = walking[k];
            const PackedNode& node = packed.nodes[leaf[i]];
            if (node.is_leaf()) {
                leaf[i] = packed.origin[leaf[i]];
                continue;
            }
            const double x = rows[i * n_columns + node.column()];
            if ((node.tag & PackedNode::special) && std::isnan(x)) {
                leaf[i] = needs_tree;
                continue;
            }
            leaf[i] = node.first + packed_branch(packed, node, x);
            walking[left++] = static_cast<std::uint8_t>(i);
        }
        n = left;
    }
}

/// Rows as they come: numbers (NaN for missing cells), and columns of codes (-1 for missing cells) behind them.
template <class T>
struct WalkedRows {
    MatrixView<const T> numbers;
    std::span<const std::int32_t* const> codes;
    T largest = std::numeric_limits<T>::infinity(); // numbers beyond cannot be used; infinity: they were looked at

    /// Whether no number of rows [begin, end) is too large.
    bool usable(std::size_t begin, std::size_t end) const noexcept {
        if (largest == std::numeric_limits<T>::infinity())
            return true;
        std::size_t too_large = 0; // a sum rather than a way out, so that it is vectorised
        for (const T cell : numbers.slice(begin, end).cells())
            too_large += std::abs(cell) > largest;
        return too_large == 0;
    }

    std::size_t columns() const noexcept { return numbers.columns() + codes.size(); }

    /// Rows [begin, end) as doubles side by side.
    void write(std::size_t begin, std::size_t end, double* to) const noexcept {
        const std::size_t d = columns(), d_numbers = numbers.columns();
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t j = 0; j < d_numbers; ++j)
                to[(i - begin) * d + j] = static_cast<double>(numbers(i, j));
        for (std::size_t c = 0; c < codes.size(); ++c)
            for (std::size_t i = begin; i < end; ++i) {
                const std::int32_t code = codes[c][i];
                to[(i - begin) * d + d_numbers + c] = code < 0 ? std::numeric_limits<double>::quiet_NaN() : code;
            }
    }
};

/// Leaves that rows reach in part: those of row i from start[i] to start[i + 1].
struct Parts {
    std::vector<std::int64_t> start;
    std::vector<std::int32_t> leaf;
    std::vector<double> part;
};

/// A tree and its layout: what rows walk down. The arrays of the tree must outlive it.
class Walker {
public:
    explicit Walker(const TreeView& tree) : tree_(tree), packed_(pack(tree)) {
        for (const auto columns : {tree.column, tree.surrogate_column})
            for (const std::int32_t column : columns)
                n_columns_ = std::max(n_columns_, static_cast<std::size_t>(column + 1));
    }

    const TreeView& tree() const noexcept { return tree_; }

    /// The columns that rows must have at least.
    std::size_t n_columns() const noexcept { return n_columns_; }

    /// leaf[i] = the leaf of row i; where a row would go down all branches, it takes the heaviest one.
    /// Requires the columns that the tree was grown on. O(rows depth) time.
    template <class T>
    void leaves(const WalkedRows<T>& rows, std::int32_t* leaf, std::size_t n_threads, Monitor& monitor) const {
        each_group(
            rows, n_threads, monitor,
            [&](std::size_t i, std::uint32_t found) { leaf[i] = static_cast<std::int32_t>(found); },
            [&](std::size_t i, Row row) { leaf[i] = static_cast<std::int32_t>(leaf_of(tree_, row)); });
    }

    /// out[i] = the value of row i's leaf, or the mean of several leaves by the parts of the row that reach them.
    /// `shares` divides each value by its sum first. Requires out to hold rows x width numbers.
    /// False if a number is too large to be used; `out` is then not complete.
    template <class T>
    bool values(const WalkedRows<T>& rows, bool shares, double* out, std::size_t n_threads, Monitor& monitor) const {
        const std::size_t width = tree_.width;
        return each_group(
            rows, n_threads, monitor,
            [&](std::size_t i, std::uint32_t leaf) {
                const double* value = tree_.value.data() + leaf * width;
                const double unit = shares ? sum(value) : 1;
                for (std::size_t k = 0; k < width; ++k)
                    out[i * width + k] = value[k] / unit;
            },
            [&](std::size_t i, Row row) {
                std::vector<std::pair<std::size_t, double>> stack;
                std::fill_n(out + i * width, width, 0.0);
                leaves_of(tree_, row, stack, [&](std::size_t leaf, double part) {
                    const double* value = tree_.value.data() + leaf * width;
                    const double unit = shares ? sum(value) : 1;
                    for (std::size_t k = 0; k < width; ++k)
                        out[i * width + k] += part * (value[k] / unit);
                });
            });
    }

    /// Every leaf that a part of row i reaches, in preorder, and that part; row after row.
    template <class T>
    Parts parts(const WalkedRows<T>& rows, std::size_t n_threads, Monitor& monitor) const {
        const std::size_t n = rows.numbers.rows();
        std::vector<std::uint32_t> one_way(n);
        std::vector<std::vector<std::pair<std::size_t, double>>> found((n + walk_group - 1) / walk_group);
        std::vector<std::int64_t> count(n, 1);
        each_group(
            rows, n_threads, monitor, [&](std::size_t i, std::uint32_t leaf) { one_way[i] = leaf; },
            [&](std::size_t i, Row row) {
                auto& group = found[i / walk_group];
                const std::size_t before = group.size();
                std::vector<std::pair<std::size_t, double>> stack;
                leaves_of(tree_, row, stack, [&](std::size_t leaf, double part) { group.emplace_back(leaf, part); });
                one_way[i] = needs_tree;
                count[i] = static_cast<std::int64_t>(group.size() - before);
            });
        Parts parts;
        parts.start.resize(n + 1);
        std::inclusive_scan(count.begin(), count.end(), parts.start.begin() + 1);
        parts.leaf.resize(static_cast<std::size_t>(parts.start[n]));
        parts.part.resize(parts.leaf.size(), 1.0);
        for (std::size_t i = 0, at = 0, next = 0; i < n; ++i) {
            next = i % walk_group == 0 ? 0 : next;
            if (one_way[i] != needs_tree) {
                parts.leaf[at++] = static_cast<std::int32_t>(one_way[i]);
                continue;
            }
            for (std::int64_t k = 0; k < count[i]; ++k, ++at, ++next) {
                const auto [leaf, part] = found[i / walk_group][next];
                parts.leaf[at] = static_cast<std::int32_t>(leaf);
                parts.part[at] = part;
            }
        }
        return parts;
    }

private:
    double sum(const double* value) const noexcept {
        double total = 0;
        for (std::size_t k = 0; k < tree_.width; ++k)
            total += value[k];
        return total;
    }

    /// at(i, leaf) for rows that take one way, by_tree(i, row) for the others; false if a number cannot be used.
    template <class T, class At, class ByTree>
    bool each_group(const WalkedRows<T>& rows, std::size_t n_threads, Monitor& monitor, At&& at,
                    ByTree&& by_tree) const {
        const std::size_t n = rows.numbers.rows(), d = rows.columns();
        std::atomic<bool> usable = true;
        const auto chunk = [&](std::size_t begin, std::size_t end, std::size_t) {
            std::array<std::uint32_t, walk_group> leaf;
            std::vector<double> cells(packed_.plain && rows.codes.empty() ? 0 : walk_group * d);
            for (std::size_t first = begin; first < end; first += walk_group) {
                const std::size_t count = std::min(walk_group, end - first);
                if (!rows.usable(first, first + count)) {
                    usable = false;
                    return;
                }
                if (cells.empty()) {
                    walk_plain(packed_, rows.numbers.data() + first * d, d, count, leaf.data());
                } else {
                    rows.write(first, first + count, cells.data());
                    walk_any(packed_, cells.data(), d, count, leaf.data());
                }
                for (std::size_t i = 0; i < count; ++i)
                    if (leaf[i] != needs_tree)
                        at(first + i, leaf[i]);
                    else
                        by_tree(first + i, cells.data() + i * d);
            }
        };
        if (n <= walk_group)
            chunk(0, n, 0);
        else
            parallel_for(n, packed_.depth > walk_chunk ? walk_group : walk_chunk, n_threads, monitor, chunk);
        return usable;
    }

    TreeView tree_;
    Packed packed_;
    std::size_t n_columns_ = 0;
};

} // namespace margin::tree
