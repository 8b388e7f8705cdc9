#pragma once
// One-versus-one: probabilities of classes out of those of all pairs of them.
// Pairs (a, b), a < b, come in the order (0, 1), (0, 2), …, (1, 2), …
#include "votes.hpp"

namespace margin::svm {

namespace detail {

/// The p that makes sum_ab (r_ba p_a - r_ab p_b)^2 the smallest, with the sum 1, by Cholesky's factor of Q + 1 1'.
///
/// Q p = m 1 at the optimum, and so (Q + 1 1') p is a multiple of 1. Q may be singular, where all pairs agree with one
/// p; Q + 1 1' is not, whatever the shares are, 0 and 1 included. `a` holds the lower half of Q + 1 1'.
inline void couple(double* a, double* p, std::size_t K) {
    for (std::size_t i = 0; i < K; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            double rest = a[i * K + j];
            for (std::size_t t = 0; t < j; ++t)
                rest -= a[i * K + t] * a[j * K + t];
            a[i * K + j] = j < i ? rest / a[j * K + j] : std::sqrt(rest);
        }
    for (std::size_t i = 0; i < K; ++i) {
        double rest = 1;
        for (std::size_t t = 0; t < i; ++t)
            rest -= a[i * K + t] * p[t];
        p[i] = rest / a[i * K + i];
    }
    double total = 0;
    for (std::size_t i = K; i-- > 0;) {
        double rest = p[i];
        for (std::size_t t = i + 1; t < K; ++t)
            rest -= a[t * K + i] * p[t];
        p[i] = rest / a[i * K + i];
        total += p[i] = std::max(p[i], 0.0); // below 0 by rounding alone
    }
    for (std::size_t i = 0; i < K; ++i)
        p[i] /= total;
}

} // namespace detail

/// Wu, Lin, Weng (2004), their second method: out[r] holds the probabilities of the K classes that fit the shares of the
/// pairs best. shares[r][pair] is the probability of a where it is a or b. O(n K³).
inline void couple_pairs(std::span<const double> shares, std::size_t n_classes, double* out, std::size_t n_threads,
                         Monitor& monitor) {
    const std::size_t K = n_classes, width = K * (K - 1) / 2, n = shares.size() / width;
    parallel_for(n, 1 + 100'000 / (K * K * K), n_threads, monitor,
                 [&](std::size_t begin, std::size_t end, std::size_t) {
                     std::vector<double> q(K * K);
                     for (std::size_t r = begin; r < end; ++r) {
                         const double* share = shares.data() + r * width;
                         std::fill(q.begin(), q.end(), 1.0);
                         for (std::size_t a = 0; a < K; ++a)
                             for (std::size_t b = a + 1; b < K; ++b, ++share) {
                                 const double first = *share, second = 1 - first;
                                 q[a * K + a] += second * second;
                                 q[b * K + b] += first * first;
                                 q[b * K + a] -= first * second;
                             }
                         detail::couple(q.data(), out + r * K, K);
                     }
                 });
}

} // namespace margin::svm
