#pragma once
// Means and squared deviations of every column in every class, found in the same look that surveys the cells.
#include "survey.hpp"
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
MARGIN_SIMD_LOOK inline void merge(ClassMoments& total, std::size_t at, const ClassMoments& part, std::size_t from,
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

/// The rows of a block in the order of their classes, and which classes there are: thousands of classes cost nothing
/// where few occur.
class RowsByClass {
public:
    explicit RowsByClass(std::size_t classes) : place_(classes) {}

    void sort(const std::int32_t* y, std::size_t rows) {
        for (const std::int32_t k : seen)
            place_[static_cast<std::size_t>(k)] = 0;
        seen.clear();
        first.assign(1, 0);
        group.resize(rows);
        order.resize(rows);
        for (std::size_t i = 0; i < rows; ++i) {
            std::uint32_t& place = place_[static_cast<std::size_t>(y[i])];
            if (place == 0) {
                seen.push_back(y[i]);
                first.push_back(0);
                place = static_cast<std::uint32_t>(seen.size());
            }
            group[i] = place - 1;
            ++first[place];
        }
        for (std::size_t s = 1; s < first.size(); ++s)
            first[s] += first[s - 1];
        cursor_.assign(first.begin(), first.end());
        for (std::size_t i = 0; i < rows; ++i)
            order[cursor_[group[i]]++] = static_cast<std::uint32_t>(i);
    }

    std::vector<std::int32_t> seen;   // classes that occur
    std::vector<std::uint32_t> group; // of each row: the place of its class in `seen`
    std::vector<std::uint32_t> order; // rows, those of one class together and ascending
    std::vector<std::uint32_t> first; // of each class seen: where its rows begin in `order`; and the end

private:
    std::vector<std::uint32_t> place_; // of each class: 1 + its place in `seen`, 0 if it does not occur
    std::vector<std::uint32_t> cursor_;
};

/// Rows of one class within a block, `n` of them, and the part of their columns that is looked at.
template <class T>
struct Group {
    const T* x;
    std::size_t stride, columns;
    const std::uint32_t* rows;
    std::size_t n;
    const double* w; // null: every row counts once

    /// take(cells of four rows, their weights), and the same for each row that is left. What is known of a column is
    /// then read and written once for four cells.
    template <class Take>
    MARGIN_INLINED void visit(Take take) const {
        std::size_t r = 0;
        for (; r + 4 <= n; r += 4) {
            const T* cells[4];
            double weight[4];
            for (std::size_t l = 0; l < 4; ++l) {
                cells[l] = x + rows[r + l] * stride;
                weight[l] = w ? w[rows[r + l]] : 1.0;
            }
            take(cells, weight);
        }
        for (; r < n; ++r) {
            const T* cells[1] = {x + rows[r] * stride};
            const double weight[1] = {w ? w[rows[r]] : 1.0};
            take(cells, weight);
        }
    }
};

MARGIN_INLINED double total(const double (&v)[1]) { return v[0]; }
MARGIN_INLINED double total(const double (&v)[4]) { return (v[0] + v[1]) + (v[2] + v[3]); }

/// sums[group[i]][j] += w_i x_ij over the rows as they lie in memory. False if something is not a number: a cell is
/// missing (or infinite), and the sums are worth nothing.
template <class T>
MARGIN_SIMD_LOOK bool sum_by_group(const T* x, std::size_t stride, std::size_t columns, std::size_t rows,
                                   const double* w, const std::uint32_t* group, std::size_t groups, double* sums) {
    for (std::size_t c = 0; c < groups * columns; ++c)
        sums[c] = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        const T* __restrict row = x + i * stride;
        double* __restrict sum = sums + group[i] * columns;
        if (w) {
            const double wi = w[i];
            for (std::size_t j = 0; j < columns; ++j)
                sum[j] += wi * static_cast<double>(row[j]);
        } else {
            for (std::size_t j = 0; j < columns; ++j)
                sum[j] += static_cast<double>(row[j]);
        }
    }
    std::int64_t strange = 0;
    for (std::size_t c = 0; c < groups * columns; ++c)
        strange += !(std::abs(sums[c]) <= std::numeric_limits<double>::max());
    return strange == 0;
}

