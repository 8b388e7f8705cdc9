#pragma once
// Means and squared deviations of every column in every class, found in the same look that surveys the cells.
#include "margin/data/survey.hpp"
#include <cstdint>
#include <limits>
#include <vector>

namespace margin::data {

/// Class k, column j stands at k * columns + j: weight = sum w, weight2 = sum w^2, mean + rest = sum w x / sum w in
/// doubled precision, m2 = sum w (x - mean - rest)^2.
struct ClassMoments {
    std::vector<double> weight, weight2, mean, rest, m2;

    ClassMoments() = default;
    explicit ClassMoments(std::size_t cells) : weight(cells), weight2(cells), mean(cells), rest(cells), m2(cells) {}
};

/// Chan, Golub, LeVeque (1979): `n` moments of one group from `at` on take in those of another group. The mean moves
/// in doubled precision, so that no digits are lost however many groups come together.
MARGIN_SIMD inline void merge(ClassMoments& total, std::size_t at, const ClassMoments& part, std::size_t from,
                              std::size_t n) {
    double* __restrict weight = total.weight.data() + at;
    double* __restrict weight2 = total.weight2.data() + at;
    double* __restrict mean = total.mean.data() + at;
    double* __restrict rest = total.rest.data() + at;
    double* __restrict m2 = total.m2.data() + at;
    const double* __restrict new_weight = part.weight.data() + from;
    const double* __restrict new_weight2 = part.weight2.data() + from;
    const double* __restrict new_mean = part.mean.data() + from;
    const double* __restrict new_rest = part.rest.data() + from;
    const double* __restrict new_m2 = part.m2.data() + from;
    for (std::size_t c = 0; c < n; ++c) {
        const double before = weight[c], together = before + new_weight[c];
        const double share = new_weight[c] / (together > 0 ? together : 1.0);
        const double shift = (new_mean[c] - mean[c]) + (new_rest[c] - rest[c]);
        const double step = shift * share;
        const double sum = mean[c] + step, moved = sum - mean[c];
        const double left = rest[c] + ((mean[c] - (sum - moved)) + (step - moved));
        const double high = sum + left, low = left - (high - sum);
        weight[c] = together;
        weight2[c] += new_weight2[c];
        m2[c] += new_m2[c] + shift * shift * share * before;
        mean[c] = before > 0 ? high : new_mean[c];
        rest[c] = before > 0 ? low : new_rest[c];
    }
}

namespace detail {

/// What a block of rows is looked at with: its rows in the order of their classes, and the moments of those classes
/// that occur in it, so that thousands of classes cost nothing where few are seen.
struct Bench {
    std::vector<std::uint32_t> order; // rows of the block, class by class
    std::vector<std::uint32_t> first; // of each class seen: where its rows begin in `order`; and the end
    std::vector<std::int32_t> seen;   // classes that occur
    std::vector<std::uint32_t> place; // of each class: 1 + its place in `seen`, 0 if it does not occur
    std::vector<std::uint32_t> cursor;
    ClassMoments moments;

