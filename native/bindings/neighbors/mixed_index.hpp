#pragma once
// An index of mixed rows as a tuple of arrays, and back.
#include "bindings/arrays.hpp"
#include "margin/neighbors/mixed/mixed_search.hpp"

namespace margin::bindings {

template <class Column>
OutMatrix<double> as_matrix(const std::vector<Column>& columns) {
    const auto* cells = reinterpret_cast<const double*>(columns.data());
    constexpr std::size_t width = sizeof(Column) / sizeof(double);
    return give(std::vector<double>(cells, cells + columns.size() * width), columns.size(), width);
}

inline nb::tuple given_away(neighbors::OwnedMixedIndex&& index) {
    const std::size_t n = index.place.size(), p = index.numeric.size(), c = index.nominal.size();
    return nb::make_tuple(as_matrix(index.numeric), as_matrix(index.nominal), give(std::move(index.place)),
                          give(std::move(index.numbers), n, p), give(std::move(index.codes), n, c),
                          give(std::move(index.cells)), give(std::move(index.blocks.edges)),
                          give(std::move(index.blocks.sets)), give(std::move(index.groups.edges)),
                          give(std::move(index.groups.sets)));
}

/// Start, distances and places, one query after another.
inline nb::tuple given_away(const std::vector<std::vector<neighbors::Found>>& found) {
    std::vector<std::int64_t> start{0}, place;
    std::vector<double> distance;
    for (const auto& of_query : found) {
        for (const neighbors::Found& one : of_query) {
            distance.push_back(one.distance);
            place.push_back(one.row);
        }
        start.push_back(static_cast<std::int64_t>(place.size()));
    }
    return nb::make_tuple(give(std::move(start)), give(std::move(distance)), give(std::move(place)));
}

/// What given_away made of an index.
struct IndexArrays {
    explicit IndexArrays(const nb::tuple& index)
        : numeric(nb::cast<InMatrix<double>>(index[0])), nominal(nb::cast<InMatrix<double>>(index[1])),
          place(nb::cast<In<std::int64_t>>(index[2])), numbers(nb::cast<InMatrix<double>>(index[3])),
          codes(nb::cast<InMatrix<std::int32_t>>(index[4])), cells(nb::cast<In<std::uint8_t>>(index[5])),
          block_edges(nb::cast<In<std::uint8_t>>(index[6])), block_sets(nb::cast<In<std::uint16_t>>(index[7])),
          group_edges(nb::cast<In<std::uint8_t>>(index[8])), group_sets(nb::cast<In<std::uint16_t>>(index[9])) {}

    neighbors::MixedIndex view() const {
        using namespace neighbors;
        const std::size_t n = place.size(), n_blocks = blocks_for(n);
        return {{reinterpret_cast<const NumberColumn*>(numeric.data()), numeric.shape(0)},
                {reinterpret_cast<const NominalColumn*>(nominal.data()), nominal.shape(0)},
                n,
                place.data(),
                numbers.data(),
                codes.data(),
                cells.data(),
                {block_edges.data(), block_sets.data(), n_blocks},
                {group_edges.data(), group_sets.data(), blocks_for(n_blocks)}};
    }

    InMatrix<double> numeric, nominal;
    In<std::int64_t> place;
    InMatrix<double> numbers;
    InMatrix<std::int32_t> codes;
    In<std::uint8_t> cells, block_edges;
    In<std::uint16_t> block_sets;
    In<std::uint8_t> group_edges;
    In<std::uint16_t> group_sets;
};

} // namespace margin::bindings
