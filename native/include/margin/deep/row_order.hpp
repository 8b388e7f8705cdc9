#pragma once
// An order of rows that depends on what stands in them alone, so that a model does not depend on how its rows came.
#include "margin/core/random.hpp"
#include "margin/core/simd.hpp"
#include "margin/core/threads.hpp"
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace margin::deep {

/// Places of rows by a fixed combination of their cells, where that is equal by the cells themselves, and then by `last`
/// (a number for each row: its target, say). Equal rows may change places.
template <class T>
std::vector<std::int64_t> row_order(const T* x, std::size_t rows, std::size_t width, const double* last,
                                    std::size_t n_last, std::size_t n_threads, Monitor& monitor) {
    std::vector<T> factor(width);
    Stream stream(0x6d61726769, 0);
    for (T& f : factor)
        f = static_cast<T>(0.5 + stream.uniform01());
    std::vector<T> key(rows);
    parallel_for(rows, 4096, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t i = begin; i < end; ++i)
            key[i] = dot({x + i * width, width}, factor);
    });
    std::vector<std::int64_t> order(rows);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
        if (key[i] != key[j])
            return key[i] < key[j];
        const T *p = x + i * width, *q = x + j * width;
        const auto [at, other] = std::mismatch(p, p + width, q);
        if (at != p + width)
            return *at < *other;
        return std::lexicographical_compare(last + i * n_last, last + (i + 1) * n_last, last + j * n_last,
                                            last + (j + 1) * n_last);
    });
    return order;
}

} // namespace margin::deep
