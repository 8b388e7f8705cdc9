// margin._core.boosting: rows walking down the trees of a sum.
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"
#include "margin/boosting/tree_sum.hpp"
#include <nanobind/stl/string.h>

using namespace margin;
using namespace margin::bindings;

namespace {

struct KeptSum {
    KeptSum(InMatrix<std::uint64_t> nodes, In<std::int64_t> start, In<std::uint64_t> words, InMatrix<double> values,
            std::size_t n_columns_)
        : n_columns(n_columns_), kept(nb::make_tuple(nodes, start, words, values)) {
        if (nodes.shape(1) != 2)
            throw nb::value_error("nodes are pairs of words");
        const auto* at = reinterpret_cast<const ensemble::Node*>(nodes.data());
        sum = {{{at, nodes.shape(0)}, span(start), span(words), {}, 1, false}, view(values)};
        if (const std::string wrong = boosting::what_is_unsound(sum, n_columns); !wrong.empty())
            throw nb::value_error(wrong.c_str());
    }
    boosting::TreeSum sum;
    std::size_t n_columns;
    nb::object kept;
};

template <class T>
bool add(const KeptSum& kept, InMatrix<T> numbers, const Columns<std::int32_t>& codes, double largest,
         InOutMatrix<double> into, std::size_t begin, std::size_t end, std::size_t n_threads) {
    const auto columns = pointers(codes);
    const ensemble::WalkedRows<T> rows{view(numbers), columns, largest > 0 ? limit<T>(largest) : T(HUGE_VAL)};
    if (rows.columns() != kept.n_columns || into.shape(0) != numbers.shape(0) || begin > end ||
        into.shape(1) != kept.sum.values.columns() || end > kept.sum.trees.n_trees())
        throw nb::value_error("the rows must have the columns that the trees were grown on");
    boosting::TreeSum part = kept.sum;
    part.trees.start = part.trees.start.subspan(begin, end - begin + 1);
    return with_monitor([&](Monitor& m) { return boosting::add_trees(part, rows, into.data(), n_threads, m); });
}

} // namespace

MARGIN_BINDINGS(boosting) {
    auto sum =
        nb::class_<KeptSum>(boosting, "TreeSum", "Trees whose values are added up; keeps the arrays it was given.")
            .def(
                nb::init<InMatrix<std::uint64_t>, In<std::int64_t>, In<std::uint64_t>, InMatrix<double>, std::size_t>(),
                "nodes"_a.noconvert(), "start"_a.noconvert(), "words"_a.noconvert(), "values"_a.noconvert(),
                "n_columns"_a);
    for_each_type<double, float>([&]<class T> {
        sum.def(
            "add", &add<T>, "numbers"_a.noconvert(), "codes"_a, "largest"_a, "into"_a.noconvert(), "begin"_a, "end"_a,
            "n_threads"_a,
            "Add what trees begin … end - 1 say of each row; False if a cell is larger than `largest` (0: looked at).");
    });
}
