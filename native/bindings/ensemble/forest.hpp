#pragma once
// A forest as NumPy arrays: nodes are pairs of 64-bit words.
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"
#include "margin/ensemble/forest/nodes.hpp"
#include "margin/ensemble/forest/soundness.hpp"
#include "margin/ensemble/forest/walk_forest.hpp"
#include <cstring>
#include <nanobind/stl/string.h>

namespace margin::bindings {

/// What the arrays of a forest say, borrowed.
inline ensemble::ForestView forest_view(const InMatrix<std::uint64_t>& nodes, const In<std::int64_t>& start,
                                        const In<std::uint64_t>& words, const InMatrix<double>& shares,
                                        bool of_classes) {
    static_assert(sizeof(ensemble::Node) == 2 * sizeof(std::uint64_t));
    if (nodes.shape(1) != 2)
        throw nb::value_error("nodes are pairs of words");
    return {{reinterpret_cast<const ensemble::Node*>(nodes.data()), nodes.shape(0)},
            span(start),
            span(words),
            {shares.data(), shares.size()},
            shares.shape(1),
            of_classes};
}

/// A forest to walk, which keeps its arrays alive.
struct Forest {
    Forest(InMatrix<std::uint64_t> nodes, In<std::int64_t> start, In<std::uint64_t> words, InMatrix<double> shares,
           bool of_classes, std::size_t n_columns_)
        : view(forest_view(nodes, start, words, shares, of_classes)), n_columns(n_columns_),
          kept_(nb::make_tuple(nodes, start, words, shares)) {
        if (const std::string wrong = ensemble::what_is_unsound(view, n_columns); !wrong.empty())
            throw nb::value_error(wrong.c_str());
    }

    ensemble::ForestView view;
    std::size_t n_columns;

private:
    nb::object kept_;
};

/// Rows to walk, with the columns that the forest was grown on.
template <class T>
tree::WalkedRows<T> rows_for(const Forest& forest, const InMatrix<T>& numbers,
                             std::span<const std::int32_t* const> codes) {
    const tree::WalkedRows<T> rows{view(numbers), codes};
    if (rows.columns() != forest.n_columns)
        throw nb::value_error("the rows must have the columns that the forest was grown on");
    return rows;
}

} // namespace margin::bindings
