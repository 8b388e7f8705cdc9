#pragma once
// A walker that keeps the NumPy arrays of its tree alive.
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"
#include "margin/tree/grown/walk.hpp"

namespace margin::bindings {

/// The arrays of a tree, and the NumPy arrays they are borrowed from.
struct TreeArrays {
    explicit TreeArrays(const nb::dict& arrays) {
        tree::for_each_array([&](const char* name, tree::Per per, auto& into) { take(arrays[name], per, into); }, tree);
    }

    template <class T>
    void take(nb::object array, tree::Per per, std::span<const T>& into) {
        if (per == tree::Per::value) {
            const auto matrix = nb::cast<InMatrix<T>>(array, false);
            tree.width = matrix.shape(1);
            into = {matrix.data(), matrix.size()};
        } else {
            into = span(nb::cast<In<T>>(array, false));
        }
        kept.push_back(std::move(array));
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
