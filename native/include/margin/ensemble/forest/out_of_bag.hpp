#pragma once
// What trees say of the rows they did not learn from, added up while the forest grows.
#include "walk_forest.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace margin::ensemble {

/// What one tree says of the rows it did not learn from.
struct OutOfBag {
    std::vector<std::uint32_t> row;
    std::vector<double> answer; // the threshold of their leaves
};

template <class T>
OutOfBag ask_tree(const GrownTree& tree, const WalkedRows<T>& rows, std::span<const std::uint32_t> times) {
    OutOfBag found;
    for (std::uint32_t i = 0; i < times.size(); ++i)
        if (times[i] == 0)
            found.row.push_back(i);
    const std::size_t d = rows.columns();
    std::vector<double> cells(rows.codes.empty() ? 0 : d);
    std::array<const T*, walk_group> at;
    std::array<std::uint32_t, walk_group> leaf;
    WalkedTree walked(true); // looking through all cells for every tree would cost more than it saves
    if (rows.codes.empty())
        walked.take(tree.nodes.data(), tree.nodes.size(), found.row.size());
    for (std::size_t begin = 0; begin < found.row.size(); begin += walk_group) {
        const std::size_t n = std::min(walk_group, found.row.size() - begin);
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t row = found.row[begin + i];
            if (!rows.codes.empty()) {
                rows.write(row, row + 1, cells.data());
                leaf[i] = leaf_of_any(tree.nodes.data(), tree.words.data(), cells.data());
            } else {
                at[i] = rows.numbers.data() + row * d;
            }
        }
        if (rows.codes.empty())
            walked.leaves(at.data(), n, leaf.data());
        for (std::size_t i = 0; i < n; ++i)
            found.answer.push_back(tree.nodes[leaf[i]].threshold);
    }
    return found;
}

/// Votes of the trees so far. Trees may come in any order, and are counted in their own: votes and errors have the same
/// bits for any number of threads.
class OutOfBagVotes {
public:
    /// `votes` (rows x width) and `n_votes` are added to; no weights are weights of 1. `by_rows`: whether leaves answer
    /// rows of shares, or of numbers, rather than a number.
    OutOfBagVotes(std::span<double> votes, std::span<std::int32_t> n_votes, std::span<const double> weight,
                  bool by_rows)
        : votes_(votes), n_votes_(n_votes), weight_(weight), width_(votes.size() / n_votes.size()), by_rows_(by_rows) {}

    std::vector<double> error; // after each tree, over the rows that some tree has not seen; NaN where there are none

    /// Tree `number`, counted from 0, of this run, and the shares of its leaves; loss(i, n) is that of row i after n votes.
    template <class Loss>
    void add(std::size_t number, OutOfBag&& found, std::vector<double> shares, Loss&& loss) {
        const std::scoped_lock lock(mutex_);
        waiting_.emplace(number, std::pair(std::move(found), std::move(shares)));
        for (auto next = waiting_.find(error.size()); next != waiting_.end(); next = waiting_.find(error.size())) {
            add_votes(next->second.first, next->second.second, loss);
            error.push_back(std::max(loss_.total(), 0.0) / weight_asked_);
            waiting_.erase(next);
        }
    }

    /// The class with most votes for row i, the first of equal ones.
    std::size_t most_voted(std::size_t i) const noexcept { return most_voted(i, 0, width_); }
    /// The same among n of them, counted from `first`.
    std::size_t most_voted(std::size_t i, std::size_t first, std::size_t n) const noexcept {
        const double* const votes = votes_.data() + i * width_ + first;
        return static_cast<std::size_t>(std::max_element(votes, votes + n) - votes);
    }
    /// The mean of n votes on output o.
    double mean_vote(std::size_t i, std::int32_t n, std::size_t o = 0) const noexcept {
        return votes_[i * width_ + o] / n;
    }

private:
    /// Only rows that this tree is asked about change their loss.
    template <class Loss>
    void add_votes(const OutOfBag& found, const std::vector<double>& shares, Loss&& loss) {
        if (!begun_)
            begin(loss);
        for (std::size_t k = 0; k < found.row.size(); ++k) {
            const std::size_t i = found.row[k];
            const double w = weight_.empty() ? 1.0 : weight_[i];
            if (n_votes_[i]++ == 0)
                weight_asked_ += w;
            else
                loss_.add(-w * loss(i, n_votes_[i] - 1));
            add_vote(votes_.data() + i * width_, found.answer[k], shares);
            loss_.add(w * loss(i, n_votes_[i]));
        }
    }

    /// The losses of votes that were there before.
    template <class Loss>
    void begin(Loss&& loss) {
        begun_ = true;
        for (std::size_t i = 0; i < n_votes_.size(); ++i)
            if (n_votes_[i] > 0) {
                const double w = weight_.empty() ? 1.0 : weight_[i];
                weight_asked_ += w;
                loss_.add(w * loss(i, n_votes_[i]));
            }
    }

    void add_vote(double* to, double answer, const std::vector<double>& shares) const noexcept {
        if (!by_rows_) {
            *to += answer;
            return;
        }
        const auto row = static_cast<std::size_t>(answer);
        if (row < width_)
            to[row] += 1;
        else
            for (std::size_t c = 0; c < width_; ++c)
                to[c] += shares[(row - width_) * width_ + c];
    }

    /// A sum with what rounding takes off it (Neumaier 1974), since losses are added and taken off again.
    struct Compensated {
        double sum = 0, lost = 0;
        void add(double x) noexcept {
            const double next = sum + x;
            lost += std::abs(sum) >= std::abs(x) ? (sum - next) + x : (x - next) + sum;
            sum = next;
        }
        double total() const noexcept { return sum + lost; }
    };

    std::span<double> votes_;
    std::span<std::int32_t> n_votes_;
    std::span<const double> weight_;
    std::size_t width_;
    bool by_rows_, begun_ = false;
    Compensated loss_;
    double weight_asked_ = 0;
    std::mutex mutex_;
    std::map<std::size_t, std::pair<OutOfBag, std::vector<double>>> waiting_;
};

} // namespace margin::ensemble
