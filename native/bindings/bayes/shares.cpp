// margin._core.counts, second part: log-shares of a matrix whose cells are the level numbers.
#include "margin/bayes/shares.hpp"
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"

using namespace margin;
using namespace margin::bindings;

MARGIN_BINDINGS(counts) {
    for_each_type<double, float, std::uint8_t, std::int32_t, std::int64_t>([&]<class T> {
        counts.def(
            "add_matrix",
            [](InMatrix<T> x, In<std::int64_t> first, InMatrix<double> share, InOutMatrix<double> s,
               std::size_t n_threads) {
                return with_monitor([&](Monitor& m) {
                    return bayes::add_matrix(x.data(), first.data(), share.data(), s.data(), s.shape(0), x.shape(1),
                                             s.shape(1), n_threads, m);
                });
            },
            "x"_a.noconvert(), "first"_a.noconvert(), "log_share"_a.noconvert(), "scores"_a.noconvert(), "n_threads"_a,
            "Add log-shares to the scores; whether any score is minus infinity now.");
    });
}
