#pragma once
// Forwards and backwards through a network, for the rows of one batch.
#include "activation.hpp"
#include "error_layer.hpp"
#include "layout.hpp"
#include "margin/core/random.hpp"
#include "margin/core/threads.hpp"
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace margin::deep {

/// Who may help: products of fewer terms than `worth_threads` are done by the caller alone, for whom they are the matter
/// of some ten microseconds.
struct Helpers {
    static constexpr std::size_t worth_threads = std::size_t{1} << 21;
    std::size_t n_threads;
    Monitor& monitor;

    template <class Body>
    void share(std::size_t n, std::size_t terms, Body&& body) const {
        if (n_threads == 1 || n < 2 || terms < worth_threads)
            return body(std::size_t{0}, n);
        const std::size_t grain = std::max<std::size_t>(1, n * (worth_threads / 8) / terms);
        parallel_for(n, grain, n_threads, monitor,
                     [&](std::size_t begin, std::size_t end, std::size_t) { body(begin, end); });
    }
};

/// Units that are left out of a batch by chance, each with the same probability; the others count more instead.
struct Dropout {
    double share = 0;
    std::uint64_t seed = 0;
};

/// The memory of a batch of up to so many rows: nothing is allocated while a network learns.
template <class T>
class Passes {
public:
    Passes(const Layout<T>& layout, std::size_t most_rows, const ActivationOf<T>& activation, bool drops)
        : layout_(layout), activation_(activation), keeps_slopes_(activation.of_input || drops),
          stride_(in_tiles(most_rows) * panel<T>), gradient_(layout.size) {
        const auto& layers = layout.layers;
        values_.emplace_back(panels_for<T>(layers.front().in) * stride_);
        std::size_t turned = 0;
        for (std::size_t l = 0; l < layers.size(); ++l) {
            values_.emplace_back(layers[l].panels * stride_);
            errors_.emplace_back(layers[l].panels * stride_);
            slopes_.emplace_back(keeps_slopes_ && l + 1 < layers.size() ? layers[l].panels * stride_ : 0);
            if (l > 0)
                turned = std::max(turned, panels_for<T>(layers[l].in) * layers[l].out * panel<T>);
        }
        turned_.resize(turned);
    }

    /// Rows of a matrix into the first panels.
    void read(const T* x, const std::int64_t* rows, std::size_t n) {
        constexpr std::size_t P = panel<T>;
        const std::size_t width = layout_.layers.front().in, whole = width / P;
        for (std::size_t r = 0; r < n; ++r) {
            const T* row = x + static_cast<std::size_t>(rows[r]) * width;
            T* to = values_[0].data() + r * P;
            for (std::size_t q = 0; q < whole; ++q)
                std::copy_n(row + q * P, P, to + q * stride_);
            std::copy_n(row + whole * P, width - whole * P, width > whole * P ? to + whole * stride_ : to);
        }
        rows_ = n;
    }

    /// Scores of the rows that were read.
    void forward(const T* weights, const Helpers& helpers, const Dropout& dropout, std::uint64_t turn) {
        const std::size_t rows = in_tiles(rows_), n_layers = layout_.layers.size();
        for (std::size_t l = 0; l < n_layers; ++l) {
            const auto& layer = layout_.layers[l];
            const bool hidden = l + 1 < n_layers;
            T* to = values_[l + 1].data();
            helpers.share(layer.panels, rows * layer.in * layer.out, [&](std::size_t first, std::size_t last) {
                multiply(values_[l].data(), stride_, rows, layer.in, weights + layer.weights, layer.stride(),
                         weights + layer.bias, layer.out, to, first, last);
                for (std::size_t p = first; hidden && p < last; ++p)
                    activate(l, p, rows);
            });
            if (hidden && !activation_.keeps_zero)
                clear_padding(to, stride_, rows, layer.out);
            if (hidden && dropout.share > 0)
                drop(l, dropout, turn * n_layers + l);
        }
    }

    /// What the scores cost; their slopes are left for `backward`.
    double loss(ErrorFunction<T> error, const std::int64_t* rows, const Targets<T>& targets) {
        return error(values_.back().data(), stride_, rows, rows_, layout_.layers.back().out, targets,
                     errors_.back().data());
    }

    /// The gradient of the loss, summed over the rows.
    void backward(const T* weights, const Helpers& helpers) {
        const std::size_t rows = in_tiles(rows_);
        for (std::size_t l = layout_.layers.size(); l-- > 0;) {
            const auto& layer = layout_.layers[l];
            const T* error = errors_[l].data();
            const std::size_t terms = rows * layer.in * layer.out;
            helpers.share(panels_for<T>(layer.in), terms, [&](std::size_t first, std::size_t last) {
                multiply_transposed(values_[l].data(), layer.lines, error, layer.out, rows_, stride_,
                                    gradient_.data() + layer.weights, first, last);
            });
            sum_lines(error, stride_, rows_, layer.out, gradient_.data() + layer.bias);
            if (l == 0)
                continue;
            transpose(weights + layer.weights, layer.lines, layer.in, layer.out, turned_.data());
            helpers.share(panels_for<T>(layer.in), terms, [&](std::size_t first, std::size_t last) {
                multiply(error, stride_, rows, layer.out, turned_.data(), layer.out * panel<T>,
                         static_cast<const T*>(nullptr), layer.in, errors_[l - 1].data(), first, last);
                for (std::size_t p = first; p < last; ++p)
                    slope(l - 1, p, rows);
            });
        }
    }

    std::span<const T> gradient() const noexcept { return gradient_; }

private:
    void activate(std::size_t l, std::size_t p, std::size_t rows) {
        T* z = values_[l + 1].data() + p * stride_;
        if (keeps_slopes_)
            activation_.activate_and_slope(z, slopes_[l].data() + p * stride_, rows * panel<T>);
        else
            activation_.activate(z, rows * panel<T>);
    }

    void slope(std::size_t l, std::size_t p, std::size_t rows) {
        T* error = errors_[l].data() + p * stride_;
        if (!keeps_slopes_)
            return activation_.times_slope(values_[l + 1].data() + p * stride_, error, rows * panel<T>);
        const T* slope = slopes_[l].data() + p * stride_;
        for (std::size_t i = 0; i < rows * panel<T>; ++i)
            error[i] *= slope[i];
    }

    void drop(std::size_t l, const Dropout& dropout, std::uint64_t task) {
        constexpr std::size_t P = panel<T>;
        Stream stream(dropout.seed, task);
        const auto limit = static_cast<std::uint64_t>(dropout.share * 0x1p32);
        const T more = static_cast<T>(1 / (1 - dropout.share));
        for (std::size_t p = 0; p < layout_.layers[l].panels; ++p)
            for (std::size_t i = p * stride_; i < p * stride_ + rows_ * P; i += 2) {
                const std::uint64_t drawn = stream.next();
                for (std::size_t j = 0; j < 2; ++j) {
                    const T factor = ((drawn >> (32 * j)) & 0xffffffff) < limit ? T(0) : more;
                    values_[l + 1][i + j] *= factor;
                    slopes_[l][i + j] *= factor;
                }
            }
    }

    const Layout<T>& layout_;
    ActivationOf<T> activation_;
    bool keeps_slopes_;
    std::size_t stride_, rows_ = 0;
    std::vector<std::vector<T>> values_, errors_, slopes_; // values_[0] are the rows
    std::vector<T> turned_, gradient_;
};

} // namespace margin::deep
