#pragma once
// What trees say of the rows they did not learn from, added up while the forest grows.
#include "walk_forest.hpp"
#include <algorithm>
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
            walk_plain(tree.nodes.data(), at.data(), n, leaf.data());
        for (std::size_t i = 0; i < n; ++i)
            found.answer.push_back(tree.nodes[leaf[i]].threshold);
    }
    return found;
}

/// Votes of the trees so far. Trees may come in any order, and are counted in their own: votes and errors have the same
/// bits for any number of threads.
class OutOfBagVotes {
public:
    /// `votes` (rows x width) and `n_votes` are added to; no weights are weights of 1.
    OutOfBagVotes(std::span<double> votes, std::span<std::int32_t> n_votes, std::span<const double> weight,
                  bool of_classes)
        : votes_(votes), n_votes_(n_votes), weight_(weight), width_(votes.size() / n_votes.size()),
          of_classes_(of_classes) {}

    std::vector<double> error; // after each tree, over the rows that some tree has not seen; NaN where there are none

    /// Tree `number`, counted from 0, of this run, and the shares of its leaves; loss(i) is that of row i as voted on.
    template <class Loss>
    void add(std::size_t number, OutOfBag&& found, std::vector<double> shares, Loss&& loss) {
        const std::scoped_lock lock(mutex_);
        waiting_.emplace(number, std::pair(std::move(found), std::move(shares)));
        for (auto next = waiting_.find(error.size()); next != waiting_.end(); next = waiting_.find(error.size())) {
            add_votes(next->second.first, next->second.second);
            error.push_back(mean_loss(loss));
            waiting_.erase(next);
        }
    }

    /// The class with most votes for row i, the first of equal ones.
    std::size_t most_voted(std::size_t i) const noexcept {
        const double* const votes = votes_.data() + i * width_;
        return static_cast<std::size_t>(std::max_element(votes, votes + width_) - votes);
    }
    double mean_vote(std::size_t i) const noexcept { return votes_[i] / n_votes_[i]; }

private:
    template <class Loss>
    double mean_loss(Loss&& loss) const {
        double all = 0, total = 0;
        for (std::size_t i = 0; i < n_votes_.size(); ++i)
            if (n_votes_[i] > 0) {
                const double w = weight_.empty() ? 1.0 : weight_[i];
                all += w;
                total += w * loss(i);
            }
        return total / all;
    }

    void add_votes(const OutOfBag& found, const std::vector<double>& shares) noexcept {
        for (std::size_t k = 0; k < found.row.size(); ++k) {
            double* const to = votes_.data() + found.row[k] * width_;
            ++n_votes_[found.row[k]];
            if (!of_classes_) {
                *to += found.answer[k];
                continue;
            }
            const auto row = static_cast<std::size_t>(found.answer[k]);
            if (row < width_)
                to[row] += 1;
            else
                for (std::size_t c = 0; c < width_; ++c)
                    to[c] += shares[(row - width_) * width_ + c];
        }
    }

    std::span<double> votes_;
    std::span<std::int32_t> n_votes_;
    std::span<const double> weight_;
    std::size_t width_;
    bool of_classes_;
    std::mutex mutex_;
    std::map<std::size_t, std::pair<OutOfBag, std::vector<double>>> waiting_;
};

} // namespace margin::ensemble
