#pragma once
// All rows within a radius: how far each query looks, and lists of different lengths, laid end to end.
#include "nearest.hpp"
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace margin::neighbors {

/// How far each query looks: one radius for all of them, or one for each.
class Radii {
public:
    Radii(double for_all) : for_all_(for_all) {}
    /// Requires one number, or as many as there are queries.
    explicit Radii(std::span<const double> radii)
        : for_all_(radii[0]), each_(radii.size() > 1 ? radii.data() : nullptr) {}
    double operator[](std::size_t query) const { return each_ ? each_[query] : for_all_; }

private:
    double for_all_;
    const double* each_ = nullptr;
};

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
