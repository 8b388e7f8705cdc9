#pragma once
// Logarithms of smoothed counts, turned on their side for the products of sums.hpp.
#include "margin/core/threads.hpp"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace margin::bayes {

/// table[j * classes + k] = log(counts[k * columns + j] + alpha) - shift[k].
/// Most counts are whole numbers and not large: their logarithms are taken once and looked up.
/// Requires counts >= 0, alpha > 0.
/// O(classes columns) time.
inline std::vector<double> log_counts(const double* counts, double alpha, const double* shift, std::size_t classes,
                                      std::size_t columns, std::size_t n_threads, Monitor& monitor) {
    std::vector<double> known(std::min<std::size_t>(1 << 16, classes * columns / 8));
    for (std::size_t n = 0; n < known.size(); ++n)
        known[n] = std::log(static_cast<double>(n) + alpha);
    const auto log_of = [&, most = static_cast<double>(known.size())](double count) {
        if (count < most) {
            const auto whole = static_cast<std::size_t>(count);
            if (static_cast<double>(whole) == count)
                return known[whole];
        }
        return std::log(count + alpha);
    };
    std::vector<double> table(classes * columns);
    parallel_for(columns, 512, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t k = 0; k < classes; ++k)
            for (std::size_t j = begin; j < end; ++j)
                table[j * classes + k] = log_of(counts[k * columns + j]) - shift[k];
    });
    return table;
}

} // namespace margin::bayes
