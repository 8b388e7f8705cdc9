// margin._core.ensemble: rows walking down the trees of a forest.
#include "forest.hpp"
#include "margin/ensemble/forest/walk_forest.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

template <class T>
void means(const Forest& forest, InMatrix<T> numbers, const Columns<std::int32_t>& codes, InOutMatrix<double> into,
           std::size_t n_threads) {
    const auto columns = pointers(codes);
    const auto rows = rows_for<T>(forest, numbers, columns);
    with_monitor([&](Monitor& m) { ensemble::mean_answers(forest.view, rows, into.data(), n_threads, m); });
}

template <class T>
bool of_numbers(const Forest& forest, InMatrix<T> numbers, double largest, InOutMatrix<double> into,
                std::size_t n_threads) {
    auto rows = rows_for<T>(forest, numbers, {});
    rows.largest = limit<T>(largest);
    if (numbers.shape(0) == 1) { // over before anyone could ask for it to stop
        Monitor unwatched;
        return ensemble::mean_answers(forest.view, rows, into.data(), 1, unwatched);
    }
    return with_monitor(
        [&](Monitor& m) { return ensemble::mean_answers(forest.view, rows, into.data(), n_threads, m); });
}

template <class T>
OutMatrix<std::int32_t> leaves(const Forest& forest, InMatrix<T> numbers, const Columns<std::int32_t>& codes,
                               std::size_t n_threads) {
    const auto columns = pointers(codes);
    const auto rows = rows_for<T>(forest, numbers, columns);
    std::vector<std::int32_t> leaf(numbers.shape(0) * forest.view.n_trees());
    with_monitor([&](Monitor& m) { ensemble::all_leaves(forest.view, rows, leaf.data(), n_threads, m); });
    return give(std::move(leaf), numbers.shape(0), forest.view.n_trees());
}

} // namespace

MARGIN_BINDINGS(ensemble) {
    auto forest = nb::class_<Forest>(ensemble, "Forest", "Trees to walk; keeps the arrays it was given.")
                      .def(nb::init<InMatrix<std::uint64_t>, In<std::int64_t>, In<std::uint64_t>, InMatrix<double>,
                                    bool, std::size_t>(),
                           "nodes"_a.noconvert(), "start"_a.noconvert(), "words"_a.noconvert(), "shares"_a.noconvert(),
                           "of_classes"_a, "n_columns"_a);
    for_each_type<double, float>([&]<class T> {
        forest.def("means", &means<T>, "numbers"_a.noconvert(), "codes"_a, "into"_a.noconvert(), "n_threads"_a,
                   "The mean of what the trees say of each row.");
        forest.def("of_numbers", &of_numbers<T>, "numbers"_a.noconvert(), "largest"_a, "into"_a.noconvert(),
                   "n_threads"_a, "Means of rows of numbers; False if a cell cannot be used.");
        forest.def("leaves", &leaves<T>, "numbers"_a.noconvert(), "codes"_a, "n_threads"_a,
                   "The leaf of each row in each tree.");
    });
}
