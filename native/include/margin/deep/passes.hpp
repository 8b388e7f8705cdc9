#pragma once
// Forwards and backwards through a network, for the rows of one batch.
#include "activation.hpp"
#include "batch_norm.hpp"
#include "error_layer.hpp"
#include "inputs.hpp"
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

/// The memory of a batch of up to so many rows: nothing is allocated while a network learns from dense rows.
template <class T>
class Passes {
public:
    Passes(const Layout<T>& layout, std::size_t most_rows, const ActivationOf<T>& activation, bool drops)
        : layout_(layout), activation_(activation), keeps_slopes_(activation.of_input || drops),
          stride_(in_tiles(most_rows) * panel<T>), gradient_(layout.size), vectors_(layout) {
        const auto& layers = layout.layers;
        values_.emplace_back(panels_for<T>(layers.front().in) * stride_);
        std::size_t turned = 0;
        for (std::size_t l = 0; l < layers.size(); ++l) {
            values_.emplace_back(layers[l].panels * stride_);
            errors_.emplace_back(layers[l].panels * stride_);
            slopes_.emplace_back(keeps_slopes_ && l + 1 < layers.size() ? layers[l].panels * stride_ : 0);
            normed_.emplace_back(layers[l].factor ? layers[l].panels * stride_ : 0);
            inverse_.emplace_back(layers[l].factor ? layers[l].n_bias() : 0);
            if (l > 0 || !layout.tables.empty())
                turned = std::max(turned, panels_for<T>(layers[l].in) * layers[l].out * panel<T>);
        }
        turned_.resize(turned);
        if (!layout.tables.empty())
            of_inputs_.resize(panels_for<T>(layers.front().in) * stride_);
    }

    /// The rows of a batch; `vectors` are those of codes.
    void read(const TableRows<T>& x, const T* vectors, const Mixture<T>& batch, const Helpers& helpers) {
        is_sparse_ = x.is_sparse();
        if (is_sparse_)
            sparse_.read(x.sparse, batch);
        else
            // A cell that comes from afar takes as long as some thirty terms of a product.
            helpers.share(batch.n, 32 * batch.n * layout_.columns(), [&](std::size_t first, std::size_t last) {
                read_dense(layout_, x.cells, vectors, batch, values_[0].data(), stride_, first, last);
            });
        rows_ = batch.n;
    }

    /// Scores of the rows that were read. `norms` are the running means of batch norm, which move; null where there is none.
    void forward(const T* weights, RunningNorms<T>* norms, const Helpers& helpers, const Dropout& dropout,
                 std::uint64_t turn) {
        const std::size_t rows = in_tiles(rows_), n_layers = layout_.layers.size();
        std::size_t unit = 0;
        for (std::size_t l = 0; l < n_layers; ++l) {
            const auto& layer = layout_.layers[l];
            const bool hidden = l + 1 < n_layers;
            T* to = values_[l + 1].data();
            const T* start = layer.factor ? nullptr : weights + layer.bias;
            helpers.share(layer.panels, rows * layer.in * layer.out, [&](std::size_t first, std::size_t last) {
                if (l == 0 && is_sparse_)
                    multiply_sparse(sparse_, weights + layer.weights, layer.stride(), start, to, stride_, first, last);
                else
                    multiply(values_[l].data(), stride_, rows, layer.in, weights + layer.weights, layer.stride(), start,
                             layer.out, to, first, last);
                for (std::size_t p = first; hidden && p < last; ++p) {
                    if (layer.factor)
                        normalise(l, p, weights, *norms, unit + p * panel<T>);
                    activate(l, p, rows);
                }
            });
            unit += layer.n_bias();
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

    /// The gradient of the loss, summed over the rows. `x` and `batch` are those that were read.
    void backward(const T* weights, const TableRows<T>& x, const Mixture<T>& batch, const Helpers& helpers) {
        const std::size_t rows = in_tiles(rows_);
        for (std::size_t l = layout_.layers.size(); l-- > 0;) {
            const auto& layer = layout_.layers[l];
            const T* error = errors_[l].data();
            const std::size_t terms = rows * layer.in * layer.out;
            T* to = gradient_.data() + layer.weights;
            if (l == 0 && is_sparse_)
                helpers.share(layer.panels, terms, [&](std::size_t first, std::size_t last) {
                    multiply_sparse_transposed(sparse_, error, stride_, layer.lines, to, first, last);
                });
            else
                helpers.share(panels_for<T>(layer.in), terms, [&](std::size_t first, std::size_t last) {
                    multiply_transposed(values_[l].data(), layer.lines, error, layer.out, rows_, stride_, to, first,
                                        last);
                });
            if (!layer.factor) // else those of its shift are there already
                sum_lines(error, stride_, rows_, layer.out, gradient_.data() + layer.bias);
            if (l == 0 && layout_.tables.empty())
                continue;
            transpose(weights + layer.weights, layer.lines, layer.in, layer.out, turned_.data());
            T* back = l == 0 ? of_inputs_.data() : errors_[l - 1].data();
            helpers.share(panels_for<T>(layer.in), terms, [&](std::size_t first, std::size_t last) {
                multiply(error, stride_, rows, layer.out, turned_.data(), layer.out * panel<T>,
                         static_cast<const T*>(nullptr), layer.in, back, first, last);
                for (std::size_t p = first; l > 0 && p < last; ++p) {
                    slope(l - 1, p, rows);
                    if (layout_.layers[l - 1].factor)
                        turn_back(l - 1, p, weights);
                }
            });
        }
        if (!layout_.tables.empty())
            vectors_.gather(x.cells, batch, of_inputs_.data(), stride_);
    }

    /// Of the layers, in panels.
    std::span<const T> gradient() const noexcept { return gradient_; }
    const VectorGradient<T>& of_vectors() const noexcept { return vectors_; }

private:
    void normalise(std::size_t l, std::size_t p, const T* weights, RunningNorms<T>& norms, std::size_t unit) {
        const auto& layer = layout_.layers[l];
        const std::size_t at = p * panel<T>;
        norm_forward(values_[l + 1].data() + p * stride_, rows_, weights + layer.factor + at, weights + layer.bias + at,
                     normed_[l].data() + p * stride_, inverse_[l].data() + at, norms.mean.data() + unit,
                     norms.variance.data() + unit);
    }

    void turn_back(std::size_t l, std::size_t p, const T* weights) {
        const auto& layer = layout_.layers[l];
        const std::size_t at = p * panel<T>;
        norm_backward(errors_[l].data() + p * stride_, rows_, weights + layer.factor + at,
                      normed_[l].data() + p * stride_, inverse_[l].data() + at, gradient_.data() + layer.factor + at,
                      gradient_.data() + layer.bias + at);
    }

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
    bool is_sparse_ = false;
    SparseBatch<T> sparse_;
    std::vector<std::vector<T>> values_, errors_, slopes_; // values_[0] are the rows
    std::vector<std::vector<T>> normed_, inverse_;         // of batch norm
    std::vector<T> turned_, of_inputs_, gradient_;
    VectorGradient<T> vectors_;
};

} // namespace margin::deep
