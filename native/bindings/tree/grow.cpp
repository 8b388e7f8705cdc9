// margin._core.tree: growing trees.
#include "growers.hpp"
#include "tree.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

template <class T>
nb::dict grow_classes(InMatrix<T> numbers, InMatrix<std::int32_t> codes, In<std::int64_t> n_levels,
                      In<std::uint8_t> nominal, In<std::int32_t> y, In<double> weight, std::size_t n_classes,
                      std::string_view criterion, const tree::Settings& given, In<std::int8_t> monotone,
                      std::size_t n_threads) {
    const tree::Settings settings = with_monotone(given, monotone);
    return give(with_monitor([&](Monitor& monitor) {
        const tree::Table<T> table{view(numbers), view(codes), span(n_levels), span(nominal)};
        return tree::grow_classes(table, span(y), span(weight), n_classes, criterion, settings, n_threads, monitor);
    }));
}

template <class T>
nb::dict grow_values(InMatrix<T> numbers, InMatrix<std::int32_t> codes, In<std::int64_t> n_levels,
                     In<std::uint8_t> nominal, In<double> y, In<double> weight, std::string_view criterion,
                     const tree::Settings& given, In<std::int8_t> monotone, std::size_t n_threads) {
    const tree::Settings settings = with_monotone(given, monotone);
    return give(with_monitor([&](Monitor& monitor) {
        const tree::Table<T> table{view(numbers), view(codes), span(n_levels), span(nominal)};
        return tree::grow_values(table, span(y), span(weight), criterion, settings, n_threads, monitor);
    }));
}

template <class T>
void bind(nb::module_& family) {
    family.def("grow_classes", &grow_classes<T>, "numbers"_a.noconvert(), "codes"_a.noconvert(),
               "n_levels"_a.noconvert(), "nominal"_a.noconvert(), "y"_a.noconvert(), "weight"_a.noconvert(),
               "n_classes"_a, "criterion"_a, "settings"_a, "monotone"_a.noconvert(), "n_threads"_a,
               "The arrays of a tree for classes; no weights are weights of 1.");
    family.def("grow_values", &grow_values<T>, "numbers"_a.noconvert(), "codes"_a.noconvert(), "n_levels"_a.noconvert(),
               "nominal"_a.noconvert(), "y"_a.noconvert(), "weight"_a.noconvert(), "criterion"_a, "settings"_a,
               "monotone"_a.noconvert(), "n_threads"_a,
               "The arrays of a tree for numbers; no weights are weights of 1.");
}

} // namespace

MARGIN_BINDINGS(tree) {
    bind<double>(tree);
    bind<float>(tree);
}