    void sort(const std::int32_t* y, std::size_t rows) {
        for (const std::int32_t k : seen)
            place[static_cast<std::size_t>(k)] = 0;
        seen.clear();
        cursor.clear();
        for (std::size_t i = 0; i < rows; ++i) {
            std::uint32_t& at = place[static_cast<std::size_t>(y[i])];
            if (at == 0) {
                seen.push_back(y[i]);
                cursor.push_back(0);
                at = static_cast<std::uint32_t>(seen.size());
            }
            ++cursor[at - 1];
        }
        first.assign(1, 0);
        for (std::uint32_t& count : cursor) {
            first.push_back(first.back() + count);
            count = first[first.size() - 2];
        }
        order.resize(rows);
        for (std::size_t i = 0; i < rows; ++i)
            order[cursor[place[static_cast<std::size_t>(y[i])] - 1]++] = static_cast<std::uint32_t>(i);
    }
};

/// The moments of some rows of one class, cell by cell since some may be missing. Two rounds: the sum, then what is
/// left around the mean, whose own sum corrects the mean and the squares.
template <class T>
MARGIN_SIMD void moments_with_gaps(const T* x, std::size_t stride, std::size_t columns, const std::uint32_t* rows,
                                   std::size_t n, const double* w, double* __restrict weight,
                                   double* __restrict weight2, double* __restrict mean, double* __restrict rest,
                                   double* __restrict m2) {
    for (std::size_t j = 0; j < columns; ++j)
        weight[j] = weight2[j] = mean[j] = rest[j] = m2[j] = 0;
    for (std::size_t r = 0; r < n; ++r) {
        const T* row = x + rows[r] * stride;
        const double wi = w ? w[rows[r]] : 1.0;
        for (std::size_t j = 0; j < columns; ++j) {
            const double cell = row[j];
            const double there = cell == cell ? wi : 0.0;
            weight[j] += there;
            weight2[j] += there * there;
            mean[j] += cell == cell ? wi * cell : 0.0;
        }
    }
    for (std::size_t j = 0; j < columns; ++j)
        mean[j] /= weight[j] > 0 ? weight[j] : 1.0;
    for (std::size_t r = 0; r < n; ++r) {
        const T* row = x + rows[r] * stride;
        const double wi = w ? w[rows[r]] : 1.0;
        for (std::size_t j = 0; j < columns; ++j) {
            const double cell = row[j];
            const double d = cell == cell ? cell - mean[j] : 0.0;
            rest[j] += wi * d;
            m2[j] += wi * d * d;
        }
    }
    for (std::size_t j = 0; j < columns; ++j) {
        const double off = rest[j] / (weight[j] > 0 ? weight[j] : 1.0);
        m2[j] -= off * rest[j];
        const double sum = mean[j] + off, moved = sum - mean[j];
        rest[j] = (mean[j] - (sum - moved)) + (off - moved);
        mean[j] = sum;
    }
}

} // namespace detail

struct SurveyedMoments {
    Survey survey;
    ClassMoments moments;
};

/// Survey a matrix, and in the same pass over memory find the moments of every column in every class over the cells
/// that are there. Without weights (w null) every row counts once. Requires y[i] in [0, classes), w[i] > 0.
/// A block of rows stays in the cache for both rounds. O(rows columns) time, O(classes columns) memory per thread.
template <class T>
SurveyedMoments survey_moments(const T* x, const std::int32_t* y, const double* w, std::size_t rows,
                               std::size_t columns, std::size_t classes, T largest, std::size_t n_threads,
                               Monitor& monitor) {
    const std::size_t block =
        std::max<std::size_t>(rows_of(1 << 14, columns), 8 * std::min<std::size_t>(classes, 4096));
    const std::size_t chunk = block * std::max<std::size_t>(4, (1 << 18) / std::max<std::size_t>(block * columns, 1));
    SurveyedMoments found = reduce_in_order(
        rows, chunk, n_threads, monitor,
        [=] { return SurveyedMoments{Survey(columns), ClassMoments(classes * columns)}; },
        [=](SurveyedMoments& part, std::size_t begin, std::size_t end) {
            detail::Bench bench;
            bench.place.resize(classes);
            for (std::size_t top = begin; top < end; top += block) {
                const std::size_t n = std::min(block, end - top);
                const T* here = x + top * columns;
                bench.sort(y + top, n);
                bench.moments = ClassMoments(bench.seen.size() * columns);
                detail::add_ranges(part.survey, here, n, columns);
                for (std::size_t s = 0; s < bench.seen.size(); ++s) {
                    const std::size_t at = s * columns;
                    ClassMoments& m = bench.moments;
                    detail::moments_with_gaps(here, columns, columns, bench.order.data() + bench.first[s],
                                              bench.first[s + 1] - bench.first[s], w ? w + top : nullptr,
                                              m.weight.data() + at, m.weight2.data() + at, m.mean.data() + at,
                                              m.rest.data() + at, m.m2.data() + at);
                    merge(part.moments, static_cast<std::size_t>(bench.seen[s]) * columns, m, at, columns);
                }
            }
        },
        [=](SurveyedMoments& total, SurveyedMoments part) {
            merge(total.survey, part.survey);
            merge(total.moments, 0, part.moments, 0, classes * columns);
        });
    found.survey.bad = first_unusable(found.survey, x, rows, columns, largest);
    return found;
}

} // namespace margin::data
