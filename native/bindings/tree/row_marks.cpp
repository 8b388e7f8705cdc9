// margin._core.tree: numbers by which rows are dealt out.
#include "margin/tree/row_marks.hpp"
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

template <class T>
Out<std::uint64_t> mark_rows(InMatrix<T> numbers, In<std::uint64_t> mark, std::size_t n_threads) {
    std::vector<std::uint64_t> marks(mark.data(), mark.data() + mark.size());
    if (numbers.shape(0) != marks.size())
        throw nb::value_error("there must be a mark for each row");
    with_monitor([&](Monitor& m) { tree::mark_rows(view(numbers), std::span(marks), n_threads, m); });
    return give(std::move(marks));
}

template <class T>
Out<std::uint64_t> mark_sparse_rows(In<T> values, const Places& rows, const Places& start, In<std::uint64_t> mark,
                                    std::size_t n_threads) {
    std::vector<std::uint64_t> marks(mark.data(), mark.data() + mark.size());
    const auto columns = csr(values, rows, start, marks.size());
    with_monitor([&](Monitor& m) { tree::mark_rows<T>(columns, std::span(marks), n_threads, m); });
    return give(std::move(marks));
}

} // namespace

MARGIN_BINDINGS(tree) {
    for_each_type<double, float>([&]<class T> {
        tree.def("mark_rows", &mark_rows<T>, "numbers"_a.noconvert(), "mark"_a.noconvert(), "n_threads"_a,
                 "The marks of rows with the ranks of their cells mixed in, column after column.");
        tree.def("mark_sparse_rows", &mark_sparse_rows<T>, "values"_a.noconvert(), "rows"_a.noconvert(),
                 "start"_a.noconvert(), "mark"_a.noconvert(), "n_threads"_a,
                 "The same of a sparse matrix that is given column after column.");
    });
}
