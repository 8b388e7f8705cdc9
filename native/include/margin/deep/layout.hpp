#pragma once
// Where the weights of a network stand: as people know them (flat), and in panels, as products want them.
//
// Flat: for each layer its weights, a row for each input, then its intercepts. In panels (panels.hpp): for each layer
// its panels of weights, a line for each input, then a line of intercepts for each panel; what fills them up is 0.
#include "panels.hpp"
#include <vector>

namespace margin::deep {

template <class T>
struct Layer {
    std::size_t in, out;
    std::size_t lines;         // inputs, filled up to whole tiles
    std::size_t panels;        // of outputs
    std::size_t weights, bias; // where they begin
    std::size_t flat;

    std::size_t stride() const noexcept { return lines * panel<T>; }
    std::size_t n_weights() const noexcept { return panels * stride(); }
    std::size_t n_bias() const noexcept { return panels * panel<T>; }
};

template <class T>
struct Layout {
    std::vector<Layer<T>> layers;
    std::size_t size = 0, flat_size = 0, widest = 0; // widest: panels of the widest layer, that of the inputs included

    /// Of units in each layer, inputs and outputs included.
    explicit Layout(const std::vector<std::size_t>& units) {
        for (std::size_t l = 0; l + 1 < units.size(); ++l) {
            const std::size_t in = units[l], out = units[l + 1], lines = in_tiles(in), panels = panels_for<T>(out);
            const std::size_t weights = panels * lines * panel<T>;
            layers.push_back({in, out, lines, panels, size, size + weights, flat_size});
            size += weights + panels * panel<T>;
            flat_size += in * out + out;
        }
        for (const std::size_t n : units)
            widest = std::max(widest, panels_for<T>(n));
    }

    /// f(place in panels, place when flat) for every weight and intercept.
    template <class F>
    void for_each(F&& f) const {
        constexpr std::size_t P = panel<T>;
        for (const auto& layer : layers) {
            std::size_t flat = layer.flat;
            for (std::size_t i = 0; i < layer.in; ++i)
                for (std::size_t o = 0; o < layer.out; ++o)
                    f(layer.weights + (o / P) * layer.stride() + i * P + o % P, flat++);
            for (std::size_t o = 0; o < layer.out; ++o)
                f(layer.bias + o, flat++);
        }
    }

    template <class From>
    void pack(const From* flat, T* packed) const {
        for_each([&](std::size_t to, std::size_t from) { packed[to] = static_cast<T>(flat[from]); });
    }
    template <class To>
    void unpack(const T* packed, To* flat) const {
        for_each([&](std::size_t from, std::size_t to) { flat[to] = static_cast<To>(packed[from]); });
    }
};

/// Columns behind the last one are 0 again, whatever was done to all of a panel.
template <class T>
void clear_padding(T* matrix, std::size_t stride, std::size_t rows, std::size_t columns) {
    constexpr std::size_t P = panel<T>;
    if (columns % P == 0)
        return;
    T* last = matrix + (columns / P) * stride;
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t j = columns % P; j < P; ++j)
            last[r * P + j] = 0;
}

} // namespace margin::deep
