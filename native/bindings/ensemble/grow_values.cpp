// margin._core.ensemble: growing forests for numbers.
#include "grown.hpp"

using namespace margin;
using namespace margin::bindings;
using ensemble::CodedTable, ensemble::ForestPlan;

namespace {

template <class T>
nb::dict grow_values(const CodedTable& table, InMatrix<T> numbers, const Columns<std::int32_t>& codes, In<double> y,
                     In<double> weight, const tree::Settings& given, In<std::int8_t> monotone, const ForestPlan& plan,
                     In<std::int64_t> ends, const Votes& votes, Monitor* monitor) {
    const auto columns = pointers(codes);
    const auto out_of_bag = votes_in(votes, false);
    const tree::Settings settings = with_monotone(given, monotone);
    return give(with_monitor(monitor,
                             [&](Monitor& m) {
                                 return ensemble::grow_value_forest<T>(table, {view(numbers), columns},
                                                                       {span(y), span(weight)}, settings,
                                                                       with_ends(plan, ends), out_of_bag.get(), m);
                             }),
                1, table.columns.size());
}

} // namespace

MARGIN_BINDINGS(ensemble) {
    for_each_type<double, float>([&]<class T> {
        ensemble.def("grow_values", &grow_values<T>, "table"_a, "numbers"_a.noconvert(), "codes"_a, "y"_a.noconvert(),
                     "weight"_a.noconvert(), "settings"_a, "monotone"_a.noconvert(), "plan"_a, "ends"_a.noconvert(),
                     "votes"_a, "monitor"_a.none(), "The arrays of trees for numbers under the squared error.");
    });
}
