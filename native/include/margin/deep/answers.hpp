#pragma once
// What a network that has learnt says of rows.
#include "activation.hpp"
#include "error_layer.hpp"
#include "inputs.hpp"
#include "margin/core/threads.hpp"
#include <atomic>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>

namespace margin::deep {

/// The number itself: what is left of numbers beyond it is not told apart, and sums of them stay finite.
template <class T>
inline constexpr T reach = sizeof(T) == 8 ? T(1e150) : T(1e18);

template <class T>
MARGIN_INLINED T within_reach(T z) noexcept {
    const T low = z > -reach<T> ? z : -reach<T>;
    return low < reach<T> ? low : reach<T>;
}

template <class T>
MARGIN_SIMD_LOOK void keep_within_reach(T* z, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
        z[i] = within_reach(z[i]);
}

enum class Asked { scores, winners, softmax, sigmoids };

template <class T>
class Network {
public:
    /// `center` and `spread` put the columns on one scale first; they may be empty.
    template <class Weight>
    Network(const std::vector<std::size_t>& units, std::string_view activation, const Weight* flat,
            std::vector<double> center, std::vector<double> spread, const Embeddings& embeddings = {})
        : layout_(units, embeddings), activation_(ActivationOf<T>::named(activation)), weights_(layout_.total()),
          center_(std::move(center)), spread_(std::move(spread)) {
        layout_.pack(flat, weights_.data());
    }

    std::size_t columns() const noexcept { return layout_.columns(); }
    std::size_t outputs() const noexcept { return layout_.layers.back().out; }
    bool is_small(std::size_t rows) const noexcept { return rows * layout_.size < 1u << 20; }

    /// `scaled` says that the rows are on that scale already. False if a cell is missing or its magnitude above `largest`.
    /// `numbers` has room for the outputs of each row (two
    /// where one output stands for two classes), `winners` for a place; that which is not asked for may be null.
    template <class X>
    bool answer(const X* x, std::size_t rows, bool scaled, double largest, Asked asked, double* numbers,
                std::int64_t* winners, std::size_t n_threads, Monitor& monitor) const {
        constexpr std::size_t block = 64;
        std::atomic<bool> fine{true};
        std::vector<std::unique_ptr<T[]>> room(n_workers(rows, block, n_threads));
        const std::size_t half = layout_.widest * in_tiles(std::min(rows, block)) * panel<T>;
        parallel_for(rows, block, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t worker) {
            if (!room[worker])
                room[worker] = std::make_unique<T[]>(2 * half);
            T *from = room[worker].get(), *to = from + half;
            const std::size_t n = end - begin, stride = in_tiles(n) * panel<T>;
            if (!read(x + begin * columns(), n, scaled, largest, stride, from)) {
                fine.store(false, std::memory_order_relaxed);
                return;
            }
            const T* z = forward(from, to, stride, in_tiles(n), nullptr);
            for (std::size_t r = 0; r < n; ++r)
                say(z + r * panel<T>, stride, asked, numbers, winners, begin + r);
        });
        return fine.load();
    }

    /// The same for sparse rows, which are on that scale already.
    void answer(const data::Csr<T, std::int32_t>& x, Asked asked, double* numbers, std::int64_t* winners,
                std::size_t n_threads, Monitor& monitor) const {
        constexpr std::size_t block = 64;
        std::vector<std::unique_ptr<T[]>> room(n_workers(x.rows, block, n_threads));
        const std::size_t half = layout_.widest * in_tiles(std::min(x.rows, block)) * panel<T>;
        parallel_for(x.rows, block, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t worker) {
            if (!room[worker])
                room[worker] = std::make_unique<T[]>(2 * half);
            T *from = room[worker].get(), *to = from + half;
            std::vector<std::int64_t> rows(end - begin);
            std::iota(rows.begin(), rows.end(), static_cast<std::int64_t>(begin));
            SparseBatch<T> stored;
            stored.read(x, {rows.data(), rows.size()});
            const std::size_t stride = in_tiles(rows.size()) * panel<T>;
            const T* z = forward(from, to, stride, in_tiles(rows.size()), &stored);
            for (std::size_t r = 0; r < rows.size(); ++r)
                say(z + r * panel<T>, stride, asked, numbers, winners, begin + r);
        });
    }

