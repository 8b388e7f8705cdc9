#pragma once
// Lists of rows of different lengths, one for each query, laid end to end.
#include "nearest.hpp"
#include <cstddef>
#include <cstdint>
#include <vector>

namespace margin::neighbors {

/// What was found for query q stands at [start[q], start[q + 1]).
struct FoundLists {
    std::vector<std::int64_t> start, row;
    std::vector<double> distance;
};

/// Sorted lists end to end, their comparisons made distances. Empties the lists on the way.
template <class Finish>
FoundLists end_to_end(std::vector<std::vector<Found>>& lists, Finish finish) {
    FoundLists all;
    all.start.assign(lists.size() + 1, 0);
    for (std::size_t q = 0; q < lists.size(); ++q)
        all.start[q + 1] = all.start[q] + static_cast<std::int64_t>(lists[q].size());
    all.row.reserve(static_cast<std::size_t>(all.start.back()));
    all.distance.reserve(static_cast<std::size_t>(all.start.back()));
    for (auto& list : lists) {
        for (const Found& found : list) {
            all.row.push_back(found.row);
            all.distance.push_back(finish(found.distance));
        }
        std::vector<Found>().swap(list);
    }
    return all;
}

} // namespace margin::neighbors
