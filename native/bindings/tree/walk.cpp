// margin._core.tree: rows walking down a tree.
#include "walk.hpp"
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

template <class T>
Out<std::int32_t> leaves(const TreeWalker& walker, InMatrix<T> numbers, const Columns<std::int32_t>& codes,
                         std::size_t n_threads) {
    const auto columns = pointers(codes);
    const auto rows = walker.rows(numbers, columns);
    std::vector<std::int32_t> leaf(numbers.shape(0));
    with_monitor([&](Monitor& m) { walker.walker.leaves(rows, leaf.data(), n_threads, m); });
    return give(std::move(leaf));
}

/// Into memory that the caller has: for one row, making an array here would take longer than the walk.
template <class T>
void values(const TreeWalker& walker, InMatrix<T> numbers, const Columns<std::int32_t>& codes, bool shares,
            InOutMatrix<double> into, std::size_t n_threads) {
    const auto columns = pointers(codes);
    const auto rows = walker.rows(numbers, columns);
    with_monitor([&](Monitor& m) { walker.walker.values(rows, shares, into.data(), n_threads, m); });
}

template <class T>
nb::tuple parts(const TreeWalker& walker, InMatrix<T> numbers, const Columns<std::int32_t>& codes,
                std::size_t n_threads) {
    const auto columns = pointers(codes);
    const auto rows = walker.rows(numbers, columns);
    auto found = with_monitor([&](Monitor& m) { return walker.walker.parts(rows, n_threads, m); });
    return nb::make_tuple(give(std::move(found.start)), give(std::move(found.leaf)), give(std::move(found.part)));
}

} // namespace

MARGIN_BINDINGS(tree) {
    // A model may well be alive when Python ends, and its walker with it: nothing to report.
    nb::set_leak_warnings(false);
    auto walker = nb::class_<TreeWalker>(tree, "Walker", "A tree laid out for walking; keeps the arrays it was given.")
                      .def(nb::init<const nb::dict&>(), "arrays"_a);
    for_each_type<double, float>([&]<class T> {
        walker.def("leaves", &leaves<T>, "numbers"_a.noconvert(), "codes"_a, "n_threads"_a, "The leaf of each row.");
        walker.def("values", &values<T>, "numbers"_a.noconvert(), "codes"_a, "shares"_a, "into"_a.noconvert(),
                   "n_threads"_a,
                   "What the leaves of each row say; with `shares` each value is divided by its sum first.");
        walker.def("numbers", &walk_numbers<T>, "numbers"_a.noconvert(), "largest"_a, "shares"_a, "into"_a.noconvert(),
                   "n_threads"_a, "Values of rows of numbers; False if a cell cannot be used.");
        walker.def("parts", &parts<T>, "numbers"_a.noconvert(), "codes"_a, "n_threads"_a,
                   "Where the leaves of each row begin, the leaves, and the part of the row that reaches each.");
    });
}
