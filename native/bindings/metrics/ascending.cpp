// margin._core.metrics: which rows hold numbers in ascending order; Ctrl-C stops the sorting.
#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"
#include "margin/metrics/sorting.hpp"

using namespace margin;
using namespace margin::bindings;
using namespace margin::metrics;

namespace {

Out<std::int64_t> ascending_rows(In<double> value, std::size_t n_threads) {
    const std::span<const double> values = span(value);
    return give(with_monitor([&](Monitor& monitor) {
        constexpr std::size_t block = 1 << 16;
        Scratch<RowKey> keys(values.size());
        parallel_for(values.size(), block, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
            for (std::size_t i = begin; i < end; ++i)
                keys[i] = {key_of(values[i]), i};
        });
        sort_keys(keys, n_threads, monitor);
        std::vector<std::int64_t> rows(values.size());
        parallel_for(values.size(), block, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
            for (std::size_t i = begin; i < end; ++i)
                rows[i] = static_cast<std::int64_t>(keys[i].row);
        });
        return rows;
    }));
}

} // namespace

MARGIN_BINDINGS(metrics) {
    metrics.def("ascending_rows", &ascending_rows, "value"_a.noconvert(), "n_threads"_a,
                "The rows of a vector without NaN in ascending order, equal numbers in the order of rows.");
}
