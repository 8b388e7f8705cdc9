#pragma once
// The lower part of a kd-tree: rows that fit in the cache are halved until they fit in a leaf.
#include "kd_tree.hpp"
#include "kd_tree_select.hpp"
#include "margin/core/monitor.hpp"
#include "margin/core/simd.hpp"
#include <algorithm>

namespace margin::neighbors::kd {

/// How a cell becomes a cell of the sketch.
template <class T>
struct Sketching {
    std::vector<double> shift;
    double scale = 1;
    bool exact = false;

    float operator()(T cell, std::size_t column) const {
        if constexpr (std::is_same_v<T, float>)
            if (exact)
                return cell;
        return static_cast<float>((static_cast<double>(cell) - shift[column]) * scale);
    }
};

/// A part of the tree as its parent sees it.
struct Child {
    std::int32_t first = 0, size = 0;
    std::int32_t lowest = no_place; // of its places
};

/// Nodes in the order in which they are come by, parents first.
struct Nodes {
    explicit Nodes(std::size_t columns_) : columns(columns_) {}
    std::size_t columns;
    std::vector<float> boxes;
    std::vector<std::int32_t> first, size, lowest;

    std::size_t count() const { return first.size() / fan; }

    std::size_t add() {
        const std::size_t from = boxes.size();
        boxes.resize(from + columns * 2 * fan,
                     std::numeric_limits<float>::max()); // where there is no child, no box is near
        for (std::size_t j = 0; j < columns; ++j)
            std::fill_n(boxes.begin() + static_cast<std::ptrdiff_t>(from + (2 * j + 1) * fan), fan,
                        std::numeric_limits<float>::lowest());
        first.resize(first.size() + fan, 0);
        size.resize(size.size() + fan, 0);
        lowest.resize(lowest.size() + fan, no_place);
        return count() - 1;
    }

    /// box: [column][lowest, highest]
    void put(std::size_t node, std::size_t lane, Child child, const float* box) {
        first[node * fan + lane] = child.first;
        size[node * fan + lane] = child.size;
        lowest[node * fan + lane] = child.lowest;
        for (std::size_t j = 0; j < 2 * columns; ++j)
            boxes[(node * columns * 2 + j) * fan + lane] = box[j];
    }

    Child as_child(std::size_t node) const {
        const auto from = lowest.begin() + static_cast<std::ptrdiff_t>(node * fan);
        return {static_cast<std::int32_t>(node), is_node, *std::min_element(from, from + fan)};
    }

    /// The box around all children.
    void box_of(std::size_t node, float* box) const {
        const float* lanes = boxes.data() + node * columns * 2 * fan;
        for (std::size_t j = 0; j < columns; ++j, lanes += 2 * fan) {
            float low = lanes[0], high = lanes[fan];
            for (std::size_t l = 1; l < fan && size[node * fan + l] != 0; ++l) {
                low = std::min(low, lanes[l]);
                high = std::max(high, lanes[l + fan]);
            }
            box[2 * j] = low;
            box[2 * j + 1] = high;
        }
    }
};

/// The column in which these rows (or 32 of them, if they are more) reach the furthest; `columns` if they are all equal.
inline std::size_t widest_column(const float* cells, std::size_t columns, const Keyed* rows, std::size_t n,
                                 float* box) {
    const auto look = [&](std::size_t step) {
        for (std::size_t j = 0; j < columns; ++j)
            box[j] = box[columns + j] = cells[row_of(rows[0]) * columns + j];
        for (std::size_t i = step; i < n; i += step) {
            const float* row = cells + row_of(rows[i]) * columns;
            for (std::size_t j = 0; j < columns; ++j) {
                box[j] = row[j] < box[j] ? row[j] : box[j];
                box[columns + j] = row[j] > box[columns + j] ? row[j] : box[columns + j];
            }
        }
        std::size_t widest = 0;
        for (std::size_t j = 1; j < columns; ++j)
            if (box[columns + j] - box[j] > box[columns + widest] - box[widest])
                widest = j;
        return box[columns + widest] > box[widest] ? widest : columns;
    };
    const std::size_t step = std::max<std::size_t>(1, n / 32);
    const std::size_t widest = look(step);
    return widest == columns && step > 1 ? look(1) : widest;
}

/// Halves rows at the median of their widest column, so that all leaves but the last are full. Equal rows are halved
/// too, so that the depth is bounded whatever the data. O(n log n) time, O(n columns) memory; made once for a thread.
template <class T>
class Grower {
public:
    Grower(const T* x, const Sketching<T>& sketching, const Grown<T>& out, std::size_t leaf_blocks, Monitor& monitor)
        : x_(x), sketching_(sketching), out_(out), columns_(out.columns), leaf_blocks_(leaf_blocks), monitor_(monitor),
          box_(2 * columns_), reach_(2 * columns_) {}

    /// Lay rows x[order[0 … n)] into the blocks from `first_block` on, the nodes above them into `nodes`. Requires n > 0.
    /// The box around them is box() afterwards.
    Child grow(const std::int32_t* order, std::size_t n, std::size_t first_block, Nodes& nodes) {
        order_ = order;
        nodes_ = &nodes;
        cells_ = Buffer<float>(n * columns_);
        keyed_ = Buffer<Keyed>(n);
        constexpr std::size_t ahead = 16; // rows of a part are all over the table
        for (std::size_t i = 0; i < n; ++i) {
            if (i % (1 << 16) == 0)
                monitor_.check();
            const T* row = x_ + static_cast<std::size_t>(order[i]) * columns_;
            __builtin_prefetch(x_ + static_cast<std::size_t>(order[std::min(i + ahead, n - 1)]) * columns_);
            for (std::size_t j = 0; j < columns_; ++j)
                cells_.get()[i * columns_ + j] = sketching_(row[j], j);
            keyed_.get()[i] = static_cast<Keyed>(i);
        }
        return part(0, n, first_block);
    }

