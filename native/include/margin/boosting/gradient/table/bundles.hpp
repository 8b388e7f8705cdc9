#pragma once
// Columns that are never both away from their usual cell share the codes of one: a row then costs one addition for all of
// them. No two cells collide, so that nothing is learnt differently. Ke et al. (2017), "LightGBM: a highly efficient
// gradient boosting decision tree", without their allowance for conflicts.
#include "codes.hpp"
#include "margin/core/threads.hpp"
#include "margin/tree/binned/bins.hpp"
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace margin::boosting {

/// Which columns stand together. Code 0 of a group of several says that all of them have their usual code; the others
/// belong to one column each. A group of one column has its codes.
struct Bundles {
    std::vector<std::vector<std::uint32_t>> groups; // none: columns stand alone, and `group_of` is empty
    std::vector<std::uint32_t> group_of, first;     // of each column: its group, and where its codes begin there
    std::vector<std::uint8_t> usual;                // and its most frequent code, which has none there

    bool any() const noexcept { return !groups.empty(); }
    bool alone(std::uint32_t j) const noexcept { return groups[group_of[j]].size() == 1; }

    std::size_t to_group(std::uint32_t j, std::size_t code) const noexcept {
        if (alone(j))
            return code;
        return code == usual[j] ? 0 : first[j] + code - (code > usual[j]);
    }
    /// The code of column j; `n` are those that it has in its group.
    std::size_t of_column(std::uint32_t j, std::size_t n, std::size_t code) const noexcept {
        if (alone(j))
            return code;
        const std::size_t k = code - first[j]; // past n where the code is another column's
        return code < first[j] || k >= n ? usual[j] : k + (k >= usual[j]);
    }
};

namespace detail {

/// The rows in which a column does not have its usual code.
using Marks = std::vector<std::uint64_t>;

/// Put columns together as long as no row is marked twice and there are codes; the first group with room takes a column.
inline std::vector<std::vector<std::uint32_t>> grouped(const std::vector<std::uint32_t>& columns,
                                                       const std::vector<Marks>& marks,
                                                       const std::vector<std::size_t>& n_codes) {
    constexpr std::size_t most_codes = 255, most_tried = 64;
    std::vector<std::vector<std::uint32_t>> groups;
    std::vector<Marks> taken;
    std::vector<std::size_t> used;
    for (std::size_t k = 0; k < columns.size(); ++k) {
        std::size_t to = groups.size() > most_tried ? groups.size() - most_tried : 0;
        for (; to < groups.size(); ++to) {
            bool meet = used[to] + n_codes[k] > most_codes;
            for (std::size_t w = 0; w < marks[k].size() && !meet; ++w)
                meet = (taken[to][w] & marks[k][w]) != 0;
            if (!meet)
                break;
        }
        if (to == groups.size()) {
            groups.emplace_back();
            taken.emplace_back(marks[k].size());
            used.push_back(0);
        }
        groups[to].push_back(columns[k]);
        used[to] += n_codes[k];
        for (std::size_t w = 0; w < marks[k].size(); ++w)
            taken[to][w] |= marks[k][w];
    }
    return groups;
}

/// For each column its most frequent code in some rows, and how often others stand there.
struct UsualCodes {
    std::vector<std::uint8_t> code;
    std::vector<std::size_t> others;

    UsualCodes(const Codes& rows, const std::vector<std::size_t>& sample, std::size_t d) : code(d), others(d) {
        constexpr std::size_t at_once = 256; // columns: their counts stay in the second cache
        std::vector<std::array<std::uint32_t, 256>> count(std::min(d, at_once));
        for (std::size_t first = 0; first < d; first += at_once) {
            const std::size_t last = std::min(d, first + at_once);
            for (auto& of_column : count)
                of_column.fill(0);
            for (const std::size_t i : sample)
                for (std::size_t j = first; j < last; ++j)
                    ++count[j - first][rows[i * d + j]];
            for (std::size_t j = first; j < last; ++j) {
                const auto most = std::ranges::max_element(count[j - first]);
                code[j] = static_cast<std::uint8_t>(most - count[j - first].begin());
                others[j] = sample.size() - *most;
            }
        }
    }
};

} // namespace detail

/// Bundles of columns in bytes, where they save a good part of the additions. A sample of the rows says whether it is
/// worth looking.
inline Bundles find_bundles(const Codes& rows, std::size_t n, const std::vector<tree::BinnedColumn>& binned,
                            std::size_t n_threads, Monitor& monitor) {
    constexpr std::size_t sampled = 2048;
    const std::size_t d = binned.size();
    std::vector<std::size_t> sample(std::min(n, sampled));
    for (std::size_t k = 0; k < sample.size(); ++k)
        sample[k] = k * n / sample.size();
    const detail::UsualCodes usual(rows, sample, d);
    std::vector<std::uint32_t> rare;
    for (std::uint32_t j = 0; j < d; ++j)
        if (4 * usual.others[j] <= sample.size())
            rare.push_back(j);
    std::ranges::stable_sort(rare, [&](auto a, auto b) { return usual.others[a] > usual.others[b]; });
    std::vector<std::size_t> n_codes;
    for (const std::uint32_t j : rare)
        n_codes.push_back(binned[j].n_bins);
    std::vector<std::vector<std::uint32_t>> groups;
    const auto group = [&](std::size_t n_seen, auto&& row_of) {
        std::vector<detail::Marks> marks(rare.size());
        parallel_for(rare.size(), 1, n_seen * rare.size() < 65536 ? 1 : n_threads, monitor,
                     [&](std::size_t k, std::size_t, std::size_t) {
                         marks[k].assign((n_seen + 63) / 64, 0);
                         for (std::size_t i = 0; i < n_seen; ++i)
                             if (rows[row_of(i) * d + rare[k]] != usual.code[rare[k]])
                                 marks[k][i / 64] |= std::uint64_t{1} << (i % 64);
                     });
        groups = detail::grouped(rare, marks, n_codes);
        return 4 * (d - rare.size() + groups.size()) <= 3 * d; // worth it
    };
    Bundles found;
    if (rare.size() < 4 || !group(sample.size(), [&](std::size_t i) { return sample[i]; }) ||
        !group(n, [](std::size_t i) { return i; }))
        return found;
    std::vector<bool> is_rare(d);
    for (const std::uint32_t j : rare)
        is_rare[j] = true;
    for (std::uint32_t j = 0; j < d; ++j)
        if (!is_rare[j])
            groups.push_back({j});
    found.groups = std::move(groups);
    found.usual = usual.code;
    found.group_of.resize(d);
    found.first.resize(d);
    for (std::uint32_t g = 0; g < found.groups.size(); ++g) {
        std::uint32_t next = 1;
        for (const std::uint32_t j : found.groups[g]) {
            found.group_of[j] = g;
            found.first[j] = next;
            next += static_cast<std::uint32_t>(binned[j].n_bins);
        }
    }
    return found;
}

/// The rows with a code for each group instead of one for each column.
inline Codes bundled(const Codes& rows, std::size_t n, std::size_t d, const Bundles& bundles, std::size_t n_threads,
                     Monitor& monitor) {
    const std::size_t width = bundles.groups.size();
    Codes made(n * width, false);
    parallel_for(n, 1024, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t g = 0; g < width; ++g) {
                std::size_t code = 0;
                for (const std::uint32_t j : bundles.groups[g])
                    code |= bundles.to_group(j, rows[i * d + j]); // of several one at most is above 0
                made.set(i * width + g, code);
            }
    });
    return made;
}

} // namespace margin::boosting
