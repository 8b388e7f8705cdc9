#pragma once
// Boosted trees as NumPy arrays.
#include "bindings/ensemble/forest.hpp"
#include "margin/boosting/gradient/answers.hpp"

namespace margin::bindings {

/// Trees to walk, which keep their arrays alive.
struct BoostedTrees : Forest {
    BoostedTrees(InMatrix<std::uint64_t> nodes, In<std::int64_t> start, In<std::uint64_t> words,
                 InMatrix<double> shares, In<double> base_, std::size_t n_columns_, In<std::int64_t> term_nodes,
                 In<std::uint32_t> term_columns, InMatrix<double> term_numbers)
        : Forest(nodes, start, words, shares, false, n_columns_), base(base_) {
        if (base.size() == 0 || view.n_trees() % base.size() != 0)
            throw nb::value_error("the trees are not so many for each score");
        if (term_nodes.size() > 0)
            take_terms(span(term_nodes), span(term_columns), view_of(term_numbers), n_columns_);
    }

    /// The trees of the first rounds alone.
    boosting::Trees first(std::size_t n_rounds) const {
        auto some = view;
        some.start = some.start.first(std::min(n_rounds, view.n_trees() / base.size()) * base.size() + 1);
        return {some, span(base), first_term, terms};
    }

    boosting::Trees all() const { return {view, span(base), first_term, terms}; }

    /// What linear leaves ask of a row lies among its numbers.
    void check_numbers(std::size_t n_numbers) const {
        for (const boosting::LinearTerm& term : terms)
            if (term.column >= n_numbers)
                throw nb::value_error("a term of a linear leaf is of no column of numbers");
    }

    In<double> base;
    std::vector<std::uint32_t> first_term; // of linear leaves
    std::vector<boosting::LinearTerm> terms;

private:
    static MatrixView<const double> view_of(const InMatrix<double>& a) { return {a.data(), a.shape(0), a.shape(1)}; }

    void take_terms(std::span<const std::int64_t> node, std::span<const std::uint32_t> column,
                    MatrixView<const double> numbers, std::size_t n_columns) {
        if (column.size() != node.size() || numbers.rows() != node.size() || numbers.columns() != 4)
            throw nb::value_error("the terms of linear leaves are not as many as their columns");
        first_term.assign(view.nodes.size() + 1, 0);
        for (std::size_t k = 0; k < node.size(); ++k) {
            const double* const at = numbers.data() + 4 * k;
            if (node[k] < 0 || static_cast<std::size_t>(node[k]) >= view.nodes.size() ||
                (k > 0 && node[k] < node[k - 1]) || column[k] >= n_columns || !(at[2] <= at[3]))
                throw nb::value_error("a term of a linear leaf is not of these trees");
            ++first_term[static_cast<std::size_t>(node[k]) + 1];
            terms.push_back({column[k], at[0], at[1], at[2], at[3]});
        }
        for (std::size_t k = 1; k < first_term.size(); ++k)
            first_term[k] += first_term[k - 1];
    }
};

/// Rows to walk, with the numbers that linear leaves ask for.
template <class T>
tree::WalkedRows<T> walked_rows(const BoostedTrees& trees, const InMatrix<T>& numbers,
                                std::span<const std::int32_t* const> codes) {
    trees.check_numbers(numbers.shape(1));
    return rows_for<T>(trees, numbers, codes);
}

} // namespace margin::bindings
