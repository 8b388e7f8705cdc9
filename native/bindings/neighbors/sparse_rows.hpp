#pragma once
// Sparse rows as Python keeps them.
#include "ball_tree.hpp"
#include "bindings/cells.hpp"
#include "margin/neighbors/sparse/sparse_rows.hpp"

namespace margin::bindings {

/// Values, columns, start; of the rows also the number of columns; then what SparsePostings has, in its order.
using Queries = std::tuple<In<double>, In<std::int64_t>, In<std::int64_t>>;
template <class T>
using Rows = std::tuple<In<T>, In<std::int32_t>, In<std::int64_t>, std::size_t>;
using Postings = std::tuple<In<double>, In<double>, In<std::int64_t>, In<std::int32_t>, In<float>, In<std::int32_t>,
                            In<float>, std::size_t, std::size_t, double>;

template <class T>
neighbors::SparseTable<T> table(const Rows<T>& rows) {
    const auto& [values, columns, start, width] = rows;
    return {values.data(), columns.data(), start.data(), start.size() - 1, width};
}

template <class T>
neighbors::SparseIndex<T> index(const Rows<T>& rows, const Postings& kept, double p) {
    const auto& [length, size, start, row, value, written, out, stride, most, scale] = kept;
    return {table(rows),    length.data(), size.data(), start.data(), row.data(), value.data(),
            written.data(), out.data(),    stride,      most,         scale,      p};
}

} // namespace margin::bindings
