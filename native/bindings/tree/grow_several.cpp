// margin._core.tree: growing trees for several outputs.
#include "margin/tree/exact/grow_several.hpp"
#include "tree.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

template <class T>
nb::dict grow_several_classes(InMatrix<T> numbers, InMatrix<std::int32_t> codes, In<std::int64_t> n_levels,
                              In<std::uint8_t> nominal, InMatrix<std::int32_t> y, In<double> weight,
                              In<std::int64_t> n_classes, std::string_view criterion, const tree::Settings& settings,
                              std::size_t n_threads) {
    return give(with_monitor([&](Monitor& monitor) {
        const tree::Table<T> table{view(numbers), view(codes), span(n_levels), span(nominal)};
        return tree::grow_several_classes(table, view(y), span(weight), span(n_classes), criterion, settings, n_threads,
                                          monitor);
    }));
}

template <class T>
nb::dict grow_several_values(InMatrix<T> numbers, InMatrix<std::int32_t> codes, In<std::int64_t> n_levels,
                             In<std::uint8_t> nominal, InMatrix<double> y, In<double> weight,
                             std::string_view criterion, const tree::Settings& settings, std::size_t n_threads) {
    return give(with_monitor([&](Monitor& monitor) {
        const tree::Table<T> table{view(numbers), view(codes), span(n_levels), span(nominal)};
        return tree::grow_several_values(table, view(y), span(weight), criterion, settings, n_threads, monitor);
    }));
}

template <class T>
void bind(nb::module_& family) {
    family.def("grow_several_classes", &grow_several_classes<T>, "numbers"_a.noconvert(), "codes"_a.noconvert(),
               "n_levels"_a.noconvert(), "nominal"_a.noconvert(), "y"_a.noconvert(), "weight"_a.noconvert(),
               "n_classes"_a.noconvert(), "criterion"_a, "settings"_a, "n_threads"_a,
               "The arrays of a tree for the classes of several outputs, the columns of y.");
    family.def("grow_several_values", &grow_several_values<T>, "numbers"_a.noconvert(), "codes"_a.noconvert(),
               "n_levels"_a.noconvert(), "nominal"_a.noconvert(), "y"_a.noconvert(), "weight"_a.noconvert(),
               "criterion"_a, "settings"_a, "n_threads"_a,
               "The arrays of a tree for several numbers, the columns of y.");
}

} // namespace

MARGIN_BINDINGS(tree) {
    bind<double>(tree);
    bind<float>(tree);
}
