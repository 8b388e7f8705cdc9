#pragma once
// One-versus-one: decisions of all pairs of classes out of sums of kernels, and answers out of decisions.
// Pairs (a, b), a < b, come in the order (0, 1), (0, 2), …, (1, 2), …; a positive decision is one for a.
#include "margin/core/threads.hpp"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace margin::svm {

/// Rows of a chunk: some ten thousand pairs.
inline std::size_t vote_grain(std::size_t n_classes) { return 1 + 20'000 / (n_classes * n_classes); }

/// The decision of each pair: out[r][pair] = sums[r][a][b - 1] + sums[r][b][a] + intercept[pair], where a row of sums
/// has a part for each of the K classes and K - 1 sums in each. O(n K²).
inline void pair_decisions(std::span<const double> sums, std::span<const double> intercept, std::size_t n_classes,
                           double* out, std::size_t n_threads, Monitor& monitor) {
    const std::size_t K = n_classes, width = K * (K - 1), n = sums.size() / width;
    parallel_for(n, vote_grain(K), n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t r = begin; r < end; ++r) {
            const double* s = sums.data() + r * width;
            double* to = out + r * width / 2;
            std::size_t pair = 0;
            for (std::size_t a = 0; a < K; ++a)
                for (std::size_t b = a + 1; b < K; ++b, ++pair)
                    to[pair] = s[a * (K - 1) + b - 1] + s[b * (K - 1) + a] + intercept[pair];
        }
    });
}

/// The class with the most votes of the pairs, the first of equals; a decision of 0 is a vote for b. O(n K²).
inline void pair_winners(std::span<const double> decisions, std::size_t n_classes, std::int64_t* out,
                         std::size_t n_threads, Monitor& monitor) {
    const std::size_t K = n_classes, width = K * (K - 1) / 2, n = decisions.size() / width;
    parallel_for(n, vote_grain(K), n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        std::vector<std::uint32_t> votes(K);
        for (std::size_t r = begin; r < end; ++r) {
            std::fill(votes.begin(), votes.end(), 0);
            const double* d = decisions.data() + r * width;
            for (std::size_t a = 0; a < K; ++a)
                for (std::size_t b = a + 1; b < K; ++b, ++d) {
                    const std::uint32_t won = *d > 0;
                    votes[a] += won;
                    votes[b] += 1 - won;
                }
            out[r] = std::max_element(votes.begin(), votes.end()) - votes.begin();
        }
    });
}

/// Votes, a decision of 0 being one for a, plus c / (3 (|c| + 1)) where c is the sum of the decisions in favour of a
/// class: how clear the votes were, as less than half a vote. O(n K²).
inline void pair_scores(std::span<const double> decisions, std::size_t n_classes, double* out, std::size_t n_threads,
                        Monitor& monitor) {
    const std::size_t K = n_classes, width = K * (K - 1) / 2, n = decisions.size() / width;
    parallel_for(n, vote_grain(K), n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        std::vector<double> clear(K);
        for (std::size_t r = begin; r < end; ++r) {
            std::fill(clear.begin(), clear.end(), 0);
            const double* d = decisions.data() + r * width;
            double* votes = out + r * K;
            std::fill(votes, votes + K, 0);
            for (std::size_t a = 0; a < K; ++a)
                for (std::size_t b = a + 1; b < K; ++b, ++d) {
                    votes[*d >= 0 ? a : b] += 1;
                    clear[a] += *d;
                    clear[b] -= *d;
                }
            for (std::size_t k = 0; k < K; ++k)
                votes[k] += clear[k] / (3 * (std::abs(clear[k]) + 1));
        }
    });
}

} // namespace margin::svm
