#pragma once
// Rows of a table with one number for each class, picked by the cells of a row and added to its scores.
#include "margin/core/simd.hpp"
#include <cstddef>

namespace margin::bayes::detail {

/// scores[k] += share(c)[k] over `n` cells, four together; a number of classes known to the compiler needs no loop.
/// `share(c)` points to the row of the table that cell c picks, or to zeros.
template <std::size_t Classes, class Share>
MARGIN_INLINED void add_rows_of_table(double* __restrict scores, std::size_t n, std::size_t n_classes, Share share) {
    const std::size_t classes = Classes > 0 ? Classes : n_classes;
    std::size_t c = 0;
    for (; c + 4 <= n; c += 4) {
        const double *s0 = share(c), *s1 = share(c + 1), *s2 = share(c + 2), *s3 = share(c + 3);
        for (std::size_t k = 0; k < classes; ++k)
            scores[k] += (s0[k] + s1[k]) + (s2[k] + s3[k]);
    }
    for (; c < n; ++c) {
        const double* s0 = share(c);
        for (std::size_t k = 0; k < classes; ++k)
            scores[k] += s0[k];
    }
}

/// scores[k] += factor(c) share(c)[k] over `n` cells.
template <std::size_t Classes, class Share, class Factor>
MARGIN_INLINED void add_multiples_of_table(double* __restrict scores, std::size_t n, std::size_t n_classes, Share share,
                                           Factor factor) {
    const std::size_t classes = Classes > 0 ? Classes : n_classes;
    std::size_t c = 0;
    for (; c + 4 <= n; c += 4) {
        const double *s0 = share(c), *s1 = share(c + 1), *s2 = share(c + 2), *s3 = share(c + 3);
        const double f0 = factor(c), f1 = factor(c + 1), f2 = factor(c + 2), f3 = factor(c + 3);
        for (std::size_t k = 0; k < classes; ++k)
            scores[k] += (f0 * s0[k] + f1 * s1[k]) + (f2 * s2[k] + f3 * s3[k]);
    }
    for (; c < n; ++c) {
        const double *s0 = share(c), f0 = factor(c);
        for (std::size_t k = 0; k < classes; ++k)
            scores[k] += f0 * s0[k];
    }
}

/// f.operator()<Classes>(), with 0 for all numbers of classes above four.
template <class F>
void for_classes(std::size_t classes, F&& f) {
    switch (classes) {
    case 1:
        return f.template operator()<1>();
    case 2:
        return f.template operator()<2>();
    case 3:
        return f.template operator()<3>();
    case 4:
        return f.template operator()<4>();
    default:
        return f.template operator()<0>();
    }
}

} // namespace margin::bayes::detail