/// What is left around the means of one class, and the range of its cells. Those that are missing are left out of both;
/// without `Gaps` there are none.
template <bool Weighted, bool Gaps, class T>
MARGIN_INLINED void deviations(const Group<T>& rows, const double* __restrict mean, double* __restrict rest,
                               double* __restrict m2, double* __restrict low, double* __restrict high) {
    const std::size_t columns = rows.columns;
    rows.visit([=]<std::size_t N>(const T* const(&cells)[N], const double (&w)[N]) {
        for (std::size_t j = 0; j < columns; ++j) {
            double left[N], squares[N], smallest = low[j], largest = high[j];
            for (std::size_t l = 0; l < N; ++l) {
                const auto cell = static_cast<double>(cells[l][j]);
                const double d = cell - mean[j], there = Gaps && d != d ? 0.0 : d;
                left[l] = Weighted ? w[l] * there : there;
                squares[l] = left[l] * there;
                smallest = cell < smallest ? cell : smallest;
                largest = cell > largest ? cell : largest;
            }
            rest[j] += total(left);
            m2[j] += total(squares);
            low[j] = smallest;
            high[j] = largest;
        }
    });
}

/// Moments of one class in a block without gaps, given the sums in `mean`.
template <class T>
MARGIN_SIMD_LOOK void whole_moments(const Group<T>& rows, double weight, double* __restrict mean,
                                    double* __restrict rest, double* __restrict m2, double* __restrict low,
                                    double* __restrict high) {
    for (std::size_t j = 0; j < rows.columns; ++j) {
        mean[j] /= weight;
        rest[j] = m2[j] = 0;
    }
    if (rows.w)
        deviations<true, false>(rows, mean, rest, m2, low, high);
    else
        deviations<false, false>(rows, mean, rest, m2, low, high);
}

/// Weights and means of one class in a block where cells may be missing: every cell has a weight of its own.
template <bool Weighted, class T>
MARGIN_INLINED void means_with_gaps(const Group<T>& rows, double* __restrict there, double* __restrict weight,
                                    double* __restrict weight2, double* __restrict mean) {
    const std::size_t columns = rows.columns;
    for (std::size_t j = 0; j < columns; ++j)
        there[j] = weight[j] = weight2[j] = mean[j] = 0;
    rows.visit([=]<std::size_t N>(const T* const(&cells)[N], const double (&w)[N]) {
        for (std::size_t j = 0; j < columns; ++j) {
            double one[N], v[N], v2[N], product[N];
            for (std::size_t l = 0; l < N; ++l) {
                const auto cell = static_cast<double>(cells[l][j]);
                one[l] = cell == cell ? 1.0 : 0.0;
                v[l] = cell == cell ? w[l] : 0.0;
                v2[l] = v[l] * w[l];
                product[l] = cell == cell ? w[l] * cell : 0.0;
            }
            there[j] += total(one);
            mean[j] += total(product);
            if constexpr (Weighted) {
                weight[j] += total(v);
                weight2[j] += total(v2);
            }
        }
    });
    for (std::size_t j = 0; j < columns; ++j) {
        if constexpr (!Weighted)
            weight[j] = weight2[j] = there[j];
        mean[j] /= weight[j] > 0 ? weight[j] : 1.0;
    }
}

template <class T>
MARGIN_SIMD_LOOK void moments_with_gaps(const Group<T>& rows, double* there, double* weight, double* weight2,
                                        double* mean, double* __restrict rest, double* __restrict m2, double* low,
                                        double* high) {
    for (std::size_t j = 0; j < rows.columns; ++j)
        rest[j] = m2[j] = 0;
    if (rows.w) {
        means_with_gaps<true>(rows, there, weight, weight2, mean);
        deviations<true, true>(rows, mean, rest, m2, low, high);
    } else {
        means_with_gaps<false>(rows, there, weight, weight2, mean);
        deviations<false, true>(rows, mean, rest, m2, low, high);
    }
}

