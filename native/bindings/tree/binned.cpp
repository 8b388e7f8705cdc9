// margin._core.tree: growing trees on bins.
#include "binned_growers.hpp"
#include "tree.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

template <class T>
nb::dict grow_binned_classes(InMatrix<T> numbers, InMatrix<std::int32_t> codes, In<std::int64_t> n_levels,
                             In<std::uint8_t> nominal, In<std::int32_t> y, In<double> weight, std::size_t n_classes,
                             std::string_view criterion, const tree::Settings& given, In<std::int8_t> monotone,
                             std::size_t max_bins, std::size_t n_threads) {
    const tree::Settings settings = with_monotone(given, monotone);
    return give(with_monitor([&](Monitor& monitor) {
        const tree::Table<T> table{view(numbers), view(codes), span(n_levels), span(nominal)};
        return tree::grow_binned_classes(table, span(y), span(weight), n_classes, criterion, settings, max_bins,
                                         n_threads, monitor);
    }));
}

template <class T>
nb::dict grow_binned_values(InMatrix<T> numbers, InMatrix<std::int32_t> codes, In<std::int64_t> n_levels,
                            In<std::uint8_t> nominal, In<double> y, In<double> weight, const tree::Settings& given,
                            In<std::int8_t> monotone, std::size_t max_bins, std::size_t n_threads) {
    const tree::Settings settings = with_monotone(given, monotone);
    return give(with_monitor([&](Monitor& monitor) {
        const tree::Table<T> table{view(numbers), view(codes), span(n_levels), span(nominal)};
        return tree::grow_binned_values(table, span(y), span(weight), settings, max_bins, n_threads, monitor);
    }));
}

template <class T>
void bind(nb::module_& family) {
    family.def("grow_binned_classes", &grow_binned_classes<T>, "numbers"_a.noconvert(), "codes"_a.noconvert(),
               "n_levels"_a.noconvert(), "nominal"_a.noconvert(), "y"_a.noconvert(), "weight"_a.noconvert(),
               "n_classes"_a, "criterion"_a, "settings"_a, "monotone"_a.noconvert(), "max_bins"_a, "n_threads"_a,
               "The arrays of a tree for classes, grown on bins; no weights are weights of 1.");
    family.def("grow_binned_values", &grow_binned_values<T>, "numbers"_a.noconvert(), "codes"_a.noconvert(),
               "n_levels"_a.noconvert(), "nominal"_a.noconvert(), "y"_a.noconvert(), "weight"_a.noconvert(),
               "settings"_a, "monotone"_a.noconvert(), "max_bins"_a, "n_threads"_a,
               "The arrays of a tree for numbers under the squared error, grown on bins.");
}

} // namespace

MARGIN_BINDINGS(tree) {
    bind<double>(tree);
    bind<float>(tree);
}
