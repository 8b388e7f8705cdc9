#pragma once
// Boosted trees as NumPy arrays.
#include "bindings/ensemble/forest.hpp"
#include "margin/boosting/gradient/answers.hpp"

namespace margin::bindings {

/// Trees to walk, which keep their arrays alive.
struct BoostedTrees : Forest {
    BoostedTrees(InMatrix<std::uint64_t> nodes, In<std::int64_t> start, In<std::uint64_t> words,
                 InMatrix<double> shares, In<double> base_, std::size_t n_columns_)
        : Forest(nodes, start, words, shares, false, n_columns_), base(base_) {
        if (base.size() == 0 || view.n_trees() % base.size() != 0)
            throw nb::value_error("the trees are not so many for each score");
    }

    /// The trees of the first rounds alone.
    boosting::Trees first(std::size_t n_rounds) const {
        auto some = view;
        some.start = some.start.first(std::min(n_rounds, view.n_trees() / base.size()) * base.size() + 1);
        return {some, span(base)};
    }

    In<double> base;
};

} // namespace margin::bindings
