#pragma once
// Which variables the solver looks at together.
#include "dual_state.hpp"

namespace margin::svm {

/// Where nothing is known yet: about `size` variables, spread evenly over each of the two signs.
inline std::vector<std::uint32_t> first_set(const DualState& state, std::size_t size) {
    std::vector<std::uint32_t> chosen;
    std::size_t seen[2] = {0, 0}, n = 0;
    for (std::size_t i = 0; i < state.size(); ++i)
        n += state.most[i] > 0;
    for (std::uint32_t i = 0; i < state.size(); ++i)
        if (state.most[i] > 0 && seen[state.sign[i] > 0]++ * size % n < size)
            chosen.push_back(i);
    return chosen;
}

/// All that are free or not more than `reach` away from violating the conditions of optimality at a bias, in ascending
/// order; of more than `most`, those that violate them the most. The two that violate them most are always among them.
inline std::vector<std::uint32_t> next_set(const DualState& state, const Extremes& worst, double bias, double reach,
                                           std::size_t most) {
    struct Wrong {
        double by;
        std::uint32_t at;
    };
    std::vector<Wrong> wrong;
    for (std::uint32_t i = 0; i < state.size(); ++i) {
        const bool up = state.may_rise(i), down = state.may_fall(i);
        const double by = std::max(up ? state.e[i] - bias : -infinity, down ? bias - state.e[i] : -infinity);
        if (i == worst.at || i == worst.low_at)
            wrong.push_back({infinity, i}); // a pair that can be changed, so that no round is in vain
        else if ((up && down) || by > -reach)
            wrong.push_back({by, i});
    }
    if (wrong.size() > most) {
        std::nth_element(wrong.begin(), wrong.begin() + static_cast<std::ptrdiff_t>(most), wrong.end(),
                         [](const Wrong& a, const Wrong& b) { return a.by > b.by || (a.by == b.by && a.at < b.at); });
        wrong.resize(most);
    }
    std::vector<std::uint32_t> chosen(wrong.size());
    std::transform(wrong.begin(), wrong.end(), chosen.begin(), [](const Wrong& w) { return w.at; });
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

} // namespace margin::svm
