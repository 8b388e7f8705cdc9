#pragma once
// Growing one tree for several outputs. A forest calls the same functions, with weights of its own for each tree.
#include "grow.hpp"
#include "margin/tree/targets/several.hpp"
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace margin::tree {

namespace detail {

/// One item per row, behind each other `stride` entries of what they point to.
template <class Target, class T>
Buffer<typename Target::Item> items_of(const std::vector<T>& rows, std::size_t stride, std::size_t n_outputs) {
    Buffer<typename Target::Item> items(rows.size() / stride);
    for (std::size_t i = 0; i < items.size(); ++i)
        items[i] = {rows.data() + i * stride, static_cast<std::uint32_t>(n_outputs)};
    return items;
}

template <class Criteria, class Target, class T>
GrownTree grow_outputs(const Table<T>& table, Buffer<typename Target::Item>&& items, Buffer<double>&& weight,
                       const Target& target, std::string_view criterion, const Settings& settings,
                       std::size_t n_threads, Monitor& monitor) {
    Ranked ranked = rank_columns(table, n_threads, monitor);
    auto root = root_segment<Target>(ranked, std::move(items), std::move(weight));
    return Criteria::visit(criterion, [&]<class C>() {
        return with_search<C, Target>([&](const SplitSearch<Target>& search) {
            return grow_tree<Target>(ranked.columns, std::move(root), target, search, settings, n_threads, monitor);
        });
    });
}

} // namespace detail

/// A tree for classes 0 ... n_classes[o] - 1 of each output o, a column of y; a node keeps the weights of the classes of
/// all outputs, one output after another. No weights are weights of 1. Requires weights above 0.
template <class T>
GrownTree grow_several_classes(const Table<T>& table, MatrixView<const std::int32_t> y, std::span<const double> weight,
                               std::span<const std::int64_t> n_classes, std::string_view criterion,
                               const Settings& settings, std::size_t n_threads, Monitor& monitor) {
    Buffer<double> rounded(weight.begin(), weight.end());
    round_weights(rounded);
    std::size_t n_all = 0;
    for (const std::int64_t n : n_classes)
        n_all += static_cast<std::size_t>(n);
    const auto places = class_places(y, n_classes);
    auto items = detail::items_of<SeveralClasses>(places, y.columns(), y.columns());
    return detail::grow_outputs<SeveralClassCriteria>(table, std::move(items), std::move(rounded),
                                                      SeveralClasses{n_all, y.columns()}, criterion, settings,
                                                      n_threads, monitor);
}

/// A tree for several numbers, the columns of y; a node keeps the mean of each. Requires weights above 0, and that missing
/// cells do not go down in parts.
template <class T>
GrownTree grow_several_values(const Table<T>& table, MatrixView<const double> y, std::span<const double> weight,
                              std::string_view criterion, const Settings& settings, std::size_t n_threads,
                              Monitor& monitor) {
    Buffer<double> rounded(weight.begin(), weight.end());
    round_weights(rounded);
    const auto rows = values_and_parts(y, rounded);
    auto items = detail::items_of<SeveralValues>(rows, 2 * y.columns(), y.columns());
    return detail::grow_outputs<SeveralValueCriteria>(table, std::move(items), std::move(rounded),
                                                      SeveralValues{y.columns()}, criterion, settings, n_threads,
                                                      monitor);
}

} // namespace margin::tree
