#pragma once
// Building a kd-tree: a sample says how the rows fall into parts, which are then grown one by one, on all threads.
#include "kd_tree_grow.hpp"
#include "margin/core/random.hpp"
#include "margin/core/threads.hpp"
#include <atomic>
#include <numeric>

namespace margin::neighbors::kd {

/// One out of every n / size rows.
inline std::vector<std::size_t> sample_rows(std::size_t n, std::size_t size) {
    std::vector<std::size_t> rows(size);
    Stream stream(0, 0);
    for (std::size_t i = 0; i < size; ++i) {
        const std::size_t begin = i * n / size, end = (i + 1) * n / size;
        rows[i] = begin + stream.below(end - begin);
    }
    return rows;
}

/// Columns are shifted to the middle of the sample and all scaled alike, so that the median size of the sample's cells
/// (of those that are not 0) is between 1 and 2: float32 then has the most room on both sides. Rows that are float32 and
/// of ordinary size are their own sketch.
template <class T>
Sketching<T> sketching_for(const T* x, std::size_t columns, const std::vector<std::size_t>& rows) {
    Sketching<T> sketching;
    sketching.shift.assign(columns, 0.0);
    const std::size_t step = std::max<std::size_t>(1, rows.size() / 1024); // enough to know a middle
    std::vector<double> sizes, column;
    const auto middle_of = [](std::vector<double>& values) {
        const auto middle = values.begin() + values.size() / 2;
        std::nth_element(values.begin(), middle, values.end());
        return *middle;
    };
    for (std::size_t j = 0; j < columns; ++j) {
        column.clear();
        for (std::size_t i = 0; i < rows.size(); i += step)
            column.push_back(static_cast<double>(x[rows[i] * columns + j]));
        const double middle = std::is_same_v<T, float> ? 0 : middle_of(column);
        sketching.shift[j] = middle;
        for (const double cell : column)
            if (cell != middle)
                sizes.push_back(std::abs(cell - middle));
    }
    const double size = sizes.empty() ? 1 : middle_of(sizes);
    sketching.exact = std::is_same_v<T, float> && size > 1e-9 && size < 1e9;
    if (!sketching.exact)
        sketching.scale = std::ldexp(1.0, std::clamp(-std::ilogb(size), -900, 900));
    return sketching;
}

/// A tree of two of `levels` levels over the sample; node i has children 2 i + 1 and 2 i + 2.
class Planes {
public:
    static constexpr std::size_t at_once = 16;

    Planes(std::size_t levels, const std::vector<float>& cells, std::size_t columns)
        : levels_(levels), columns_(columns), planes_((std::size_t{1} << levels) - 1), reach_(2 * columns) {
        std::vector<Keyed> rows(cells.size() / columns);
        std::iota(rows.begin(), rows.end(), Keyed{0});
        cut(0, cells.data(), rows.data(), rows.size());
    }

    /// The parts that rows fall into, below 2^levels, in the order of the tree. Each step has to wait for the one
    /// before, so that several rows go down together.
    void parts_of(const float* rows, std::uint32_t* parts) const {
        for (std::size_t i = 0; i < at_once; ++i)
            parts[i] = 0;
        for (std::size_t level = 0; level < levels_; ++level)
            for (std::size_t i = 0; i < at_once; ++i) {
                const Plane plane = planes_[parts[i]];
                parts[i] = 2 * parts[i] + 1 + (rows[i * columns_ + plane.column] >= plane.value);
            }
        for (std::size_t i = 0; i < at_once; ++i)
            parts[i] -= static_cast<std::uint32_t>(planes_.size());
    }

private:
    struct Plane {
        std::uint32_t column = 0;
        float value = 0;
    };

    void cut(std::size_t node, const float* cells, Keyed* rows, std::size_t n) {
        if (node >= planes_.size() || n == 0)
            return;
        const std::size_t widest = widest_column(cells, columns_, rows, n, reach_.data());
        const std::size_t column = widest == columns_ ? 0 : widest;
        for (std::size_t i = 0; i < n; ++i)
            rows[i] = keyed(cells[row_of(rows[i]) * columns_ + column], row_of(rows[i]));
        select(rows, n, n / 2);
        float value = key_of(*std::min_element(rows + n / 2, rows + n));
        std::size_t below = bring_forward(rows, n, keyed(value, 0));
        if (below == 0 && widest != columns_) { // nothing is below the median: the next larger cell separates
            const std::size_t equal = bring_forward(rows, n, keyed(value, 0xffffffffu));
            value = key_of(*std::min_element(rows + std::min(equal, n - 1), rows + n));
            below = equal;
        }
        planes_[node] = {static_cast<std::uint32_t>(column), value};
        cut(2 * node + 1, cells, rows, below);
        cut(2 * node + 2, cells, rows + below, n - below);
    }

