#pragma once
// Rows for the tests of linear support vector machines.
#include "margin/core/random.hpp"
#include "margin/data/csr.hpp"
#include <cstdint>
#include <vector>

/// Rows of three classes in random places, all cells also stored as CSR.
struct Data {
    std::size_t rows, columns;
    std::vector<double> x, bound;
    std::vector<float> single;
    std::vector<std::int32_t> y, places;
    std::vector<std::int64_t> start{0};

    Data(std::size_t n, std::size_t d) : rows(n), columns(d) {
        margin::Stream stream(3, 0);
        for (std::size_t i = 0; i < n; ++i) {
            y.push_back(static_cast<std::int32_t>(i % 3));
            bound.push_back(0.5 + stream.uniform01());
            for (std::size_t j = 0; j < d; ++j) {
                x.push_back(stream.normal() + (j == static_cast<std::size_t>(y.back()) ? 1.5 : 0.0));
                places.push_back(static_cast<std::int32_t>(j));
            }
            start.push_back(static_cast<std::int64_t>(places.size()));
        }
        single.assign(x.begin(), x.end());
    }

    margin::data::Csr<double, std::int32_t> csr() const {
        return {x.data(), places.data(), start.data(), rows, columns};
    }

    std::vector<double> signs(std::int32_t target) const {
        std::vector<double> found;
        for (const auto label : y)
            found.push_back(label == target ? 1.0 : -1.0);
        return found;
    }

    double score(std::size_t i, const double* w, double b) const {
        for (std::size_t j = 0; j < columns; ++j)
            b += w[j] * x[i * columns + j];
        return b;
    }
};
