#pragma once
// A walker that keeps the NumPy arrays of its tree alive.
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"
#include "margin/tree/grown/walk.hpp"

namespace margin::bindings {

/// The arrays of a tree, and the NumPy arrays they are borrowed from.
struct TreeArrays {
    explicit TreeArrays(const nb::dict& arrays) {
        const auto value = nb::cast<InMatrix<double>>(arrays["value"], false);
        tree.width = value.shape(1);
        tree.value = {value.data(), value.size()};
        kept.push_back(arrays["value"]);
        take(arrays, "ask", tree.ask);
        take(arrays, "column", tree.column);
        take(arrays, "threshold", tree.threshold);
        take(arrays, "missing", tree.missing);
        take(arrays, "weight", tree.weight);
        take(arrays, "child_start", tree.child_start);
        take(arrays, "child", tree.child);
        take(arrays, "detail_start", tree.detail_start);
        take(arrays, "detail", tree.detail);
        take(arrays, "surrogate_start", tree.surrogate_start);
        take(arrays, "surrogate_column", tree.surrogate_column);
        take(arrays, "surrogate_threshold", tree.surrogate_threshold);
        take(arrays, "surrogate_low", tree.surrogate_low);
        take(arrays, "surrogate_detail_start", tree.surrogate_detail_start);
        take(arrays, "surrogate_detail", tree.surrogate_detail);
    }

    template <class T>
    void take(const nb::dict& arrays, const char* name, std::span<const T>& into) {
        const auto array = nb::cast<In<T>>(arrays[name], false);
        into = span(array);
        kept.push_back(arrays[name]);
    }

    std::vector<nb::object> kept;
    tree::TreeView tree;
};

struct TreeWalker {
    explicit TreeWalker(const nb::dict& given) : arrays(given), walker(arrays.tree) {}

    /// Rows to walk, with as many columns as the tree asks about.
    template <class T>
    tree::WalkedRows<T> rows(const InMatrix<T>& numbers, std::span<const std::int32_t* const> codes) const {
        const tree::WalkedRows<T> found{view(numbers), codes};
        if (found.columns() < walker.n_columns())
            throw nb::value_error("the tree asks about columns that the rows do not have");
        return found;
    }

    TreeArrays arrays; // before the walker, which is made of them
    tree::Walker walker;
};

/// Numbers on the shortest way, looked at and walked in one call: false if one is infinite or larger than `largest`.
template <class T>
bool walk_numbers(const TreeWalker& walker, InMatrix<T> numbers, double largest, bool shares, InOutMatrix<double> into,
                  std::size_t n_threads) {
    auto rows = walker.rows(numbers, {});
    rows.largest = limit<T>(largest);
    if (numbers.shape(0) == 1) { // over before anyone could ask for it to stop
        Monitor unwatched;
        return walker.walker.values(rows, shares, into.data(), 1, unwatched);
    }
    return with_monitor([&](Monitor& m) { return walker.walker.values(rows, shares, into.data(), n_threads, m); });
}

} // namespace margin::bindings
