// margin._core.gradient: rows walking down boosted trees.
#include "gradient_trees.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

template <class T>
void sums(const BoostedTrees& trees, InMatrix<T> numbers, const Columns<std::int32_t>& codes, InOutMatrix<double> into,
          std::size_t n_rounds, std::size_t n_threads) {
    const auto columns = pointers(codes);
    const auto rows = walked_rows<T>(trees, numbers, columns);
    with_monitor([&](Monitor& m) { boosting::add_up(trees.first(n_rounds), rows, into.data(), n_threads, m); });
}

template <class T>
bool sums_of_numbers(const BoostedTrees& trees, InMatrix<T> numbers, double largest, InOutMatrix<double> into,
                     std::size_t n_rounds, std::size_t n_threads) {
    auto rows = walked_rows<T>(trees, numbers, {});
    rows.largest = limit<T>(largest);
    if (numbers.shape(0) == 1) { // over before anyone could ask for it to stop
        Monitor unwatched;
        return boosting::add_up(trees.first(n_rounds), rows, into.data(), 1, unwatched);
    }
    return with_monitor(
        [&](Monitor& m) { return boosting::add_up(trees.first(n_rounds), rows, into.data(), n_threads, m); });
}

template <class T>
OutMatrix<std::int32_t> boosted_leaves(const BoostedTrees& trees, InMatrix<T> numbers,
                                       const Columns<std::int32_t>& codes, std::size_t n_threads) {
    const auto columns = pointers(codes);
    const auto rows = walked_rows<T>(trees, numbers, columns);
    std::vector<std::int32_t> leaf(numbers.shape(0) * trees.view.n_trees());
    with_monitor([&](Monitor& m) { ensemble::all_leaves(trees.view, rows, leaf.data(), n_threads, m); });
    return give(std::move(leaf), numbers.shape(0), trees.view.n_trees());
}

} // namespace

MARGIN_BINDINGS(gradient) {
    auto trees = nb::class_<BoostedTrees>(gradient, "Trees", "Trees to walk; keeps the arrays it was given.")
                     .def(nb::init<InMatrix<std::uint64_t>, In<std::int64_t>, In<std::uint64_t>, InMatrix<double>,
                                   In<double>, std::size_t, In<std::int64_t>, In<std::uint32_t>, InMatrix<double>>(),
                          "nodes"_a.noconvert(), "start"_a.noconvert(), "words"_a.noconvert(), "shares"_a.noconvert(),
                          "base"_a.noconvert(), "n_columns"_a, "term_nodes"_a.noconvert(), "term_columns"_a.noconvert(),
                          "term_numbers"_a.noconvert());
    for_each_type<double, float>([&]<class T> {
        trees.def("sums", &sums<T>, "numbers"_a.noconvert(), "codes"_a, "into"_a.noconvert(), "n_rounds"_a,
                  "n_threads"_a, "The scores of each row after so many rounds.");
        trees.def("of_numbers", &sums_of_numbers<T>, "numbers"_a.noconvert(), "largest"_a, "into"_a.noconvert(),
                  "n_rounds"_a, "n_threads"_a, "Scores of rows of numbers; False if a cell cannot be used.");
        trees.def("leaves", &boosted_leaves<T>, "numbers"_a.noconvert(), "codes"_a, "n_threads"_a,
                  "The leaf of each row in each tree.");
    });
}
