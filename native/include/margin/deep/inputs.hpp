#pragma once
// The rows of a table as a network reads them: numbers, codes that stand for vectors, or sparse rows.
#include "layout.hpp"
#include "margin/data/csr.hpp"
#include "mixing.hpp"
#include <span>
#include <vector>

namespace margin::deep {

/// A matrix of numbers, then codes; or CSR, where there are no codes.
template <class T>
struct TableRows {
    const T* cells = nullptr;
    data::Csr<T, std::int32_t> sparse{};

    bool is_sparse() const noexcept { return cells == nullptr; }
};

/// Stored cells of the rows of one batch, one after another.
template <class T>
struct SparseBatch {
    std::vector<T> values;
    std::vector<std::int32_t> columns;
    std::vector<std::size_t> start;

    void read(const data::Csr<T, std::int32_t>& x, const Mixture<T>& batch) {
        values.clear(), columns.clear(), start.assign(1, 0);
        for (std::size_t r = 0; r < batch.n; ++r) {
            add(x, static_cast<std::size_t>(batch.rows[r]), 1 - batch.share);
            if (batch.other)
                add(x, static_cast<std::size_t>(batch.other[r]), batch.share);
            start.push_back(values.size());
        }
    }

private:
    void add(const data::Csr<T, std::int32_t>& x, std::size_t row, T share) {
        for (auto c = static_cast<std::size_t>(x.start[row]); c < static_cast<std::size_t>(x.start[row + 1]); ++c) {
            values.push_back(share * x.values[c]);
            columns.push_back(x.columns[c]);
        }
    }
};

/// Panels [first, last) of out = start + X B for sparse rows X; B and out as for `multiply`. A sum runs over the columns
/// from first to last, as over dense rows.
template <class T>
MARGIN_SIMD void multiply_sparse(const SparseBatch<T>& x, const T* b, std::size_t b_stride, const T* start, T* out,
                                 std::size_t stride, std::size_t first, std::size_t last) {
    constexpr std::size_t P = panel<T>;
    for (std::size_t p = first; p < last; ++p)
        for (std::size_t r = 0; r + 1 < x.start.size(); ++r) {
            T sums[P];
            for (std::size_t j = 0; j < P; ++j)
                sums[j] = start ? start[p * P + j] : T(0);
            for (std::size_t c = x.start[r]; c < x.start[r + 1]; ++c) {
                const T value = x.values[c], *line = b + p * b_stride + static_cast<std::size_t>(x.columns[c]) * P;
                for (std::size_t j = 0; j < P; ++j)
                    sums[j] += value * line[j];
            }
            for (std::size_t j = 0; j < P; ++j)
                out[p * stride + r * P + j] = sums[j];
        }
}

/// Panels [first, last) of out = X' D for sparse rows X, with `lines` lines in each panel.
template <class T>
MARGIN_SIMD void multiply_sparse_transposed(const SparseBatch<T>& x, const T* d, std::size_t stride, std::size_t lines,
                                            T* out, std::size_t first, std::size_t last) {
    constexpr std::size_t P = panel<T>;
    std::fill(out + first * lines * P, out + last * lines * P, T(0));
    for (std::size_t p = first; p < last; ++p)
        for (std::size_t r = 0; r + 1 < x.start.size(); ++r) {
            const T* error = d + p * stride + r * P;
            for (std::size_t c = x.start[r]; c < x.start[r + 1]; ++c) {
                T* line = out + (p * lines + static_cast<std::size_t>(x.columns[c])) * P;
                for (std::size_t j = 0; j < P; ++j)
                    line[j] += x.values[c] * error[j];
            }
        }
}

/// The vector of a code.
template <class T>
MARGIN_INLINED std::size_t vector_of(const VectorTable& table, T code) noexcept {
    return table.at + static_cast<std::size_t>(code + 1) * table.width;
}

/// Rows [first, last) of a batch into panels `stride` cells apart: numbers as they are, vectors for codes.
template <class T>
void read_dense(const Layout<T>& layout, const T* x, const T* vectors, const Mixture<T>& batch, T* to,
                std::size_t stride, std::size_t first, std::size_t last) {
    constexpr std::size_t P = panel<T>;
    const std::size_t columns = layout.columns(), numbers = layout.numbers, whole = numbers / P;
    for (std::size_t r = first; r < last; ++r) {
        const T* row = x + static_cast<std::size_t>(batch.rows[r]) * columns;
        const T* other = batch.other ? x + static_cast<std::size_t>(batch.other[r]) * columns : nullptr;
        T* line = to + r * P;
        const auto put = [&](std::size_t c, T value) { line[(c / P) * stride + c % P] = value; };
        if (!other) {
            for (std::size_t q = 0; q < whole; ++q)
                std::copy_n(row + q * P, P, line + q * stride);
            for (std::size_t c = whole * P; c < numbers; ++c)
                put(c, row[c]);
        } else {
            for (std::size_t c = 0; c < numbers; ++c)
                put(c, (1 - batch.share) * row[c] + batch.share * other[c]);
        }
        for (std::size_t j = 0; j < layout.tables.size(); ++j) {
            const auto& table = layout.tables[j];
            const T* vector = vectors + vector_of(table, row[numbers + j]);
            const T* second = other ? vectors + vector_of(table, other[numbers + j]) : vector;
            for (std::size_t k = 0; k < table.width; ++k)
                put(table.column + k, other ? (1 - batch.share) * vector[k] + batch.share * second[k] : vector[k]);
        }
    }
}

/// Slopes along the vectors that a batch has looked up, each once, in the order in which it met them.
template <class T>
class VectorGradient {
public:
    explicit VectorGradient(const Layout<T>& layout) : layout_(layout) {
        for (const auto& table : layout.tables)
            slots_.emplace_back(table.levels, -1);
    }

