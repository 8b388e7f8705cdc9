// margin._core.ensemble: which rows trees drew, and how they answer the others with a column permuted.
#include "margin/ensemble/forest/permute.hpp"
#include "forest.hpp"
#include "grown.hpp"

using namespace margin;
using namespace margin::bindings;
using ensemble::ForestPlan;

namespace {

template <class T>
OutMatrix<double> permuted(const Forest& forest, InMatrix<T> numbers, const Columns<std::int32_t>& codes, In<double> y,
                           In<double> weight, const ForestPlan& plan, In<std::int64_t> ends, std::uint64_t seed,
                           InMatrix<std::uint8_t> beside) {
    const auto columns = pointers(codes);
    const auto rows = rows_for<T>(forest, numbers, columns);
    const std::size_t n_trees = forest.view.n_trees(), d = rows.columns();
    if (y.shape(0) != numbers.shape(0) || (beside.size() > 0 && beside.size() != d * d))
        throw nb::value_error("targets must be as many as rows, and pairs of columns as many as columns squared");
    auto more = with_monitor([&](Monitor& monitor) {
        return ensemble::permuted_losses<T>(forest.view, rows, {span(y), span(weight)}, with_ends(plan, ends),
                                            {seed, {beside.data(), beside.size()}}, monitor);
    });
    return give(std::move(more), n_trees, d);
}

OutMatrix<std::int32_t> drawn(const ForestPlan& plan, In<std::int64_t> ends, std::size_t n_rows) {
    const ForestPlan whole = with_ends(plan, ends);
    std::vector<std::int32_t> found(plan.n_trees * n_rows);
    with_monitor([&](Monitor& monitor) {
        parallel_for(plan.n_trees, 1, plan.n_threads, monitor, [&](std::size_t t, std::size_t, std::size_t) {
            std::vector<std::uint32_t> times;
            ensemble::draw_rows(whole, n_rows, plan.first_tree + t, times);
            std::copy(times.begin(), times.end(), found.begin() + static_cast<std::ptrdiff_t>(t * n_rows));
        });
    });
    return give(std::move(found), plan.n_trees, n_rows);
}

} // namespace

MARGIN_BINDINGS(ensemble) {
    for_each_type<double, float>([&]<class T> {
        ensemble.def("permuted", &permuted<T>, "forest"_a, "numbers"_a.noconvert(), "codes"_a, "y"_a.noconvert(),
                     "weight"_a.noconvert(), "plan"_a, "ends"_a.noconvert(), "seed"_a, "beside"_a.noconvert(),
                     "What each column costs each tree when it is permuted out of bag.");
    });
    ensemble.def("drawn", &drawn, "plan"_a, "ends"_a.noconvert(), "n_rows"_a, "How often each tree drew each row.");
}
