#pragma once
// Residuals e_i = s_i - sum_j b_j k(i, j) of many rows, after some b have changed.
#include "margin/core/simd.hpp"
#include "margin/svm/kernel/source.hpp"
#include <algorithm>

namespace margin::svm {

namespace detail {

template <class T>
MARGIN_INLINED void subtract_row_inlined(double* __restrict e, const T* __restrict k, double by, std::size_t n) {
    for (std::size_t t = 0; t < n; ++t)
        e[t] -= by * static_cast<double>(k[t]);
}
MARGIN_SIMD inline void subtract_row(double* e, const float* k, double by, std::size_t n) {
    subtract_row_inlined(e, k, by, n);
}
MARGIN_SIMD inline void subtract_row(double* e, const double* k, double by, std::size_t n) {
    subtract_row_inlined(e, k, by, n);
}

} // namespace detail

/// residual[targets[c]] -= sum over r of by[r] k(rows[r], targets[c]).
/// rows and targets are rows of the source; `places[c]` is where the residual of targets[c] stands. The kernel values
/// live in a block of 256 by 256 for each thread, and are never stored. The same bits for any number of threads.
template <class T>
void subtract_products(const Source<T>& source, std::span<const std::uint32_t> rows, std::span<const double> by,
                       std::span<const std::uint32_t> targets, std::span<const std::uint32_t> places,
                       std::span<double> residual, std::size_t n_threads, Monitor& monitor) {
    constexpr std::size_t side = 256;
    if (rows.empty() || targets.empty())
        return;
    std::vector<std::vector<T>> blocks(n_workers(targets.size(), side, n_threads));
    parallel_for(targets.size(), side, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t worker) {
        auto& block = blocks[worker];
        block.resize(side * side);
        double sums[side] = {};
        const std::size_t width = end - begin;
        for (std::size_t first = 0; first < rows.size(); first += side) {
            monitor.check();
            const auto some = rows.subspan(first, std::min(side, rows.size() - first));
            source.block(some, targets.subspan(begin, width), block.data(), side, 1, monitor);
            for (std::size_t r = 0; r < some.size(); ++r)
                detail::subtract_row(sums, block.data() + r * side, by[first + r], width);
        }
        for (std::size_t c = 0; c < width; ++c)
            residual[places[begin + c]] += sums[c];
    });
}

} // namespace margin::svm
