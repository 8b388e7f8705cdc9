#pragma once
// The cases of a node dealt out to its branches.
#include "margin/tree/splits/candidate.hpp"
#include "segment.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
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

/// The branch of each case, from the entries of the split's column; missing cells to split.missing.
inline void find_branches(std::span<const Entry> entries, const Candidate& split, std::uint32_t* branch) {
    for (std::size_t begin = 0, end; begin < entries.size(); begin = end) {
        const code_t code = entries[begin].code;
        const auto b = code == missing_code ? static_cast<std::uint32_t>(split.missing) : branch_of(split, code);
        for (end = begin; end < entries.size() && entries[end].code == code; ++end)
            branch[entries[end].place] = b;
    }
}

/// Deal entries out to two branches, in the order they have. way[place] is the place in the branch, its highest bit set
/// for branch 1; no branch is given where nobody wants its entries.
///
/// Every entry is written to both branches and the one it does not belong to writes over it: no guessing of the way,
/// which would be wrong every other time.
inline void deal_two(std::span<const Entry> entries, const std::uint32_t* way, std::span<Entry> low,
                     std::span<Entry> high) noexcept {
    constexpr std::uint32_t place_bits = 0x7fffffff;
    const Entry* from = entries.data();
    const Entry* const end = from + entries.size();
    if (!low.empty() && !high.empty()) {
        Entry *to_low = low.data(), *to_high = high.data();
        Entry *const end_low = to_low + low.size(), *const end_high = to_high + high.size();
        while (to_low != end_low && to_high != end_high) // so many steps cannot lead beyond the end of either
            for (auto steps = std::min(end_low - to_low, end_high - to_high); steps > 0; --steps, ++from) {
                const std::uint32_t to = way[from->place];
                const Entry e{from->code, to & place_bits};
                *to_low = e;
                *to_high = e;
                const std::uint32_t is_high = to >> 31;
                to_high += is_high;
                to_low += 1 - is_high;
            }
        for (Entry* rest = to_low != end_low ? to_low : to_high; from != end; ++from, ++rest)
            *rest = {from->code, way[from->place] & place_bits};
        return;
    }
    const std::uint32_t wanted = low.empty() ? 1 : 0;
    const auto branch = low.empty() ? high : low;
    for (Entry *to = branch.data(), *const last = to + branch.size(); to != last; ++from) {
        const std::uint32_t go = way[from->place];
        *to = {from->code, go & place_bits};
        to += (go >> 31) == wanted;
    }
}

/// One branch of a node.
template <class Target>
struct Part {
    Segment<Target> cases;
    std::vector<double> sum;
    bool ends = false; // no entries are needed
};

/// The cases of one node on their way to its branches; may be used for one node after another.
template <class Target>
class Division {
public:
    std::vector<Part<Target>> parts;

    /// Targets, weights and sums of the branches of a split on the node's column k; `ends(part)` says whether a branch
    /// needs no entries. Requires missing cells in the column only if split.missing is a branch. O(n + branches K).
    template <class Ends>
    void assign(const Segment<Target>& node, std::size_t k, const Candidate& split, const std::vector<double>& sum,
                Ends&& ends) {
        way_.resize(node.n);
        find_branches(node.column(k), split, way_.data());
        place(node, split, sum, ends);
    }

    /// The same where the branch of each case is known already.
    template <class Ends>
    void assign(const Segment<Target>& node, const std::vector<std::uint32_t>& branch, const Candidate& split,
                const std::vector<double>& sum, Ends&& ends) {
        way_.assign(branch.begin(), branch.end());
        place(node, split, sum, ends);
    }

    /// Room for the entries of every column; what is in `spare` is used first.
    template <class Take>
    void make_room(std::size_t n_columns, Take&& take) {
        kept_.assign(parts.size(), 0);
        for (auto& part : parts)
            if (!part.ends)
                part.cases.entries = take(part.cases.n * n_columns);
    }

    /// The entries of column k, written at column `slot(b)` of each branch b that needs them.
    template <class Slot>
    void deal(const Segment<Target>& node, std::size_t k, Slot&& slot) {
        const auto room = [&](std::size_t b) {
            auto& part = parts[b];
            return part.ends ? std::span<Entry>()
                             : std::span(part.cases.entries.data() + slot(b) * part.cases.n, part.cases.n);
        };
        if (two_) {
            deal_two(node.column(k), way_.data(), room(0), room(1));
            return;
        }
        std::vector<Entry*> to(parts.size());
        for (std::size_t b = 0; b < parts.size(); ++b)
            to[b] = room(b).data();
        for (const Entry& e : node.column(k))
            if (const auto b = way_[e.place]; to[b])
                *to[b]++ = {e.code, place_[e.place]};
    }

