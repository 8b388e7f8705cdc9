// margin._core.counts: categories counted by class, and their log-shares added up.
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"
#include "margin/bayes/shares.hpp"

using namespace margin;
using namespace margin::bindings;
using Whole = std::int64_t;

namespace {

OutMatrix<double> of_columns(Columns<std::int32_t> columns, In<Whole> first, In<std::int32_t> y, In<double> w,
                             std::size_t classes, std::size_t n_threads) {
    return give(with_monitor([&](Monitor& m) {
                    return bayes::count_columns(pointers(columns), first.data(), y.data(), optional(w), y.size(),
                                                classes, n_threads, m);
                }),
                static_cast<std::size_t>(first.data()[columns.size()]), classes);
}

template <class T>
OutMatrix<double> of_matrix(InMatrix<T> x, In<Whole> first, In<std::int32_t> y, In<double> w, std::size_t classes,
                            std::size_t n_threads) {
    return give(with_monitor([&](Monitor& m) {
                    return bayes::count_matrix(x.data(), first.data(), y.data(), optional(w), x.shape(0), x.shape(1),
                                               classes, n_threads, m);
                }),
                static_cast<std::size_t>(first.data()[x.shape(1)]), classes);
}

} // namespace

MARGIN_BINDINGS(counts) {
    counts.def("of_columns", &of_columns, "columns"_a.noconvert(), "first"_a.noconvert(), "y"_a.noconvert(),
               "w"_a.noconvert().none(), "classes"_a, "n_threads"_a, "Weight of each level (row) in each class.");
    counts.def(
        "add_columns",
        [](Columns<std::int32_t> columns, In<Whole> first, InMatrix<double> share, InOutMatrix<double> s,
           std::size_t n_threads) {
            return with_monitor([&](Monitor& m) {
                return bayes::add_columns(pointers(columns), first.data(), share.data(), s.data(), s.shape(0),
                                          s.shape(1), n_threads, m);
            });
        },
        "columns"_a.noconvert(), "first"_a.noconvert(), "log_share"_a.noconvert(), "scores"_a.noconvert(),
        "n_threads"_a, "Add log-shares to the scores; whether any score is minus infinity now.");
    for_each_type<double, float, std::uint8_t, std::int32_t, Whole>([&]<class T> {
        counts.def("of_matrix", &of_matrix<T>, "x"_a.noconvert(), "first"_a.noconvert(), "y"_a.noconvert(),
                   "w"_a.noconvert().none(), "classes"_a, "n_threads"_a);
    });
}
