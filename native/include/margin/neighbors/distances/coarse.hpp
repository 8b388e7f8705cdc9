#pragma once
// Rows and queries rounded to bytes, with a proof of how much nearer that may bring them.
//
// Let ||.|| be the norm of a family of kernels (2, 1 or largest), c the centre, s the step, and write a row a as
// x = (a - c) / s. Leaving out columns and clamping every cell to -half … half brings no two points further apart. What
// they leave is rounded, x = X + e, and a query likewise, y = Y + f. So for any row and query
//     ||a - b|| / s  >=  ||x - y||  >=  ||X - Y|| - ||e|| - ||f||,
// and a row with  ||X - Y|| > L / s + ||e|| + ||f||  is further than L from the query. The norms of the roundings are
// measured, not estimated, and ||X - Y|| is whole-number arithmetic, which has no error. The few roundings on the way
// (a - c, the product with 1 / s, the clamp, the sums of e) move each cell by at most half 2^-51, and are covered by
// `spare`, for up to 2^17 columns.
#include "byte_grid.hpp"
#include <limits>

namespace margin::neighbors {

inline constexpr std::size_t most_coarse_columns = std::size_t(1) << 17; // sums of products stay below 2^31
inline constexpr double spare = 1.0 / 1024;

/// What rounding a row or a query left behind.
struct Rounded {
    double error;        // ||e||, a little above
    std::int64_t square; // sum of X_j^2
    std::int64_t sum;    // sum of X_j
};

/// Round the chosen columns of one row (nullptr: the first ones) to cells -half … half, zeros up to a multiple of eight columns.
/// In strips and plain loops with one thing to do each, which is what the compiler turns into vectors.
template <class C, class T>
MARGIN_SIMD_LOOK Rounded round_row(const T* __restrict row, const std::uint32_t* __restrict chosen,
                                   const double* __restrict centre, double per_step, std::size_t columns,
                                   std::int8_t* __restrict out) {
    constexpr std::size_t strip = 64, lanes = 8;
    constexpr double half = C::half, magic = 6755399441055744.0; // 1.5 * 2^52: adding it rounds to whole numbers
    constexpr bool squares = C::squared, sums = !C::squared && !C::largest;
    double errors[lanes] = {}, x[strip], error[strip];
    std::int32_t cell[strip];
    Rounded rounded{};
    for (std::size_t first = 0; first < columns; first += strip) {
        const std::size_t n = std::min(strip, columns - first);
        if (chosen)
            for (std::size_t j = 0; j < n; ++j)
                x[j] = (static_cast<double>(row[chosen[first + j]]) - centre[first + j]) * per_step;
        else
            for (std::size_t j = 0; j < n; ++j)
                x[j] = (static_cast<double>(row[first + j]) - centre[first + j]) * per_step;
        for (std::size_t j = n; j < strip; ++j)
            x[j] = 0;
        for (std::size_t j = 0; j < strip; ++j) {
            const double up = x[j] < -half ? -half : x[j];
            x[j] = up > half ? half : up;
        }
        for (std::size_t j = 0; j < strip; ++j) {
            const double whole = (x[j] + magic) - magic;
            error[j] = std::abs(x[j] - whole);
            cell[j] = static_cast<std::int32_t>(whole);
        }
        for (std::size_t j = 0; j < strip; j += lanes)
            for (std::size_t l = 0; l < lanes; ++l) {
                const double e = error[j + l];
                errors[l] = squares ? errors[l] + e * e : sums ? errors[l] + e : errors[l] < e ? e : errors[l];
            }
        std::int32_t square = 0, sum = 0;
        for (std::size_t j = 0; j < strip; ++j) {
            square += cell[j] * cell[j];
            sum += cell[j];
        }
        rounded.square += square;
        rounded.sum += sum;
        const std::size_t kept = std::min(strip, padded_columns(n));
        for (std::size_t j = 0; j < kept; ++j)
            out[first + j] = static_cast<std::int8_t>(cell[j]);
    }
    for (const double e : errors)
        rounded.error = squares || sums ? rounded.error + e : std::max(rounded.error, e);
    rounded.error = (squares ? std::sqrt(rounded.error) : rounded.error) * (1 + 1e-9);
    return rounded;
}

template <class C, class T>
Rounded round_row(const T* row, const Grid& grid, std::int8_t* out) {
    // Columns in ascending order that end where they would if none were left out are all there are.
    const bool all = !C::most_spread_first && grid.columns.back() + 1 == grid.columns.size();
    return round_row<C, T>(row, all ? nullptr : grid.columns.data(), grid.centre.data(), grid.per_step,
                           grid.columns.size(), out);
}

/// Put a row of `padded` cells at place `at` of a panel or group of `Members` members.
template <std::size_t Width, std::size_t Members>
void interleave(const std::int8_t* cells, std::size_t padded, std::uint8_t added, std::size_t at, std::uint8_t* out) {
    out += at * Width;
    for (std::size_t j = 0; j < padded; j += Width, out += Members * Width)
        for (std::size_t i = 0; i < Width; ++i)
            out[i] = static_cast<std::uint8_t>(static_cast<std::uint8_t>(cells[j + i]) + added);
}

/// Rows [first, first + n) as panels.
template <class C>
struct CoarseRows {
    std::vector<std::uint8_t> cells;
    std::vector<std::int32_t> starts;
    std::vector<double> errors; // the largest of each panel
    std::size_t panel_bytes = 0;

