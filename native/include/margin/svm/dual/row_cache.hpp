#pragma once
// Kernel rows of a working set, computed when they are first read, several at a time.
#include "margin/svm/kernel/source.hpp"
#include "row_memory.hpp"
#include "smo.hpp"
#include <numeric>

namespace margin::svm {

/// k(i, t) among the members of a working set, as smo() reads them: in whole chunks, with zeros behind the last member.
///
/// A row that is missing comes with others that are missing and violate the conditions of optimality the most: they are
/// likely to be next, and a block of rows costs much less than the rows one by one. All rows together must have room in
/// the memory; none is ever given up.
template <class T>
class RowCache {
public:
    RowCache(const Source<T>& source, std::span<const std::uint32_t> members, const Variables<T>& variables,
             RowMemory<T>& memory, std::size_t n_threads, Monitor& monitor)
        : members_(members.begin(), members.end()), packed_(source.among(members)),
          source_(packed_ ? *packed_ : source), variables_(variables), memory_(memory), n_threads_(n_threads),
          monitor_(monitor), stride_(whole_chunks(members.size())), rows_(members.size(), nullptr) {
        memory.clear();
        if (packed_)
            std::iota(members_.begin(), members_.end(), 0U);
    }

    const T* operator()(std::size_t i) {
        if (!rows_[i])
            fetch(i);
        return rows_[i];
    }

private:
    /// Few rows at a time where they are short, so that little is computed in vain.
    std::size_t block_rows() const noexcept { return std::clamp<std::size_t>(members_.size() / 64, 8, 32); }

    void fetch(std::size_t i) {
        choose(i);
        std::vector<std::uint32_t> from(chosen_.size());
        for (std::size_t r = 0; r < chosen_.size(); ++r)
            from[r] = members_[chosen_[r]];
        T* block = memory_.take(chosen_.size() * stride_);
        source_.block(from, members_, block, stride_, n_threads_, monitor_);
        for (std::size_t r = 0; r < chosen_.size(); ++r) {
            rows_[chosen_[r]] = block + r * stride_;
            std::fill(block + r * stride_ + members_.size(), block + (r + 1) * stride_, T(0));
        }
    }

    /// Row i and the missing ones that are furthest on the wrong side of the middle.
    void choose(std::size_t i) {
        const auto &rising = variables_.rising, &falling = variables_.falling;
        const double middle =
            (*std::max_element(rising.begin(), rising.end()) + *std::min_element(falling.begin(), falling.end())) / 2;
        wrong_.clear();
        for (std::uint32_t t = 0; t < members_.size(); ++t)
            if (!rows_[t] && t != i)
                wrong_.push_back({known(std::max(rising[t] - middle, middle - falling[t])), t});
        const std::size_t others = std::min(block_rows() - 1, wrong_.size());
        std::nth_element(wrong_.begin(), wrong_.begin() + static_cast<std::ptrdiff_t>(others), wrong_.end(),
                         [](const Wrong& a, const Wrong& b) { return a.by > b.by || (a.by == b.by && a.at < b.at); });
        chosen_.assign(1, static_cast<std::uint32_t>(i));
        for (std::size_t t = 0; t < others; ++t)
            chosen_.push_back(wrong_[t].at);
        std::sort(chosen_.begin(), chosen_.end());
    }

    /// A NaN would have no place in an order.
    static double known(double by) noexcept { return by == by ? by : -infinity; }

    struct Wrong {
        double by;
        std::uint32_t at;
    };

    std::vector<std::uint32_t> members_; // as rows of source_
    std::unique_ptr<const Source<T>> packed_;
    const Source<T>& source_;
    const Variables<T>& variables_;
    RowMemory<T>& memory_;
    std::size_t n_threads_;
    Monitor& monitor_;
    std::size_t stride_;
    std::vector<const T*> rows_;
    std::vector<Wrong> wrong_;
    std::vector<std::uint32_t> chosen_;
};

} // namespace margin::svm
