// margin._core.ensemble: growing forests for several targets.
#include "margin/ensemble/forest/grow_several.hpp"
#include "grown.hpp"

using namespace margin;
using namespace margin::bindings;
using ensemble::CodedTable, ensemble::ForestPlan;

namespace {

template <class T>
nb::dict grow_several_classes(const CodedTable& table, InMatrix<T> numbers, const Columns<std::int32_t>& codes,
                              InMatrix<std::int32_t> y, In<double> weight, In<std::int64_t> n_classes,
                              std::string_view criterion, const tree::Settings& settings, const ForestPlan& plan,
                              In<std::int64_t> ends, const Votes& votes) {
    const auto columns = pointers(codes);
    const auto out_of_bag = votes_in(votes, true);
    const ensemble::SeveralClassTargets targets{view(y), span(weight), span(n_classes)};
    return give(with_monitor([&](Monitor& m) {
                    return ensemble::grow_several_class_forest<T>(table, {view(numbers), columns}, targets, criterion,
                                                                  settings, with_ends(plan, ends), out_of_bag.get(), m);
                }),
                targets.n_all(), table.columns.size());
}

template <class T>
nb::dict grow_several_values(const CodedTable& table, InMatrix<T> numbers, const Columns<std::int32_t>& codes,
                             InMatrix<double> y, In<double> weight, const tree::Settings& settings,
                             const ForestPlan& plan, In<std::int64_t> ends, const Votes& votes) {
    const auto columns = pointers(codes);
    const auto out_of_bag = votes_in(votes, true);
    return give(with_monitor([&](Monitor& m) {
                    return ensemble::grow_several_value_forest<T>(table, {view(numbers), columns},
                                                                  {view(y), span(weight)}, settings,
                                                                  with_ends(plan, ends), out_of_bag.get(), m);
                }),
                y.shape(1), table.columns.size());
}

} // namespace

MARGIN_BINDINGS(ensemble) {
    for_each_type<double, float>([&]<class T> {
        ensemble.def("grow_several_classes", &grow_several_classes<T>, "table"_a, "numbers"_a.noconvert(), "codes"_a,
                     "y"_a.noconvert(), "weight"_a.noconvert(), "n_classes"_a.noconvert(), "criterion"_a, "settings"_a,
                     "plan"_a, "ends"_a.noconvert(), "votes"_a, "The arrays of trees for classes of several outputs.");
        ensemble.def("grow_several_values", &grow_several_values<T>, "table"_a, "numbers"_a.noconvert(), "codes"_a,
                     "y"_a.noconvert(), "weight"_a.noconvert(), "settings"_a, "plan"_a, "ends"_a.noconvert(), "votes"_a,
                     "The arrays of trees for several numbers under the squared error.");
    });
}