private:
    template <class X>
    bool read(const X* x, std::size_t n, bool scaled, double largest, std::size_t stride, T* to) const {
        constexpr std::size_t P = panel<T>;
        const std::size_t width = columns(), numbers = layout_.numbers;
        bool fine = true;
        for (std::size_t r = 0; r < n; ++r) {
            for (std::size_t c = 0; c < numbers; ++c) {
                double cell = static_cast<double>(x[r * width + c]);
                fine &= std::abs(cell) <= largest; // false for NaN
                if (!scaled && !center_.empty())
                    cell = (cell - center_[c]) / spread_[c];
                to[(c / P) * stride + r * P + c % P] = static_cast<T>(within_reach(cell));
            }
            for (std::size_t j = 0; j < layout_.tables.size(); ++j) {
                const auto& table = layout_.tables[j];
                const T* vector = weights_.data() + vector_of(table, x[r * width + numbers + j]);
                for (std::size_t k = 0, c = table.column; k < table.width; ++k, ++c)
                    to[(c / P) * stride + r * P + c % P] = vector[k];
            }
        }
        if constexpr (sizeof(T) == 4)
            keep_within_reach(to, panels_for<T>(layout_.layers.front().in) * stride);
        return fine;
    }

    const T* forward(T* from, T* to, std::size_t stride, std::size_t rows, const SparseBatch<T>* sparse) const {
        const T* weights = weights_.data() + layout_.n_vectors;
        for (std::size_t l = 0; l < layout_.layers.size(); ++l) {
            const auto& layer = layout_.layers[l];
            if (l == 0 && sparse)
                multiply_sparse(*sparse, weights + layer.weights, layer.stride(), weights + layer.bias, to, stride, 0,
                                layer.panels);
            else
                multiply(from, stride, rows, layer.in, weights + layer.weights, layer.stride(), weights + layer.bias,
                         layer.out, to, 0, layer.panels);
            keep_within_reach(to, layer.panels * stride);
            if (l + 1 < layout_.layers.size())
                activation_.activate(to, layer.panels * stride);
            std::swap(from, to);
        }
        return from;
    }

    void say(const T* z, std::size_t stride, Asked asked, double* numbers, std::int64_t* winners,
             std::size_t row) const {
        constexpr std::size_t P = panel<T>;
        const std::size_t n = outputs();
        const auto score = [&](std::size_t c) { return static_cast<double>(z[(c / P) * stride + c % P]); };
        if (asked == Asked::winners) {
            std::size_t best = n == 1 ? score(0) > 0 : 0;
            for (std::size_t c = 1; c < n; ++c)
                if (score(c) > score(best))
                    best = c;
            winners[row] = static_cast<std::int64_t>(best);
            return;
        }
        const bool of_two = asked == Asked::softmax && n == 1;
        double* to = numbers + row * (of_two ? 2 : n);
        if (of_two) {
            to[0] = sigmoid(-score(0)), to[1] = sigmoid(score(0));
            return;
        }
        for (std::size_t c = 0; c < n; ++c)
            to[c] = asked == Asked::sigmoids ? sigmoid(score(c)) : score(c);
        if (asked == Asked::softmax)
            become_shares(to, n);
    }

    static void become_shares(double* to, std::size_t n) {
        const double top = *std::max_element(to, to + n);
        double sum = 0;
        for (std::size_t c = 0; c < n; ++c)
            sum += to[c] = exp_of_minus(top - to[c]);
        for (std::size_t c = 0; c < n; ++c)
            to[c] /= sum;
    }

    Layout<T> layout_;
    ActivationOf<T> activation_;
    std::vector<T> weights_;
    std::vector<double> center_, spread_;
};

} // namespace margin::deep
