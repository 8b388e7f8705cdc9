#pragma once
// Where the weights of a network stand: as people know them (flat), and in panels, as products want them.
//
// Flat: the vectors of each column of codes, then for each layer its weights, a row for each input, its intercepts, and
// with batch norm the factor of each unit. In panels (panels.hpp): the vectors as they are; then for each layer its panels
// of weights, a line for each input, then a line of intercepts for each panel, then one of factors; what fills them up
// is 0. Places in layers are counted from behind the vectors.
#include "panels.hpp"
#include <cmath>
#include <vector>

namespace margin::deep {

/// Columns of codes behind the columns of numbers, and how many numbers each code stands for. The code -1 is none of the
/// levels, and has a vector too.
struct Embeddings {
    std::vector<std::size_t> levels, widths;
};

/// The vectors of one column of codes.
struct VectorTable {
    std::size_t levels; // with none of them
    std::size_t width;
    std::size_t at;     // where they begin
    std::size_t column; // among the inputs of the first layer
};

template <class T>
struct Layer {
    std::size_t in, out;
    std::size_t lines;         // inputs, filled up to whole tiles
    std::size_t panels;        // of outputs
    std::size_t weights, bias; // where they begin
    std::size_t factor;        // of batch norm; 0 where there is none
    std::size_t flat;

    std::size_t stride() const noexcept { return lines * panel<T>; }
    std::size_t n_weights() const noexcept { return panels * stride(); }
    std::size_t n_bias() const noexcept { return panels * panel<T>; }
};

template <class T>
struct Layout {
    std::vector<VectorTable> tables;
    std::vector<Layer<T>> layers;
    std::size_t n_vectors = 0; // numbers in all vectors
    std::size_t numbers;       // inputs of the first layer that are columns themselves
    std::size_t size = 0, flat_size = 0;
    std::size_t widest = 0; // panels of the widest layer, that of the inputs included
    std::size_t n_hidden = 0;

    /// Of units in each layer, inputs and outputs included; `normed` says that hidden layers have batch norm.
    explicit Layout(const std::vector<std::size_t>& units, const Embeddings& embeddings = {}, bool normed = false)
        : numbers(units.front()) {
        for (const std::size_t width : embeddings.widths)
            numbers -= width;
        for (std::size_t j = 0, column = numbers; j < embeddings.levels.size(); column += embeddings.widths[j++]) {
            tables.push_back({embeddings.levels[j] + 1, embeddings.widths[j], n_vectors, column});
            n_vectors += tables.back().levels * tables.back().width;
        }
        flat_size = n_vectors;
        for (std::size_t l = 0; l + 1 < units.size(); ++l) {
            const std::size_t in = units[l], out = units[l + 1], lines = in_tiles(in), panels = panels_for<T>(out);
            const std::size_t weights = panels * lines * panel<T>, bias = panels * panel<T>;
            const bool has_factor = normed && l + 2 < units.size();
            layers.push_back(
                {in, out, lines, panels, size, size + weights, has_factor ? size + weights + bias : 0, flat_size});
            size += weights + (has_factor ? 2 : 1) * bias;
            flat_size += in * out + (has_factor ? 2 : 1) * out;
            n_hidden += l + 2 < units.size() ? bias : 0;
        }
        for (const std::size_t n : units)
            widest = std::max(widest, panels_for<T>(n));
    }

    /// Columns of the table: numbers and codes.
    std::size_t columns() const noexcept { return numbers + tables.size(); }
    std::size_t total() const noexcept { return n_vectors + size; }

    /// f(place in panels, place when flat) for every weight, intercept and factor of the layers.
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
            for (std::size_t o = 0; layer.factor && o < layer.out; ++o)
                f(layer.factor + o, flat++);
        }
    }

    template <class From>
    void pack(const From* flat, T* packed) const {
        for (std::size_t i = 0; i < n_vectors; ++i)
            packed[i] = static_cast<T>(flat[i]);
        for_each([&](std::size_t to, std::size_t from) { packed[n_vectors + to] = static_cast<T>(flat[from]); });
    }
    template <class To>
    void unpack(const T* packed, To* flat) const {
        for (std::size_t i = 0; i < n_vectors; ++i)
            flat[i] = static_cast<To>(packed[i]);
        for_each([&](std::size_t from, std::size_t to) { flat[to] = static_cast<To>(packed[n_vectors + from]); });
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
