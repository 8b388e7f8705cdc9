#pragma once
// An order of rows that depends on what stands in them alone, so that a model does not depend on how its rows came.
#include "margin/core/random.hpp"
#include "margin/core/simd.hpp"
#include "margin/core/threads.hpp"
#include "margin/data/csr.hpp"
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace margin::deep {

namespace detail {

template <class T>
std::vector<T> row_factors(std::size_t width) {
    std::vector<T> factor(width);
    Stream stream(0x6d61726769, 0);
    for (T& f : factor)
        f = static_cast<T>(0.5 + stream.uniform01());
    return factor;
}

/// Places by key(i), where that is equal by compare(i, j) of the cells, and then by `last`.
template <class T, class Key, class Compare>
std::vector<std::int64_t> ordered(std::size_t rows, const double* last, std::size_t n_last, std::size_t n_threads,
                                  Monitor& monitor, const Key& key_of, const Compare& compare) {
    std::vector<T> key(rows);
    parallel_for(rows, 4096, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t i = begin; i < end; ++i)
            key[i] = key_of(i);
    });
    std::vector<std::int64_t> order(rows);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
        if (key[i] != key[j])
            return key[i] < key[j];
        if (const T apart = compare(i, j); apart != 0)
            return apart < 0;
        return std::lexicographical_compare(last + i * n_last, last + (i + 1) * n_last, last + j * n_last,
                                            last + (j + 1) * n_last);
    });
    return order;
}

} // namespace detail

/// Places of rows by a fixed combination of their cells, where that is equal by the cells themselves, and then by `last`
/// (numbers for each row: its target, say). Equal rows may change places.
template <class T>
std::vector<std::int64_t> row_order(const T* x, std::size_t rows, std::size_t width, const double* last,
                                    std::size_t n_last, std::size_t n_threads, Monitor& monitor) {
    const auto factor = detail::row_factors<T>(width);
    return detail::ordered<T>(
        rows, last, n_last, n_threads, monitor, [&](std::size_t i) { return dot({x + i * width, width}, factor); },
        [&](std::size_t i, std::size_t j) {
            const T *p = x + i * width, *q = x + j * width;
            const auto [at, other] = std::mismatch(p, p + width, q);
            return at == p + width ? T(0) : *at < *other ? T(-1) : T(1);
        });
}

/// The same order for the same rows kept sparse.
template <class T>
std::vector<std::int64_t> row_order(const data::Csr<T, std::int32_t>& x, const double* last, std::size_t n_last,
                                    std::size_t n_threads, Monitor& monitor) {
    constexpr std::size_t lanes = 128 / sizeof(T); // those of dot, for the same sums
    const auto factor = detail::row_factors<T>(x.width);
    const auto place = [&](std::size_t i) { return static_cast<std::size_t>(x.start[i]); };
    const auto key = [&](std::size_t i) {
        std::array<T, lanes> sums{};
        for (std::size_t c = place(i); c < place(i + 1); ++c) {
            const auto column = static_cast<std::size_t>(x.columns[c]);
            sums[column % lanes] += x.values[c] * factor[column];
        }
        for (std::size_t half = lanes / 2; half > 0; half /= 2)
            for (std::size_t j = 0; j < half; ++j)
                sums[j] += sums[j + half];
        return sums[0];
    };
    const auto compare = [&](std::size_t i, std::size_t j) {
        std::size_t a = place(i), b = place(j);
        for (; a < place(i + 1) || b < place(j + 1);) {
            const bool left = b == place(j + 1) || (a < place(i + 1) && x.columns[a] <= x.columns[b]);
            const bool right = a == place(i + 1) || (b < place(j + 1) && x.columns[b] <= x.columns[a]);
            const T apart = (left ? x.values[a] : T(0)) - (right ? x.values[b] : T(0));
            if (apart != 0)
                return apart < 0 ? T(-1) : T(1);
            a += left, b += right;
        }
        return T(0);
    };
    return detail::ordered<T>(x.rows, last, n_last, n_threads, monitor, key, compare);
}

} // namespace margin::deep
