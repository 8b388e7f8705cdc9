// margin._core.tree: cuts of a column by description length, without a tree.
#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"
#include "margin/tree/splits/mdl_cuts.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

/// Numbers in ascending order, each with a class and a weight; those of other classes may be equal.
struct SortedNumbers {
    const double* value;
    const std::int32_t* label;
    const double* w;
    std::size_t y(std::size_t i) const noexcept { return static_cast<std::size_t>(label[i]); }
    double weight(std::size_t i) const noexcept { return w[i]; }
    bool parted(std::size_t i) const noexcept { return value[i - 1] != value[i]; }
};

Out<double> mdl_cuts(In<double> value, In<std::int32_t> y, In<double> weight, std::size_t n_classes) {
    std::vector<double> cuts;
    const auto places = with_monitor([&](Monitor& monitor) {
        const SortedNumbers cases{value.data(), y.data(), weight.data()};
        return tree::mdl_places(cases, value.size(), n_classes, &monitor);
    });
    for (const std::size_t i : places)
        cuts.push_back(tree::middle_of(value.data()[i - 1], value.data()[i]));
    return give(std::move(cuts));
}

} // namespace

MARGIN_BINDINGS(tree) {
    tree.def("mdl_cuts", &mdl_cuts, "value"_a.noconvert(), "y"_a.noconvert(), "weight"_a.noconvert(), "n_classes"_a,
             "Where ascending numbers with classes and weights are worth cutting (Fayyad, Irani 1993).");
}
