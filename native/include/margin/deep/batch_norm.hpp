#pragma once
// Batch norm: each unit with mean 0 and deviation 1 over the rows of a batch, then a factor and a shift that are learnt.
// Ioffe, Szegedy (2015). The shift stands where the intercept would, which it makes superfluous.
#include "layout.hpp"
#include <cmath>
#include <vector>

namespace margin::deep {

/// Below the root, so that a unit that does not vary is not divided by 0; how much of a batch enters the running means.
inline constexpr double norm_epsilon = 1e-5, norm_momentum = 0.1;

/// What later rows are measured by: running means and variances of all hidden units, layer by layer, in panels.
template <class T>
struct RunningNorms {
    std::vector<T> mean, variance;

    explicit RunningNorms(std::size_t n = 0) : mean(n, T(0)), variance(n, T(1)) {}
};

/// One panel of sums becomes normed * factor + shift; `normed` and 1 / deviation are left for the way back. The running
/// means move, with the variance divided by n - 1, as PyTorch has it; a single row moves nothing.
template <class T>
MARGIN_SIMD void norm_forward(T* z, std::size_t rows, const T* factor, const T* shift, T* normed, T* inverse, T* mean,
                              T* variance) {
    constexpr std::size_t P = panel<T>;
    const T n = static_cast<T>(rows);
    T center[P] = {}, squares[P] = {};
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t j = 0; j < P; ++j)
            center[j] += z[r * P + j];
    for (std::size_t j = 0; j < P; ++j)
        center[j] /= n;
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t j = 0; j < P; ++j) {
            const T away = z[r * P + j] - center[j];
            squares[j] += away * away;
        }
    const T m = static_cast<T>(rows > 1 ? norm_momentum : 0), unbiased = rows > 1 ? n - 1 : n;
    for (std::size_t j = 0; j < P; ++j) {
        inverse[j] = 1 / std::sqrt(squares[j] / n + static_cast<T>(norm_epsilon));
        mean[j] += m * (center[j] - mean[j]);
        variance[j] += m * (squares[j] / unbiased - variance[j]);
    }
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t j = 0; j < P; ++j) {
            const T value = (z[r * P + j] - center[j]) * inverse[j];
            normed[r * P + j] = value;
            z[r * P + j] = value * factor[j] + shift[j];
        }
}

/// The slope along the outputs of one panel becomes that along its sums; slopes of factor and shift beside it.
template <class T>
MARGIN_SIMD void norm_backward(T* error, std::size_t rows, const T* factor, const T* normed, const T* inverse,
                               T* of_factor, T* of_shift) {
    constexpr std::size_t P = panel<T>;
    T along[P] = {}, sum[P] = {};
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t j = 0; j < P; ++j) {
            along[j] += error[r * P + j] * normed[r * P + j];
            sum[j] += error[r * P + j];
        }
    const T n = static_cast<T>(rows);
    T scale[P];
    for (std::size_t j = 0; j < P; ++j) {
        of_factor[j] = along[j];
        of_shift[j] = sum[j];
        scale[j] = factor[j] * inverse[j];
        along[j] /= n;
        sum[j] /= n;
    }
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t j = 0; j < P; ++j)
            error[r * P + j] = scale[j] * (error[r * P + j] - sum[j] - normed[r * P + j] * along[j]);
}

/// The same network without batch norm, flat: what the running means do to a unit is a factor of its weights and another
/// intercept.
template <class T>
std::vector<T> fold_norms(const Layout<T>& layout, const T* packed, const RunningNorms<T>& norms) {
    constexpr std::size_t P = panel<T>;
    std::vector<T> flat(packed, packed + layout.n_vectors);
    const T* w = packed + layout.n_vectors;
    std::size_t unit = 0;
    for (const auto& layer : layout.layers) {
        std::vector<T> factor(layer.out, T(1)), shift(layer.out);
        for (std::size_t o = 0; o < layer.out; ++o) {
            shift[o] = w[layer.bias + o];
            if (layer.factor) {
                factor[o] = w[layer.factor + o] / std::sqrt(norms.variance[unit + o] + static_cast<T>(norm_epsilon));
                shift[o] -= norms.mean[unit + o] * factor[o];
            }
        }
        for (std::size_t i = 0; i < layer.in; ++i)
            for (std::size_t o = 0; o < layer.out; ++o)
                flat.push_back(w[layer.weights + (o / P) * layer.stride() + i * P + o % P] * factor[o]);
        flat.insert(flat.end(), shift.begin(), shift.end());
        unit += layer.n_bias();
    }
    return flat;
}

} // namespace margin::deep
