#pragma once
// A function of the user's as a metric. It belongs to Python: it is called with the GIL held, from the calling thread
// alone.
#include "ball_tree.hpp"

namespace margin::bindings {

/// Such functions round as they please: float32 arithmetic inside of them is allowed for.
inline constexpr double function_error = 1e-6;

inline double ask(nb::handle function, nb::handle a, nb::handle b) {
    const nb::gil_scoped_acquire gil;
    return nb::cast<double>(function(a, b));
}

/// One query against the rows at the positions of a tree.
struct ToFunction {
    static constexpr std::size_t block = 1;
    nb::handle function, query, rows;
    const std::int64_t* place;

    void operator()(std::size_t first, std::size_t, double* compared) const {
        *compared = ask(function, query, PyList_GET_ITEM(rows.ptr(), place[first]));
    }
    double finish(double compared) const { return compared; }
    neighbors::Slack slack() const { return {function_error, 0}; }
};

struct ToEachQuery {
    nb::handle function, queries, rows;
    const std::int64_t* place;

    ToFunction operator()(std::size_t q) const { return {function, PyList_GET_ITEM(queries.ptr(), q), rows, place}; }
};

} // namespace margin::bindings
