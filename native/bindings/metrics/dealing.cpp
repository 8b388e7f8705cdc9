// margin._core.metrics: rows dealt out to folds.
#include "margin/metrics/dealing.hpp"
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"
#include "labels.hpp"
#include <nanobind/stl/array.h>

using namespace margin;
using namespace margin::bindings;
using Rows = std::int64_t;
using Random = std::array<std::uint64_t, 4>; // state and increment of NumPy's PCG64, high words first

namespace {

template <class Group>
margin::metrics::Cards<Group> cards(const Random& random, const In<Group>& group, const In<Rows>& starts) {
    return {random, group.data(), group.size(), {starts.data(), starts.data() + starts.size()}};
}

template <class Group>
void folds_of(Random random, In<Group> group, In<Rows> starts, Rows folds, InOut<Group> fold_of) {
    with_monitor(
        [&](Monitor& m) { margin::metrics::deal_folds(cards(random, group, starts), folds, fold_of.data(), m); });
}

template <class Group>
void held_of(Random random, In<Group> group, In<Rows> starts, In<Rows> held, InOut<Group> is_held) {
    with_monitor(
        [&](Monitor& m) { margin::metrics::deal_held(cards(random, group, starts), held.data(), is_held.data(), m); });
}

template <class Group>
void sides_of(In<Group> fold_of, Rows fold, InOut<Rows> train, InOut<Rows> test, std::size_t n_threads) {
    with_monitor([&](Monitor& m) {
        margin::metrics::separate(fold_of.data(), fold_of.size(), static_cast<Group>(fold), train.data(), test.data(),
                                  n_threads, m);
    });
}

} // namespace

MARGIN_BINDINGS(metrics) {
    for_each_type<std::uint8_t, Rows>([&]<class Group> {
        metrics.def("deal_folds", &folds_of<Group>, "random"_a, "group"_a.noconvert(), "starts"_a.noconvert(),
                    "folds"_a, "fold_of"_a.noconvert(), "Write the fold of each row.");
        metrics.def("deal_held", &held_of<Group>, "random"_a, "group"_a.noconvert(), "starts"_a.noconvert(),
                    "held"_a.noconvert(), "is_held"_a.noconvert(),
                    "Write whether each row is among the first so many of its group.");
        metrics.def("separate", &sides_of<Group>, "fold_of"_a.noconvert(), "fold"_a, "train"_a.noconvert(),
                    "test"_a.noconvert(), "n_threads"_a, "Write the rows outside and inside a fold.");
    });
}