    /// Deal column after column, leaving out those that no longer vary.
    void deal_all(const Segment<Target>& node) {
        if (std::ranges::all_of(parts, [](const auto& part) { return part.ends; }))
            return;
        for (std::size_t k = 0; k < node.columns.size(); ++k) {
            deal(node, k, [&](std::size_t b) { return kept_[b]; });
            for (std::size_t b = 0; b < parts.size(); ++b)
                keep(b, node.columns[k], kept_[b]);
        }
        cut_to_size();
    }

    /// After each column has been dealt to its own place: close the gaps of those that no longer vary.
    void close_gaps(const Segment<Target>& node) {
        for (std::size_t b = 0; b < parts.size(); ++b)
            for (std::size_t k = 0; k < node.columns.size(); ++k)
                keep(b, node.columns[k], k);
        cut_to_size();
    }

private:
    template <class Ends>
    void place(const Segment<Target>& node, const Candidate& split, const std::vector<double>& sum, Ends&& ends) {
        parts.clear();
        parts.resize(split.n_branches);
        two_ = split.n_branches == 2;
        two_ ? place_two(node) : place_many(node);
        add_up(sum);
        for (auto& part : parts)
            part.ends = ends(part);
    }

    /// Keep the column in place `from` of branch b, if it varies, as the next one.
    void keep(std::size_t b, std::uint32_t column, std::size_t from) {
        auto& cases = parts[b].cases;
        if (parts[b].ends || cases.n == 0)
            return;
        const Entry* entries = cases.entries.data() + from * cases.n;
        if (entries[0].code == entries[cases.n - 1].code)
            return;
        if (from != kept_[b])
            std::copy(entries, entries + cases.n, cases.entries.data() + kept_[b] * cases.n);
        ++kept_[b];
        cases.columns.push_back(column);
    }

    void cut_to_size() {
        for (std::size_t b = 0; b < parts.size(); ++b)
            if (!parts[b].ends)
                parts[b].cases.entries.resize(kept_[b] * parts[b].cases.n);
    }

    void place_two(const Segment<Target>& node) {
        std::uint32_t n_high = 0;
        for (std::size_t i = 0; i < node.n; ++i)
            n_high += way_[i];
        auto &low = parts[0].cases, &high = parts[1].cases;
        low.n = node.n - n_high;
        high.n = n_high;
        low.target.resize(low.n + 1); // one more, since each case is written to both
        high.target.resize(high.n + 1);
        std::uint32_t to_low = 0, to_high = 0;
        for (std::size_t i = 0; i < node.n; ++i) {
            const std::uint32_t is_high = way_[i];
            low.target[to_low] = node.target[i];
            high.target[to_high] = node.target[i];
            way_[i] = is_high ? to_high | 0x80000000 : to_low;
            to_high += is_high;
            to_low += 1 - is_high;
        }
        low.target.resize(low.n);
        high.target.resize(high.n);
        if (node.weight.empty())
            return;
        low.weight.resize(low.n);
        high.weight.resize(high.n);
        for (std::size_t i = 0; i < node.n; ++i)
            (way_[i] >> 31 ? high : low).weight[way_[i] & 0x7fffffff] = node.weight[i];
    }

    void place_many(const Segment<Target>& node) {
        place_.resize(node.n);
        for (std::size_t i = 0; i < node.n; ++i) {
            auto& part = parts[way_[i]].cases;
            place_[i] = static_cast<std::uint32_t>(part.n++);
            part.target.push_back(node.target[i]);
            if (!node.weight.empty())
                part.weight.push_back(node.weight[i]);
        }
    }

    /// The sum of every branch; of two, that of the larger one is what the smaller leaves: sums are exact.
    void add_up(const std::vector<double>& sum) {
        const std::size_t width = sum.size();
        const auto add = [&](Part<Target>& part) {
            part.sum.assign(width, 0.0);
            for (std::size_t i = 0; i < part.cases.n; ++i)
                Target::add(part.sum.data(), part.cases.target[i], part.cases.weight_of(i));
        };
        if (!two_) {
            std::ranges::for_each(parts, add);
            return;
        }
        const std::size_t smaller = parts[0].cases.n <= parts[1].cases.n ? 0 : 1;
        add(parts[smaller]);
        auto& rest = parts[1 - smaller].sum;
        rest.resize(width);
        for (std::size_t c = 0; c < width; ++c)
            rest[c] = sum[c] - parts[smaller].sum[c];
    }

    Buffer<std::uint32_t> way_, place_;
    std::vector<std::size_t> kept_;
    bool two_ = true;
};

} // namespace margin::tree
