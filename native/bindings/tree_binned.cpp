// margin._core.tree: growing trees on bins.
#include "margin/tree/bin_search_pairs.hpp"
#include "margin/tree/grow_binned.hpp"
#include "tree.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

template <class T>
nb::dict grow_binned_classes(InMatrix<T> numbers, InMatrix<std::int32_t> codes, In<std::int64_t> n_levels,
                             In<std::uint8_t> nominal, In<std::int32_t> y, In<double> weight, std::size_t n_classes,
                             std::string_view criterion, const nb::dict& given, In<std::int8_t> monotone,
                             std::size_t max_bins, std::size_t n_threads) {
    tree::Settings settings = tree_settings(given);
    settings.monotone = span(monotone);
    return give(with_monitor([&](Monitor& monitor) {
        const tree::Table<T> table{view(numbers), view(codes), span(n_levels), span(nominal)};
        const auto bins = tree::bin_table<std::uint8_t>(table, max_bins, n_threads, monitor);
        tree::BinRows<std::uint8_t, std::uint16_t> rows(
            bins, [&](std::size_t i) { return static_cast<std::uint16_t>(y.data()[i]); }, n_threads, monitor);
        std::vector<double> sum(n_classes);
        for (std::size_t i = 0; i < y.size(); ++i)
            sum[y.data()[i]] += 1;
        using C = tree::Gini;
        return tree::grow_in_two_stages<std::uint8_t, C, tree::PairSearch<std::uint8_t, C, std::uint64_t>,
                                        tree::PairSearch<std::uint8_t, C, std::uint32_t>>(
            rows, bins.columns, {}, {}, sum, static_cast<double>(y.size()), settings, n_threads, monitor);
    }));
}

template <class T>
void bind(nb::module_& family) {
    family.def("grow_binned_classes", &grow_binned_classes<T>, "numbers"_a.noconvert(), "codes"_a.noconvert(),
               "n_levels"_a.noconvert(), "nominal"_a.noconvert(), "y"_a.noconvert(), "weight"_a.noconvert(),
               "n_classes"_a, "criterion"_a, "settings"_a, "monotone"_a.noconvert(), "max_bins"_a, "n_threads"_a,
               "The arrays of a tree for classes, grown on bins; no weights are weights of 1.");
}

} // namespace

MARGIN_BINDINGS(tree) {
    bind<double>(tree);
    bind<float>(tree);
}