    std::size_t levels_, columns_;
    std::vector<Plane> planes_;
    std::vector<float> reach_;
};

/// Row numbers part by part; within a part ascending.
struct Parts {
    Buffer<std::int32_t> order;
    std::vector<std::size_t> begin; // of each part in `order`, and the end
    std::vector<std::size_t> block; // the first block of each part, and the end
    bool overflowed = false;        // float32 had no room for a cell
};

/// O(n (columns + levels)).
template <class T>
Parts partition(const T* x, std::size_t n, std::size_t columns, const Sketching<T>& sketching, const Planes& planes,
                std::size_t n_parts, std::size_t n_threads, Monitor& monitor) {
    const std::size_t chunk = std::max<std::size_t>(8192, (n + 255) / 256), n_chunks = (n + chunk - 1) / chunk;
    Parts parts{Buffer<std::int32_t>(n), std::vector<std::size_t>(n_parts + 1), std::vector<std::size_t>(n_parts + 1)};
    Buffer<std::uint16_t> part(n);
    std::vector<std::uint32_t> counts(n_chunks * n_parts);
    std::atomic<bool> overflowed{false};
    parallel_for(n, chunk, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        std::uint32_t* count = counts.data() + begin / chunk * n_parts;
        std::vector<float> rows(Planes::at_once * columns);
        std::uint32_t found[Planes::at_once];
        bool fits = true;
        for (std::size_t first = begin; first < end; first += Planes::at_once) {
            const std::size_t n_here = std::min(end - first, Planes::at_once);
            for (std::size_t i = 0; i < n_here; ++i)
                for (std::size_t j = 0; j < columns; ++j) {
                    const float cell = sketching(x[(first + i) * columns + j], j);
                    fits &= std::abs(cell) <= std::numeric_limits<float>::max();
                    rows[i * columns + j] = cell;
                }
            planes.parts_of(rows.data(), found);
            for (std::size_t i = 0; i < n_here; ++i) {
                part.get()[first + i] = static_cast<std::uint16_t>(found[i]);
                ++count[found[i]];
            }
        }
        if (!fits)
            overflowed.store(true, std::memory_order_relaxed);
    });
    parts.overflowed = overflowed;
    std::size_t at = 0;
    for (std::size_t p = 0; p < n_parts; ++p) {
        parts.begin[p] = at;
        for (std::size_t c = 0; c < n_chunks; ++c) {
            const std::size_t here = counts[c * n_parts + p];
            counts[c * n_parts + p] = static_cast<std::uint32_t>(at);
            at += here;
        }
        parts.block[p + 1] = parts.block[p] + (at - parts.begin[p] + block_rows - 1) / block_rows;
    }
    parts.begin[n_parts] = at;
    parallel_for(n, chunk, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        std::uint32_t* to = counts.data() + begin / chunk * n_parts;
        for (std::size_t i = begin; i < end; ++i)
            parts.order.get()[to[part.get()[i]]++] = static_cast<std::int32_t>(i);
    });
    return parts;
}

/// What was grown from one part.
struct Grove {
    Child child; // nodes are numbered from the first of the grove; size 0 if the part is empty
    Nodes nodes;
    std::vector<float> box;
    std::size_t first_node = 0;
};

/// The nodes above the parts, parents first: `fan` parts to a node, `fan` of these to the next, down from one root.
class Crown {
public:
    Crown(std::vector<Grove>& groves, std::size_t columns) : nodes(columns), groves_(groves), box_(2 * columns) {
        std::size_t at = nodes_above(0, groves_.size());
        const Child* lonely = at == 0 ? only_child() : nullptr;
        if (lonely && lonely->size != is_node)
            at = 1; // a single leaf: the root has to be a node
        for (Grove& grove : groves_) {
            grove.first_node = at;
            at += grove.nodes.count();
            if (grove.child.size == is_node)
                grove.child.first += static_cast<std::int32_t>(grove.first_node);
        }
        n_nodes = at;
        const Child root = hang(0, groves_.size());
        if (root.size != is_node)
            nodes.put(nodes.add(), 0, root, box_.data());
    }

    Nodes nodes;
    std::size_t n_nodes = 0;

private:
    std::size_t n_children(std::size_t begin, std::size_t n) const {
        std::size_t count = 0;
        for (std::size_t i = 0; i < fan; ++i)
            count += !empty(begin + i * (n / fan), n / fan);
        return count;
    }

    bool empty(std::size_t begin, std::size_t n) const {
        for (std::size_t i = begin; i < begin + n; ++i)
            if (groves_[i].child.size != 0)
                return false;
        return true;
    }

    std::size_t nodes_above(std::size_t begin, std::size_t n) const {
        if (n == 1 || empty(begin, n))
            return 0;
        std::size_t count = n_children(begin, n) > 1;
        for (std::size_t i = 0; i < fan; ++i)
            count += nodes_above(begin + i * (n / fan), n / fan);
        return count;
    }

    const Child* only_child() const {
        for (const Grove& grove : groves_)
            if (grove.child.size != 0)
                return &grove.child;
        return nullptr;
    }

