#pragma once
// An epoch of stochastic gradient descent over rows of any make.
#include "margin/linear/online/online_sgd.hpp"
#include "online.hpp"
#include <nanobind/stl/string.h>
#include <string>

namespace margin::bindings {

/// Everything but the rows, as it comes from Python; see SgdEpoch and SgdState.
template <class Rows>
nb::tuple sgd_over(const Rows& rows, const std::string& loss, In<std::int32_t> y, In<double> weight, Visited order,
                   int schedule, In<double> eta, double power_t, double optimal_start, double alpha, double l1_ratio,
                   bool intercept, double average_from, Changed w, ChangedVector b, Changed sum_w, ChangedVector sum_b,
                   ChangedVector averaged, Changed paid, ChangedVector owed, In<bool> active, double t) {
    const linear::SgdEpoch epoch{visits_of(order, y.size()),
                                 y.data(),
                                 optional(weight),
                                 static_cast<linear::Schedule>(schedule),
                                 eta.data(),
                                 power_t,
                                 optimal_start,
                                 alpha,
                                 l1_ratio,
                                 intercept,
                                 average_from};
    linear::SgdState state{
        b.size(),       w.shape(1),     w.data(),      b.data(), optional(sum_w), optional(sum_b), optional(averaged),
        optional(paid), optional(owed), active.data(), t};
    auto losses = with_monitor([&](Monitor& monitor) {
        return linear::Losses::visit(loss,
                                     [&]<class L>() { return linear::sgd_epoch<L>(rows, epoch, state, monitor); });
    });
    return nb::make_tuple(give(std::move(losses)), state.t);
}

template <class Function, class... Rows>
void bind_sgd(nb::module_& linear, Function function, Rows... rows) {
    const auto none = [](const char* name) { return nb::arg(name).noconvert().none(); };
    const auto there = [](const char* name) { return nb::arg(name).noconvert(); };
    linear.def("sgd_epoch", function, rows..., "loss"_a, there("y"), none("weight"), none("visits"), "schedule"_a,
               there("eta"), "power_t"_a, "optimal_start"_a, "alpha"_a, "l1_ratio"_a, "intercept"_a, "average_from"_a,
               there("w"), there("b"), none("sum_w"), none("sum_b"), none("averaged"), none("paid"), none("owed"),
               there("active"), "t"_a);
}

} // namespace margin::bindings
