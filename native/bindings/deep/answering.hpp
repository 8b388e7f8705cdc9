#pragma once
// Rows as Python holds them, through a network.
#include "bindings/buffers.hpp"
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"
#include "margin/deep/answers.hpp"
#include <nanobind/stl/string_view.h>
#include <string_view>

namespace margin::bindings {

inline deep::Asked asked_of(std::string_view what) {
    return what == "winners"    ? deep::Asked::winners
           : what == "softmax"  ? deep::Asked::softmax
           : what == "sigmoids" ? deep::Asked::sigmoids
                                : deep::Asked::scores;
}

/// False where an array is not of the form that can be read as it stands, and where a cell cannot be used.
template <class T>
bool answer_rows(const deep::Network<T>& network, nb::handle rows, bool scaled, double largest, std::string_view what,
                 nb::handle answers, std::size_t n_threads) {
    const Buffer x(rows), out(answers, true);
    const auto asked = asked_of(what);
    const bool is_double = x.is<double>(2), wins = asked == deep::Asked::winners;
    if ((!is_double && !x.is<float>(2)) || x.shape(1) != network.columns())
        return false;
    const std::size_t width = asked == deep::Asked::softmax && network.outputs() == 1 ? 2 : network.outputs();
    if (wins ? !out.is<std::int64_t>(1) : !out.is<double>(2) || out.shape(1) != width)
        return false;
    if (out.shape(0) != x.shape(0))
        return false;
    const auto run = [&](Monitor& monitor) {
        double* numbers = wins ? nullptr : out.data<double>();
        std::int64_t* winners = wins ? out.data<std::int64_t>() : nullptr;
        const auto of = [&](const auto* cells) {
            return network.answer(cells, x.shape(0), scaled, largest, asked, numbers, winners, n_threads, monitor);
        };
        return is_double ? of(x.data<double>()) : of(x.data<float>());
    };
    if (!network.is_small(x.shape(0)))
        return with_monitor(run);
    Monitor unwatched;
    return run(unwatched);
}

/// Sparse rows; answers as for dense ones.
template <class T>
bool answer_sparse(const deep::Network<T>& network, In<T> cells, In<std::int32_t> columns, In<std::int64_t> starts,
                   std::string_view what, nb::handle answers, std::size_t n_threads) {
    const Buffer out(answers, true);
    const auto asked = asked_of(what);
    const auto rows = csr(cells, columns, starts, network.columns());
    const bool wins = asked == deep::Asked::winners;
    if (wins ? !out.is<std::int64_t>(1) : !out.is<double>(2))
        return false;
    double* numbers = wins ? nullptr : out.data<double>();
    std::int64_t* winners = wins ? out.data<std::int64_t>() : nullptr;
    with_monitor([&](Monitor& monitor) {
        network.answer(rows, asked, numbers, winners, n_threads, monitor);
        return true;
    });
    return true;
}

} // namespace margin::bindings
