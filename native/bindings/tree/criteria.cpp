// margin._core.tree: the criteria that splits are chosen by.
#include "bindings/arrays.hpp"
#include "margin/tree/targets/criterion.hpp"
#include <nanobind/stl/string_view.h>

using namespace margin;
using namespace margin::bindings;

namespace {

/// What Python has to know of each member of a list.
template <class Criteria>
void describe(nb::list& found, const char* target) {
    for (const auto name : Criteria::names())
        Criteria::visit(name, [&]<class C>() {
            const bool medians = C::statistic == tree::Statistic::medians;
            found.append(nb::make_tuple(name, target, medians, C::unit_power));
        });
}

nb::list criteria() {
    nb::list found;
    describe<tree::ClassCriteria>(found, "classes");
    describe<tree::ValueCriteria>(found, "values");
    return found;
}

Out<double> impurities(std::string_view criterion, InMatrix<double> shares) {
    const std::size_t width = shares.shape(1);
    std::vector<double> found(shares.shape(0));
    tree::ClassCriteria::visit(criterion, [&]<class C>() {
        for (std::size_t i = 0; i < found.size(); ++i)
            found[i] = C::loss(shares.data() + i * width, width, 1.0);
    });
    return give(std::move(found));
}

} // namespace

MARGIN_BINDINGS(tree) {
    tree.def("criteria", &criteria,
             "Name, target, whether a loss is about medians, and the power of the target's unit in it, of each.");
    tree.def("impurities", &impurities, "criterion"_a, "shares"_a.noconvert(),
             "How mixed classes with these shares are, row by row.");
}