    /// The part of the tree over n groves, its box in box_. A node with a single child would be none.
    Child hang(std::size_t begin, std::size_t n) {
        if (n == 1) {
            box_ = groves_[begin].box;
            return groves_[begin].child;
        }
        const bool needed = n_children(begin, n) > 1;
        const std::size_t node = needed ? nodes.add() : 0;
        Child child;
        for (std::size_t i = 0, lane = 0; i < fan; ++i) {
            const std::size_t at = begin + i * (n / fan);
            if (empty(at, n / fan))
                continue;
            child = hang(at, n / fan);
            if (needed)
                nodes.put(node, lane++, child, box_.data());
        }
        if (!needed)
            return child;
        nodes.box_of(node, box_.data());
        return nodes.as_child(node);
    }

    std::vector<Grove>& groves_;
    std::vector<float> box_;
};

/// Levels of nodes above the parts: parts of at most 2048 rows, as long as there are no more than 4096 of them.
inline std::size_t crown_levels(std::size_t n) {
    std::size_t levels = 0;
    for (std::size_t parts = 1; parts * fan <= 4096 && n / parts > 2048; parts *= fan)
        ++levels;
    return levels;
}

/// A kd-tree over the n rows of x, with at most max(leaf_size, 16) rows to a leaf. Requires 1 <= n < 2^31, columns >= 1,
/// finite cells of at most 1e150. O(n (log n + columns)) time for any data; the tree does not depend on the number of
/// threads. Memory: the rows once more, and half as much if they are double.
template <class T>
Grown<T> build(const T* x, std::size_t n, std::size_t columns, std::size_t leaf_size, std::size_t n_threads,
               Monitor& monitor) {
    const std::size_t levels = crown_levels(n), n_parts = std::size_t{1} << (fan_bits * levels);
    const auto sampled = sample_rows(n, std::min(n, std::max<std::size_t>(16 * n_parts, 256)));
    auto sketching = sketching_for(x, columns, sampled);
    Parts parts;
    for (;;) {
        std::vector<float> cells(sampled.size() * columns);
        for (std::size_t i = 0; i < sampled.size(); ++i)
            for (std::size_t j = 0; j < columns; ++j)
                cells[i * columns + j] = sketching(x[sampled[i] * columns + j], j);
        const Planes planes(fan_bits * levels, cells, columns);
        parts = partition(x, n, columns, sketching, planes, n_parts, n_threads, monitor);
        if (!parts.overflowed)
            break;
        sketching.scale = std::ldexp(sketching.scale, -64); // few rows, and far beyond all of the sample
        sketching.exact = false;
    }

    Grown<T> out;
    out.columns = columns;
    out.n_blocks = parts.block.back();
    out.sketch = Buffer<float>(out.n_blocks * block_rows * columns);
    out.place = Buffer<std::int32_t>(out.n_blocks * block_rows);
    if (!sketching.exact)
        out.rows = Buffer<T>(out.n_blocks * block_rows * columns);
    out.shift = sketching.shift;
    out.scale = sketching.scale;

    std::vector<Grove> groves(n_parts, Grove{{}, Nodes(columns), {}});
    const std::size_t leaf_blocks = std::max<std::size_t>(1, leaf_size / block_rows);
    parallel_for(n_parts, 1, n_threads, monitor, [&](std::size_t part, std::size_t, std::size_t) {
        const std::size_t begin = parts.begin[part], size = parts.begin[part + 1] - begin;
        if (size == 0)
            return;
        Grower<T> grower(x, sketching, out, leaf_blocks, monitor);
        groves[part].child = grower.grow(parts.order.get() + begin, size, parts.block[part], groves[part].nodes);
        groves[part].box.assign(grower.box(), grower.box() + 2 * columns);
    });

    const Crown crown(groves, columns);
    out.n_nodes = crown.n_nodes;
    out.boxes = Buffer<float>(out.n_nodes * columns * 2 * fan);
    out.first = Buffer<std::int32_t>(out.n_nodes * fan);
    out.size = Buffer<std::int32_t>(out.n_nodes * fan);
    out.lowest = Buffer<std::int32_t>(out.n_nodes * fan);
    const auto lay = [&](const Nodes& nodes, std::size_t from, std::size_t shift) {
        std::copy(nodes.boxes.begin(), nodes.boxes.end(), out.boxes.get() + from * columns * 2 * fan);
        std::copy(nodes.size.begin(), nodes.size.end(), out.size.get() + from * fan);
        std::copy(nodes.lowest.begin(), nodes.lowest.end(), out.lowest.get() + from * fan);
        for (std::size_t i = 0; i < nodes.first.size(); ++i)
            out.first.get()[from * fan + i] =
                nodes.first[i] + (nodes.size[i] == is_node ? static_cast<std::int32_t>(shift) : 0);
    };
    lay(crown.nodes, 0, 0);
    parallel_for(n_parts, 16, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t part = begin; part < end; ++part)
            lay(groves[part].nodes, groves[part].first_node, groves[part].first_node);
    });
    return out;
}

/// The view that a search takes.
template <class T>
Tree view(const Grown<T>& grown) {
    return {grown.sketch.get(), grown.rows.get(), grown.place.get(),  grown.boxes.get(),
            grown.first.get(),  grown.size.get(), grown.lowest.get(), grown.shift.data(),
            grown.scale,        grown.columns,    grown.n_blocks};
}

} // namespace margin::neighbors::kd