    const float* box() const { return box_.data(); }

private:
    Child part(std::size_t begin, std::size_t end, std::size_t first_block) {
        const std::size_t n_blocks = (end - begin + block_rows - 1) / block_rows;
        if (n_blocks <= leaf_blocks_)
            return leaf(begin, end, first_block);
        std::size_t unit = leaf_blocks_; // the largest child that leaves no more than `fan` of them
        while (unit * fan < n_blocks)
            unit *= fan;
        const std::size_t node = nodes_->add();
        lanes(begin, end, first_block, unit, node, 0);
        nodes_->box_of(node, box_.data());
        return nodes_->as_child(node);
    }

    /// Cut rows into children of `unit` blocks (the last may have less) and hang them into `node` from `lane` on.
    void lanes(std::size_t begin, std::size_t end, std::size_t first_block, std::size_t unit, std::size_t node,
               std::size_t lane) {
        const std::size_t rows = unit * block_rows;
        const std::size_t n_children = (end - begin + rows - 1) / rows;
        if (n_children == 1) {
            const Child child = part(begin, end, first_block);
            nodes_->put(node, lane, child, box_.data());
            return;
        }
        const std::size_t left = n_children / 2;
        const std::size_t middle = begin + left * rows;
        split(begin, middle, end);
        lanes(begin, middle, first_block, unit, node, lane);
        lanes(middle, end, first_block + left * unit, unit, node, lane + left);
    }

    void split(std::size_t begin, std::size_t middle, std::size_t end) {
        if (end - begin > (1 << 14))
            monitor_.check();
        const std::size_t column =
            widest_column(cells_.get(), columns_, keyed_.get() + begin, end - begin, reach_.data());
        if (column == columns_)
            return; // equal rows: any half is as good
        Keyed* rows = keyed_.get();
        for (std::size_t i = begin; i < end; ++i)
            rows[i] = keyed(cells_.get()[row_of(rows[i]) * columns_ + column], row_of(rows[i]));
        select(keyed_.get() + begin, end - begin, middle - begin);
    }

    Child leaf(std::size_t begin, std::size_t end, std::size_t first_block) {
        const std::size_t n_blocks = (end - begin + block_rows - 1) / block_rows;
        for (std::size_t b = 0; b < n_blocks; ++b) {
            const std::size_t from = begin + b * block_rows;
            write_block(from, std::min(end - from, block_rows), first_block + b);
        }
        box_of_blocks(first_block, n_blocks);
        std::int32_t lowest = no_place;
        for (std::size_t i = begin; i < end; ++i)
            lowest = std::min(lowest, order_[row_of(keyed_.get()[i])]);
        return {static_cast<std::int32_t>(first_block), static_cast<std::int32_t>(n_blocks), lowest};
    }

    void write_block(std::size_t from, std::size_t n, std::size_t block) {
        float* sketch = out_.sketch.get() + block * columns_ * block_rows;
        for (std::size_t l = 0; l < block_rows; ++l) {
            const std::size_t at =
                row_of(keyed_.get()[from + std::min(l, n - 1)]); // what is left is filled with the last row
            out_.place.get()[block * block_rows + l] = l < n ? order_[at] : -1;
            const float* cells = cells_.get() + at * columns_;
            if (sketching_.exact) {
                for (std::size_t j = 0; j < columns_; ++j)
                    sketch[j * block_rows + l] = cells[j];
                continue;
            }
            const T* from_row = x_ + static_cast<std::size_t>(order_[at]) * columns_;
            T* row = out_.rows.get() + (block * block_rows + l) * columns_;
            for (std::size_t j = 0; j < columns_; ++j) {
                sketch[j * block_rows + l] = cells[j];
                row[j] = from_row[j];
            }
        }
    }

    void box_of_blocks(std::size_t first_block, std::size_t n_blocks) {
        for (std::size_t b = first_block; b < first_block + n_blocks; ++b)
            for (std::size_t j = 0; j < columns_; ++j) {
                const float* cells = out_.sketch.get() + (b * columns_ + j) * block_rows;
                float low[block_rows], high[block_rows];
                for (std::size_t l = 0; l < block_rows; ++l)
                    low[l] = high[l] = cells[l];
                for (std::size_t half = block_rows / 2; half > 0; half /= 2)
                    for (std::size_t l = 0; l < half; ++l) {
                        low[l] = low[l + half] < low[l] ? low[l + half] : low[l];
                        high[l] = high[l + half] > high[l] ? high[l + half] : high[l];
                    }
                box_[2 * j] = b == first_block ? low[0] : std::min(box_[2 * j], low[0]);
                box_[2 * j + 1] = b == first_block ? high[0] : std::max(box_[2 * j + 1], high[0]);
            }
    }

    const T* x_;
    const Sketching<T>& sketching_;
    const Grown<T>& out_;
    std::size_t columns_, leaf_blocks_;
    Monitor& monitor_;
    const std::int32_t* order_ = nullptr;
    Nodes* nodes_ = nullptr;
    std::vector<float> box_, reach_;
    Buffer<float> cells_;
    Buffer<Keyed> keyed_;
};

} // namespace margin::neighbors::kd
