// margin._core.ensemble: growing forests for classes.
#include "grown.hpp"

using namespace margin;
using namespace margin::bindings;
using ensemble::CodedTable, ensemble::ForestPlan;

namespace {

template <class T>
nb::dict grow_classes(const CodedTable& table, InMatrix<T> numbers, const Columns<std::int32_t>& codes,
                      In<std::int32_t> y, In<double> weight, std::size_t n_classes, bool balanced,
                      std::string_view criterion, const tree::Settings& given, In<std::int8_t> monotone,
                      const ForestPlan& plan, In<std::int64_t> ends, const Votes& votes, Monitor* monitor) {
    const auto columns = pointers(codes);
    const auto out_of_bag = votes_in(votes, true);
    const tree::Settings settings = with_monotone(given, monotone);
    return give(with_monitor(monitor,
                             [&](Monitor& m) {
                                 return ensemble::grow_class_forest<T>(
                                     table, {view(numbers), columns}, {span(y), span(weight), n_classes, balanced},
                                     criterion, settings, with_ends(plan, ends), out_of_bag.get(), m);
                             }),
                n_classes, table.columns.size());
}

} // namespace

MARGIN_BINDINGS(ensemble) {
    for_each_type<double, float>([&]<class T> {
        ensemble.def("grow_classes", &grow_classes<T>, "table"_a, "numbers"_a.noconvert(), "codes"_a, "y"_a.noconvert(),
                     "weight"_a.noconvert(), "n_classes"_a, "balanced"_a, "criterion"_a, "settings"_a,
                     "monotone"_a.noconvert(), "plan"_a, "ends"_a.noconvert(), "votes"_a, "monitor"_a.none(),
                     "The arrays of trees for classes; votes out of bag are added to.");
    });
}