    /// `error`: slopes along the inputs of the first layer, in panels.
    void gather(const T* x, const Mixture<T>& batch, const T* error, std::size_t stride) {
        forget();
        const std::size_t columns = layout_.columns(), numbers = layout_.numbers;
        for (std::size_t j = 0; j < layout_.tables.size(); ++j)
            for (std::size_t r = 0; r < batch.n; ++r) {
                const auto code = [&](std::int64_t row) {
                    return x[static_cast<std::size_t>(row) * columns + numbers + j];
                };
                add(j, code(batch.rows[r]), 1 - batch.share, error, r, stride);
                if (batch.other)
                    add(j, code(batch.other[r]), batch.share, error, r, stride);
            }
    }

    struct Touched {
        std::size_t table, level, at; // at: where its slope begins
    };
    const std::vector<Touched>& touched() const noexcept { return touched_; }
    const std::vector<T>& slopes() const noexcept { return slopes_; }

private:
    void forget() {
        for (const auto& each : touched_)
            slots_[each.table][each.level] = -1;
        touched_.clear();
        slopes_.clear();
    }

    void add(std::size_t j, T code, T share, const T* error, std::size_t r, std::size_t stride) {
        constexpr std::size_t P = panel<T>;
        const auto& table = layout_.tables[j];
        const auto level = static_cast<std::size_t>(code + 1);
        std::int32_t& slot = slots_[j][level];
        if (slot < 0) {
            slot = static_cast<std::int32_t>(touched_.size());
            touched_.push_back({j, level, slopes_.size()});
            slopes_.resize(slopes_.size() + table.width, T(0));
        }
        T* to = slopes_.data() + touched_[static_cast<std::size_t>(slot)].at;
        for (std::size_t k = 0; k < table.width; ++k) {
            const std::size_t c = table.column + k;
            to[k] += share * error[(c / P) * stride + r * P + c % P];
        }
    }

    const Layout<T>& layout_;
    std::vector<std::vector<std::int32_t>> slots_;
    std::vector<Touched> touched_;
    std::vector<T> slopes_;
};

} // namespace margin::deep