/// The sum of what is left around a mean corrects both the mean and the squares.
MARGIN_SIMD_LOOK inline void correct(const double* __restrict weight, double* __restrict mean, double* __restrict rest,
                                     double* __restrict m2, std::size_t n) {
    for (std::size_t j = 0; j < n; ++j) {
        const double off = rest[j] / (weight[j] > 0 ? weight[j] : 1.0);
        const double squares = m2[j] - off * rest[j];
        m2[j] = squares > 0 ? squares : 0.0; // equal cells may leave a rounding below 0
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

namespace detail {

/// Looks at one block of rows after another. A block stays in the cache for two rounds: sums first, then what is left
/// around the means that follow from them.
template <class T>
class MomentsOfBlocks {
public:
    static constexpr std::size_t panel = 512; // wide rows are looked at in pieces

    MomentsOfBlocks(std::size_t columns, std::size_t classes)
        : columns_(columns), there_(std::min(columns, panel)), by_class_(classes) {}

    void add(SurveyedMoments& part, const T* x, const std::int32_t* y, const double* w, std::size_t rows) {
        by_class_.sort(y, rows);
        for (std::size_t left = 0; left < columns_; left += panel)
            add_panel(part, x + left, w, rows, left, std::min(panel, columns_ - left));
    }

private:
    void add_panel(SurveyedMoments& part, const T* x, const double* w, std::size_t rows, std::size_t left,
                   std::size_t columns) {
        const std::size_t groups = by_class_.seen.size();
        if (found_.mean.size() < groups * columns)
            found_ = ClassMoments(groups * columns);
        const bool whole =
            sum_by_group(x, columns_, columns, rows, w, by_class_.group.data(), groups, found_.mean.data());
        for (std::size_t s = 0; s < groups; ++s) {
            const std::uint32_t first = by_class_.first[s], n = by_class_.first[s + 1] - first;
            const Group<T> group{x, columns_, columns, by_class_.order.data() + first, n, w};
            const std::size_t at = s * columns;
            if (whole)
                add_whole(part.survey, group, at, left);
            else
                add_with_gaps(part.survey, group, at, left);
            correct(&found_.weight[at], &found_.mean[at], &found_.rest[at], &found_.m2[at], columns);
            merge(part.moments, static_cast<std::size_t>(by_class_.seen[s]) * columns_ + left, found_, at, columns);
        }
    }

    void add_whole(Survey& survey, const Group<T>& rows, std::size_t at, std::size_t left) {
        auto weight = static_cast<double>(rows.n), weight2 = weight;
        if (rows.w) {
            weight = weight2 = 0;
            for (std::size_t r = 0; r < rows.n; ++r) {
                weight += rows.w[rows.rows[r]];
                weight2 += rows.w[rows.rows[r]] * rows.w[rows.rows[r]];
            }
        }
        std::fill_n(&found_.weight[at], rows.columns, weight);
        std::fill_n(&found_.weight2[at], rows.columns, weight2);
        whole_moments(rows, weight, &found_.mean[at], &found_.rest[at], &found_.m2[at], &survey.low[left],
                      &survey.high[left]);
    }

    void add_with_gaps(Survey& survey, const Group<T>& rows, std::size_t at, std::size_t left) {
        moments_with_gaps(rows, there_.data(), &found_.weight[at], &found_.weight2[at], &found_.mean[at],
                          &found_.rest[at], &found_.m2[at], &survey.low[left], &survey.high[left]);
        for (std::size_t j = 0; j < rows.columns; ++j)
            survey.missing[left + j] += static_cast<std::int64_t>(rows.n) - static_cast<std::int64_t>(there_[j]);
    }

    std::size_t columns_;
    std::vector<double> there_; // cells of each column that are there
    RowsByClass by_class_;
    ClassMoments found_; // of the classes seen
};

} // namespace detail

/// Survey a matrix, and in the same pass over memory find the moments of every column in every class over the cells
/// that are there. Without weights (w null) every row counts once. Requires y[i] in [0, classes), w[i] > 0.
/// O(rows columns) time, O(classes columns) memory per thread.
template <class T>
SurveyedMoments survey_moments(const T* x, const std::int32_t* y, const double* w, std::size_t rows,
                               std::size_t columns, std::size_t classes, T largest, std::size_t n_threads,
                               Monitor& monitor) {
    // A block holds several rows of each class, so that bringing blocks together is little beside looking at them.
    const std::size_t panel = std::min(columns, detail::MomentsOfBlocks<T>::panel);
    const std::size_t block =
        std::max<std::size_t>({rows_of(1 << 14, panel), 64, 8 * std::min<std::size_t>(classes, 4096)});
    const std::size_t chunk = block * std::max<std::size_t>(4, rows_of(1 << 18, columns) / block);
    SurveyedMoments found = reduce_in_order(
        rows, chunk, n_threads, monitor,
        [=] { return SurveyedMoments{Survey(columns), ClassMoments(classes * columns)}; },
        [=](SurveyedMoments& part, std::size_t begin, std::size_t end) {
            detail::MomentsOfBlocks<T> blocks(columns, classes);
            for (std::size_t top = begin; top < end; top += block)
                blocks.add(part, x + top * columns, y + top, w ? w + top : nullptr, std::min(block, end - top));
        },
        [=](SurveyedMoments& total, const SurveyedMoments& part) {
            merge(total.survey, part.survey);
            merge(total.moments, 0, part.moments, 0, classes * columns);
        });
    found.survey.bad = first_unusable(found.survey, x, rows, columns, largest);
    return found;
}

} // namespace margin::data
