// margin._core.linear: the list of losses, and what they are at given margins.
#include "bindings/arrays.hpp"
#include "margin/linear/loss.hpp"
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <string>

using namespace margin;
using namespace margin::bindings;

namespace {

/// Value, slope and curvature of a loss at each margin.
nb::tuple loss_at(const std::string& name, In<double> margins) {
    const std::size_t n = margins.size();
    std::vector<double> value(n), slope(n), curvature(n);
    linear::Losses::visit(name, [&]<class Loss>() {
        for (std::size_t i = 0; i < n; ++i) {
            value[i] = Loss::value(margins.data()[i]);
            slope[i] = Loss::slope(margins.data()[i]);
            curvature[i] = Loss::curvature(margins.data()[i]);
        }
    });
    return nb::make_tuple(give(std::move(value)), give(std::move(slope)), give(std::move(curvature)));
}

/// Name and formula of every loss, in the order of the family.
std::vector<std::pair<std::string, std::string>> losses() {
    std::vector<std::pair<std::string, std::string>> found;
    for (const auto name : linear::Losses::names())
        linear::Losses::visit(name, [&]<class Loss>() { found.emplace_back(Loss::name, Loss::formula); });
    return found;
}

} // namespace

MARGIN_BINDINGS(linear) {
    linear.def("losses", &losses);
    linear.def("loss_at", &loss_at, "name"_a, "margins"_a.noconvert());
}
