#pragma once
// Which variables the solver looks at together.
#include "dual_state.hpp"

namespace margin::svm {

/// Where nothing is known yet: about `size` variables, spread evenly over each of the two signs.
inline std::vector<std::uint32_t> first_set(const DualState& state, std::size_t size) {
    std::vector<std::uint32_t> chosen;
    std::size_t seen[2] = {0, 0}, n = 0;
    for (std::size_t i = 0; i < state.size(); ++i)
        n += state.takes_part(i);
    for (std::uint32_t i = 0; i < state.size(); ++i)
        if (state.takes_part(i) && seen[state.upper[i] > 0]++ * size % n < size)
            chosen.push_back(i);
    return chosen;
}

namespace detail {

struct Wrong {
    double by;
    std::uint32_t at;
};

/// The `most` that are wrong by the most; of equals the first.
inline void keep_worst(std::vector<Wrong>& wrong, std::size_t most) {
    if (wrong.size() <= most)
        return;
    std::nth_element(wrong.begin(), wrong.begin() + static_cast<std::ptrdiff_t>(most), wrong.end(),
                     [](const Wrong& a, const Wrong& b) { return a.by > b.by || (a.by == b.by && a.at < b.at); });
    wrong.resize(most);
}

} // namespace detail

/// All that are free or not more than `reach` away from violating the conditions of optimality at a bias for each side,
/// in ascending order. Of more than `most`, those that violate them the most, as many that ought to rise as ought to fall where there
/// are so many: a step needs one of each. The two of a side that violate them most are always among them.
inline std::vector<std::uint32_t> next_set(const DualState& state, const Sides<Extremes>& worst,
                                           const Sides<double>& bias, double reach, std::size_t most) {
    std::vector<detail::Wrong> rise, fall;
    for (std::uint32_t i = 0; i < state.size(); ++i) {
        const std::size_t side = state.side(i);
        const double up = state.up(i) - bias[side], down = bias[side] - state.down(i);
        if (i == worst[side].at)
            rise.push_back({infinity, i});
        else if (i == worst[side].low_at)
            fall.push_back({infinity, i});
        else if (state.is_free(i) || std::max(up, down) > -reach)
            (up > down ? rise : fall).push_back({std::max(up, down), i});
    }
    const std::size_t half = most / 2, n_rise = rise.size(), n_fall = fall.size();
    detail::keep_worst(rise, n_fall < half ? most - n_fall : half);
    detail::keep_worst(fall, n_rise < half ? most - n_rise : half);
    std::vector<std::uint32_t> chosen;
    for (const auto* side : {&rise, &fall})
        for (const auto& one : *side)
            chosen.push_back(one.at);
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

} // namespace margin::svm