    CoarseRows(std::size_t n_panels, std::size_t columns)
        : cells(n_panels * C::rows * padded_columns(columns)), starts(n_panels * C::rows), errors(n_panels),
          panel_bytes(C::rows * padded_columns(columns)) {}

    /// Fill panel b with n <= C::rows rows; what follows them is left as it was.
    template <class T>
    void fill(std::size_t b, const T* rows, std::size_t n, std::size_t columns, const Grid& grid) {
        const std::size_t padded = padded_columns(grid.columns.size());
        std::vector<std::int8_t> row(padded);
        errors[b] = 0;
        for (std::size_t r = 0; r < n; ++r) {
            const Rounded rounded = round_row<C, T>(rows + r * columns, grid, row.data());
            interleave<C::width, C::rows>(row.data(), padded, C::shift, r, cells.data() + b * panel_bytes);
            errors[b] = std::max(errors[b], rounded.error);
            // Half of |X|^2, for |X - Y|^2 = |X|^2 + |Y|^2 - 2 X Y; rounded towards passing.
            starts[b * C::rows + r] = C::squared ? -static_cast<std::int32_t>(rounded.square / 2) : 0;
        }
    }
};

/// Queries as groups, and the limits that the kernels compare with.
template <class C>
struct CoarseQueries {
    std::vector<std::uint8_t> cells;
    std::vector<Rounded> rounded;
    std::vector<std::int32_t> limits; // places after the last query hold what no row passes
    std::size_t group_bytes = 0;

    static constexpr std::int32_t nothing = C::squared ? std::numeric_limits<std::int32_t>::max() : std::int32_t(-1);

    CoarseQueries(std::size_t n, std::size_t columns)
        : cells((n + C::group - 1) / C::group * C::group * padded_columns(columns)), rounded(n),
          limits((n + C::group - 1) / C::group * C::group, nothing), group_bytes(C::group * padded_columns(columns)) {}

    void fill(std::size_t q, const double* query, const Grid& grid) {
        const std::size_t padded = padded_columns(grid.columns.size());
        std::vector<std::int8_t> row(padded);
        rounded[q] = round_row<C, double>(query, grid, row.data());
        interleave<C::width, C::group>(row.data(), padded, C::squared ? 0 : C::shift, q % C::group,
                                       cells.data() + q / C::group * group_bytes);
    }

    /// Rows at a true distance of at most `reach` steps, whose roundings are at most `error`, are to pass.
    void set_limit(std::size_t q, double reach, double error) {
        const double most = reach + error + rounded[q].error + spare;
        if constexpr (C::squared) {
            // |X - Y|^2 <= most^2  <=>  X Y - |X|^2 / 2 >= (|Y|^2 - most^2) / 2; the kernel has X + shift for X.
            const double least = (static_cast<double>(rounded[q].square) - most * most) / 2 - 1 +
                                 C::shift * static_cast<double>(rounded[q].sum);
            limits[q] = least > -2147483647.0 ? static_cast<std::int32_t>(std::floor(least))
                                              : std::numeric_limits<std::int32_t>::min();
        } else {
            limits[q] =
                most < 2147483647.0 ? static_cast<std::int32_t>(most) : std::numeric_limits<std::int32_t>::max();
        }
    }
};

} // namespace margin::neighbors
