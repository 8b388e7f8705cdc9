#pragma once
// SHAP values of rows in a sum of trees, as NumPy arrays.
#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"
#include "margin/tree/shap/shap_values.hpp"
#include <utility>
#include <vector>

namespace margin::bindings {

/// Rows by columns x width; by columns x columns x width off the diagonal, or nothing; and the base. Every tree counts
/// `scale`. Requires a tree at least, and as wide trees.
template <class Source, class T>
nb::tuple shap_of(std::span<const Source> trees, const tree::WalkedRows<T>& rows, double scale, bool interactions,
                  std::size_t n_threads) {
    const std::size_t n = rows.numbers.rows(), d = rows.columns(), width = trees.front().width();
    std::vector<double> values(n * d * width), pairs(interactions ? n * d * d * width : 0), base(width);
    with_monitor([&](Monitor& monitor) {
        tree::add_shap_values(trees, rows,
                              {values.data(), interactions ? pairs.data() : nullptr, base.data(), width, scale},
                              n_threads, monitor);
    });
    return nb::make_tuple(give(std::move(values), n, d * width),
                          give(std::move(pairs), interactions ? n : 0, d * d * width), give(std::move(base)));
}

} // namespace margin::bindings
