#pragma once
// The last layer of a network in training: what its scores cost, and the slope of that cost.
//
// Scores of a batch come in panels; their slopes are left in panels of the same form, what fills those up being 0.
#include "activation.hpp"
#include "panels.hpp"
#include <cstdint>
#include <span>
#include <vector>

namespace margin::deep {

/// Which rows a batch is made of, what is known of them, and how much each counts (null: once).
template <class T>
struct Targets {
    const std::int32_t* classes; // a class for each row, or null
    const T* values;             // else so many numbers for each row as there are outputs
    const T* weight;
    std::span<const std::size_t> groups = {}; // outputs of each target, where there are several
};

namespace detail {

/// Beyond the range of scores: e^ of it is 0.
template <class T>
inline constexpr T nothing = sizeof(T) == 8 ? T(-1e300) : T(-1e30);

/// The largest of a row, and e^(score - largest) in place of the scores; their sum.
template <class T>
MARGIN_INLINED T exponentials(const T* z, std::size_t stride, std::size_t panels, std::size_t columns, T* e,
                              T& largest) {
    constexpr std::size_t P = panel<T>;
    T most[P], sums[P] = {};
    std::fill_n(most, P, nothing<T>);
    for (std::size_t p = 0; p < panels; ++p) {
        T line[P];
        for (std::size_t j = 0; j < P; ++j)
            line[j] = p * P + j < columns ? z[p * stride + j] : nothing<T>;
        for (std::size_t j = 0; j < P; ++j)
            most[j] = line[j] > most[j] ? line[j] : most[j];
    }
    T top = most[0];
    for (std::size_t j = 1; j < P; ++j)
        top = most[j] > top ? most[j] : top;
    for (std::size_t p = 0; p < panels; ++p) {
        T* to = e + p * stride;
        for (std::size_t j = 0; j < P; ++j)
            to[j] = exp_of_minus(top - z[p * stride + j]);
        if (p + 1 == panels)
            for (std::size_t j = columns - p * P; j < P; ++j)
                to[j] = 0;
        for (std::size_t j = 0; j < P; ++j)
            sums[j] += to[j];
    }
    T sum = 0;
    for (std::size_t j = 0; j < P; ++j)
        sum += sums[j];
    largest = top;
    return sum;
}

} // namespace detail

/// Cross-entropy of classes that exclude each other: log sum_k e^z_k - z_y. Where shares of the classes are given instead
/// of one class, their mean.
struct SoftmaxError {
    static constexpr std::string_view name = "softmax";
    template <class T>
    MARGIN_SIMD static double slopes(const T* z, std::size_t stride, const std::int64_t* rows, std::size_t n,
                                     std::size_t columns, const Targets<T>& targets, T* error) {
        constexpr std::size_t P = panel<T>;
        const std::size_t panels = panels_for<T>(columns);
        double loss = 0;
        for (std::size_t r = 0; r < n; ++r) {
            const std::size_t row = static_cast<std::size_t>(rows[r]);
            const T w = targets.weight ? targets.weight[row] : T(1);
            const auto at = [&](std::size_t c) { return (c / P) * stride + r * P + c % P; };
            double own_score = 0;
            if (targets.classes)
                own_score = static_cast<double>(z[at(static_cast<std::size_t>(targets.classes[row]))]);
            for (std::size_t c = 0; !targets.classes && c < columns; ++c)
                own_score += static_cast<double>(targets.values[row * columns + c]) * static_cast<double>(z[at(c)]);
            T largest;
            const T sum = detail::exponentials(z + r * P, stride, panels, columns, error + r * P, largest);
            const T factor = w / sum;
            for (std::size_t p = 0; p < panels; ++p)
                for (std::size_t j = 0; j < P; ++j)
                    error[p * stride + r * P + j] *= factor;
            if (targets.classes)
                error[at(static_cast<std::size_t>(targets.classes[row]))] -= w;
            for (std::size_t c = 0; !targets.classes && c < columns; ++c)
                error[at(c)] -= w * targets.values[row * columns + c];
            loss += static_cast<double>(w) *
                    (log_inlined(static_cast<double>(sum)) + (static_cast<double>(largest) - own_score));
        }
        return loss;
    }
};

/// Cross-entropy of each output by itself: log(1 + e^z) - y z, with y of 0 and 1.
struct LogisticError {
    static constexpr std::string_view name = "logistic";
    template <class T>
    MARGIN_SIMD static double slopes(const T* z, std::size_t stride, const std::int64_t* rows, std::size_t n,
                                     std::size_t columns, const Targets<T>& targets, T* error) {
        constexpr std::size_t P = panel<T>;
        double loss = 0;
        for (std::size_t r = 0; r < n; ++r) {
            const std::size_t row = static_cast<std::size_t>(rows[r]);
            const T w = targets.weight ? targets.weight[row] : T(1);
            double sum = 0;
            for (std::size_t c = 0; c < columns; ++c) {
                const std::size_t at = (c / P) * stride + r * P + c % P;
                const T score = z[at], y = targets.values[row * columns + c];
                const double s = score;
                sum += log1p_inlined(exp_of_minus(std::abs(s))) + (s > 0 ? s : 0) - static_cast<double>(y) * s;
                error[at] = w * (sigmoid(score) - y);
            }
            loss += static_cast<double>(w) * sum;
        }
        return loss;
    }
};

/// Several targets side by side, each with its own outputs: one for two classes, as many as there are for more.
struct SeveralError {
    static constexpr std::string_view name = "several";
    template <class T>
    static double slopes(const T* z, std::size_t stride, const std::int64_t* rows, std::size_t n, std::size_t columns,
                         const Targets<T>& targets, T* error) {
        constexpr std::size_t P = panel<T>;
        double loss = 0;
        for (std::size_t r = 0; r < n; ++r) {
            const std::size_t row = static_cast<std::size_t>(rows[r]);
            const T w = targets.weight ? targets.weight[row] : T(1);
            const auto at = [&](std::size_t c) { return (c / P) * stride + r * P + c % P; };
            const T* y = targets.values + row * columns;
            double sum = 0;
            std::size_t first = 0;
            for (const std::size_t width : targets.groups) {
                if (width == 1) {
                    const double s = z[at(first)];
                    sum +=
                        log1p_inlined(exp_of_minus(std::abs(s))) + (s > 0 ? s : 0) - static_cast<double>(y[first]) * s;
                    error[at(first)] = w * (sigmoid(z[at(first)]) - y[first]);
                } else {
                    sum += of_group(z, error, at, first, width, w, y);
                }
                first += width;
            }
            loss += static_cast<double>(w) * sum;
        }
        return loss;
    }

private:
    template <class T, class At>
    static double of_group(const T* z, T* error, const At& at, std::size_t first, std::size_t width, T w, const T* y) {
        T largest = z[at(first)], sum = 0;
        for (std::size_t c = first + 1; c < first + width; ++c)
            largest = std::max(largest, z[at(c)]);
        double own = 0;
        for (std::size_t c = first; c < first + width; ++c) {
            sum += error[at(c)] = exp_of_minus(largest - z[at(c)]);
            own += static_cast<double>(y[c]) * static_cast<double>(z[at(c)]);
        }
        for (std::size_t c = first; c < first + width; ++c)
            error[at(c)] = w * (error[at(c)] / sum - y[c]);
        return log_inlined(static_cast<double>(sum)) + (static_cast<double>(largest) - own);
    }
};

/// Half the squared error; the loss is the mean over the outputs, as scikit-learn has it, its slope that of the sum.
struct SquaredError {
    static constexpr std::string_view name = "squared_error";
    template <class T>
    MARGIN_SIMD static double slopes(const T* z, std::size_t stride, const std::int64_t* rows, std::size_t n,
                                     std::size_t columns, const Targets<T>& targets, T* error) {
        constexpr std::size_t P = panel<T>;
        double loss = 0;
        for (std::size_t r = 0; r < n; ++r) {
            const std::size_t row = static_cast<std::size_t>(rows[r]);
            const T w = targets.weight ? targets.weight[row] : T(1);
            double sum = 0;
            for (std::size_t c = 0; c < columns; ++c) {
                const std::size_t at = (c / P) * stride + r * P + c % P;
                const T away = z[at] - targets.values[row * columns + c];
                sum += static_cast<double>(away) * static_cast<double>(away);
                error[at] = w * away;
            }
            loss += 0.5 * static_cast<double>(w) * sum / static_cast<double>(columns);
        }
        return loss;
    }
};

using ErrorLayers = OneOf<SoftmaxError, LogisticError, SeveralError, SquaredError>;

template <class T>
using ErrorFunction = double (*)(const T*, std::size_t, const std::int64_t*, std::size_t, std::size_t,
                                 const Targets<T>&, T*);

template <class T>
ErrorFunction<T> error_function(std::string_view name) {
    return ErrorLayers::visit(name, []<class E>() -> ErrorFunction<T> { return &E::template slopes<T>; });
}

} // namespace margin::deep
