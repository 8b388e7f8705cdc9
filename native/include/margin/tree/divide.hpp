#pragma once
// The cases of a node dealt out to its branches.
#include "candidate.hpp"
#include "segment.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace margin::tree {

/// The branch of a code, missing cells aside.
inline std::uint32_t branch_of(const Candidate& split, code_t code) noexcept {
    switch (split.ask) {
    case Ask::threshold:
        return code <= split.cut ? 0 : 1;
    case Ask::subset:
        return std::binary_search(split.codes.begin(), split.codes.end(), code) ? 0 : 1;
    case Ask::interval:
        return static_cast<std::uint32_t>(std::lower_bound(split.codes.begin(), split.codes.end(), code) -
                                          split.codes.begin());
    default:
        return code;
    }
}

/// The branch of each case: entries of the split's column, missing cells to split.missing.
template <class Target>
std::vector<std::uint32_t> branches(const Segment<Target>& node, std::size_t k, const Candidate& split) {
    std::vector<std::uint32_t> branch(node.n);
    for (const Entry& e : node.column(k))
        branch[e.place] = e.code == missing_code ? static_cast<std::uint32_t>(split.missing) : branch_of(split, e.code);
    return branch;
}

/// One segment per branch, with the cases in the order they had; columns that no longer vary are left out.
/// Requires branch[i] < n_branches for every case i. O(n d) time.
template <class Target>
std::vector<Segment<Target>> divide(const Segment<Target>& node, const std::vector<std::uint32_t>& branch,
                                    std::size_t n_branches) {
    std::vector<Segment<Target>> parts(n_branches);
    std::vector<std::uint32_t> place(node.n);
    for (std::size_t i = 0; i < node.n; ++i) {
        auto& part = parts[branch[i]];
        place[i] = static_cast<std::uint32_t>(part.n++);
        part.target.push_back(node.target[i]);
        if (!node.weight.empty())
            part.weight.push_back(node.weight[i]);
    }
    std::vector<std::vector<Entry>> dealt(n_branches);
    for (std::size_t k = 0; k < node.columns.size(); ++k) {
        for (auto& entries : dealt)
            entries.clear();
        for (const Entry& e : node.column(k))
            dealt[branch[e.place]].push_back({e.code, place[e.place]});
        for (std::size_t b = 0; b < n_branches; ++b) {
            if (dealt[b].empty() || dealt[b].front().code == dealt[b].back().code)
                continue;
            parts[b].columns.push_back(node.columns[k]);
            parts[b].entries.insert(parts[b].entries.end(), dealt[b].begin(), dealt[b].end());
        }
    }
    return parts;
}

} // namespace margin::tree
