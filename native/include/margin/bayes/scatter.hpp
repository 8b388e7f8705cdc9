#pragma once
// Discriminant analysis: class means and the scatter around them in one pass, and the scores they lead to.
#include "margin/core/products.hpp"
#include "margin/core/threads.hpp"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace margin::bayes {

/// What one pass finds. Class k, column j stands at k * columns + j.
/// weight = sum w, weight2 = sum w^2 of each class; the mean of a class is shift + offset;
/// products: sum over the rows of w z z' around the class means, of all classes together or of each class. With squares
/// a row z also holds the squares of the deviations from the *shift*: (x - mean, (x - shift)^2).
/// low, high: the smallest and largest cell of each column.
struct Scatter {
    std::size_t width = 0; // of a product: columns, or twice as many with squares
    std::vector<double> weight, weight2, shift, offset, products, low, high;
};

namespace detail {

inline constexpr std::size_t sample_windows = 32;
inline constexpr std::size_t sample_rows = 32;
inline constexpr std::size_t chunk_rows = 128;

/// The first rows of every class in windows spread evenly over the data, at most sample_rows of them; a class that no
/// window shows gives its first row.
inline std::vector<std::vector<std::size_t>> sampled_rows(const std::int32_t* y, std::size_t rows,
                                                          std::size_t classes) {
    std::vector<std::vector<std::size_t>> found(classes);
    const std::size_t window = std::max<std::size_t>(64, 2 * classes);
    const std::size_t step = std::max(window, rows / sample_windows);
    std::size_t unseen = classes;
    for (std::size_t first = 0; first < rows; first += step)
        for (std::size_t i = first; i < std::min(first + window, rows); ++i) {
            auto& of_class = found[y[i]];
            unseen -= of_class.empty();
            if (of_class.size() < sample_rows)
                of_class.push_back(i);
        }
    for (std::size_t i = 0; i < rows && unseen > 0; ++i)
        if (found[y[i]].empty()) {
            found[y[i]].push_back(i);
            --unseen;
        }
    return found;
}

/// A point near the mean of each class (0 for a class without rows), padded to `width` columns. Where all sampled cells
/// are equal it is that very number, so that a constant column has no deviation at all.
template <class T>
std::vector<double> shifts(const T* x, const std::int32_t* y, std::size_t rows, std::size_t columns,
                           std::size_t classes, std::size_t width) {
    std::vector<double> shift(classes * width);
    const auto sampled = sampled_rows(y, rows, classes);
    for (std::size_t k = 0; k < classes; ++k) {
        if (sampled[k].empty())
            continue;
        const T* first = x + sampled[k][0] * columns;
        for (std::size_t j = 0; j < columns; ++j) {
            double sum = 0;
            for (const std::size_t i : sampled[k])
                sum += static_cast<double>(x[i * columns + j]) - static_cast<double>(first[j]);
            shift[k * width + j] = static_cast<double>(first[j]) + sum / static_cast<double>(sampled[k].size());
        }
    }
    return shift;
}

/// Sums of a block of rows around the shifts. Columns are padded to `width`, a multiple of twelve.
struct Part {
    std::vector<double> weight, weight2, sum, products, low, high;

    Part(std::size_t classes, std::size_t groups, std::size_t width, std::size_t product_width)
        : weight(classes), weight2(classes), sum(classes * width), products(groups * product_width * product_width),
          low(width, std::numeric_limits<double>::infinity()), high(width, -std::numeric_limits<double>::infinity()) {}

    void add(const Part& other) {
        const auto add_up = [](std::vector<double>& to, const std::vector<double>& from) {
            for (std::size_t c = 0; c < to.size(); ++c)
                to[c] += from[c];
        };
        add_up(weight, other.weight);
        add_up(weight2, other.weight2);
        add_up(sum, other.sum);
        add_up(products, other.products);
        for (std::size_t j = 0; j < low.size(); ++j) {
            low[j] = std::min(low[j], other.low[j]);
            high[j] = std::max(high[j], other.high[j]);
        }
    }
};

// The cells of one column or of four. A vector type as such cannot be an argument of a template: it would lose that it
// may lie at any multiple of 8.
struct OneColumn {
    typedef double Cells;
};
struct FourColumns {
    typedef margin::detail::Lanes Cells;
};

/// Cells of one or four columns: deviations go to the panel (times the root of the weight), to the sums and ranges.
template <bool Squares, class Columns>
MARGIN_INLINED void place(const typename Columns::Cells& cells, const double* shift, double w, double root, double* to,
                          double* square, double* sum, double* low, double* high) {
    typedef typename Columns::Cells Cells;
    const Cells d = cells - *reinterpret_cast<const Cells*>(shift);
    Cells &lowest = *reinterpret_cast<Cells*>(low), &highest = *reinterpret_cast<Cells*>(high);
    lowest = cells < lowest ? cells : lowest;
    highest = cells > highest ? cells : highest;
    *reinterpret_cast<Cells*>(sum) += w * d;
    *reinterpret_cast<Cells*>(to) = root * d;
    if constexpr (Squares)
        *reinterpret_cast<Cells*>(square) = root * d * d;
}

/// One row into line `r` of panels of `lines` lines. Squares go into panels of their own behind the others.
template <bool Squares, class T>
MARGIN_SIMD_LOOK void place_row(const T* __restrict x, std::size_t columns, const double* __restrict shift, double w,
                                std::size_t r, std::size_t lines, double* __restrict panels, double* __restrict sum,
                                double* __restrict low, double* __restrict high) {
    using margin::detail::Lanes;
    const double root = std::sqrt(w);
    const std::size_t squares = panels_for(columns) * lines * panel_width;
    double* line = panels + r * panel_width;
    std::size_t j = 0, l = 0;
    for (; j + 4 <= columns; j += 4) {
        const Lanes cells = {static_cast<double>(x[j]), static_cast<double>(x[j + 1]), static_cast<double>(x[j + 2]),
                             static_cast<double>(x[j + 3])};
        place<Squares, FourColumns>(cells, shift + j, w, root, line + l, line + squares + l, sum + j, low + j,
                                    high + j);
        l = l + 4 == panel_width ? 0 : l + 4;
        line += l == 0 ? lines * panel_width : 0;
    }
    for (; j < columns; ++j, ++l)
        place<Squares, OneColumn>(static_cast<double>(x[j]), shift + j, w, root, line + l, line + squares + l, sum + j,
                                  low + j, high + j);
}

/// The rows of a block class by class: rows of class k are order[first[k]] … order[first[k + 1] - 1], counted from
/// `begin`.
struct ByClass {
    std::vector<std::uint32_t> order, first;

    ByClass(const std::int32_t* y, std::size_t begin, std::size_t end, std::size_t classes)
        : order(end - begin), first(classes + 1) {
        for (std::size_t i = begin; i < end; ++i)
            ++first[y[i] + 1];
        for (std::size_t k = 0; k < classes; ++k)
            first[k + 1] += first[k];
        std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
        for (std::size_t i = begin; i < end; ++i)
            order[next[y[i]]++] = static_cast<std::uint32_t>(i - begin);
    }
};

/// Adds the rows of a block to a part, a chunk that stays in the cache at a time.
template <bool Squares, class T>
class BlockOfRows {
public:
    BlockOfRows(const T* x, const std::int32_t* y, const double* w, std::size_t columns, const double* shift,
                Part& part, Monitor& monitor)
        : x_(x), y_(y), w_(w), columns_(columns), shift_(shift), part_(part), monitor_(monitor),
          n_panels_(panels_for(columns) * (Squares ? 2 : 1)), panels_(n_panels_ * chunk_rows * panel_width) {}

    /// Rows row(begin) … row(end - 1), into one product.
    template <class Row>
    void add(std::size_t begin, std::size_t end, Row&& row, double* product) {
        const std::size_t width = panels_for(columns_) * panel_width;
        for (; begin < end; begin += chunk_rows) {
            monitor_.check();
            const std::size_t lines = std::min(chunk_rows, end - begin);
            if (lines != lines_) // what fills up the last panel moves
                std::fill(panels_.begin(), panels_.end(), 0.0);
            lines_ = lines;
            for (std::size_t r = 0; r < lines; ++r) {
                const std::size_t i = row(begin + r), k = static_cast<std::size_t>(y_[i]);
                const double w = w_ ? w_[i] : 1.0;
                part_.weight[k] += w;
                part_.weight2[k] += w * w;
                place_row<Squares>(x_ + i * columns_, columns_, shift_ + k * width, w, r, lines, panels_.data(),
                                   part_.sum.data() + k * width, part_.low.data(), part_.high.data());
            }
            add_symmetric_product(panels_.data(), lines, n_panels_, product);
        }
    }

private:
    const T* x_;
    const std::int32_t* y_;
    const double* w_;
    std::size_t columns_;
    const double* shift_;
    Part& part_;
    Monitor& monitor_;
    std::size_t n_panels_;
    std::vector<double> panels_;
    std::size_t lines_ = 0;
};

/// All rows around the shifts. Blocks are so large that clearing and adding up their products is little beside them.
template <bool Squares, class T>
Part sums_around(const T* x, const std::int32_t* y, const double* w, std::size_t rows, std::size_t columns,
                 std::size_t classes, bool pooled, const double* shift, std::size_t n_threads, Monitor& monitor) {
    const std::size_t width = panels_for(columns) * panel_width, product_width = width * (Squares ? 2 : 1);
    const std::size_t groups = pooled ? 1 : classes;
    const std::size_t block = std::clamp<std::size_t>(1024 * groups, 2048, 1 << 15);
    return reduce_in_order(
        rows, block, n_threads, monitor, [=] { return Part(classes, groups, width, product_width); },
        [=, &monitor](Part& part, std::size_t begin, std::size_t end) {
            BlockOfRows<Squares, T> some(x, y, w, columns, shift, part, monitor);
            if (pooled) {
                some.add(begin, end, [](std::size_t i) { return i; }, part.products.data());
                return;
            }
            const ByClass sorted(y, begin, end, classes);
            for (std::size_t k = 0; k < classes; ++k)
                some.add(
                    sorted.first[k], sorted.first[k + 1], [&](std::size_t i) { return begin + sorted.order[i]; },
                    part.products.data() + k * product_width * product_width);
        },
        [](Part& total, const Part& part) { total.add(part); });
}

/// The padded upper triangle as a whole matrix without the padding: with squares, `half` columns at either end of the
/// padded ones.
inline void unpad(const double* padded, std::size_t padded_width, std::size_t columns, std::size_t halves, double* to) {
    const std::size_t half = padded_width / halves;
    const auto at = [=](std::size_t c) { return c / columns * half + c % columns; };
    for (std::size_t a = 0; a < columns * halves; ++a)
        for (std::size_t b = a; b < columns * halves; ++b)
            to[a * columns * halves + b] = to[b * columns * halves + a] = padded[at(a) * padded_width + at(b)];
}

} // namespace detail

/// Class means and scatter of a row-major matrix, of all classes together (pooled) or of each.
/// Requires y[i] in [0, classes), w[i] > 0 (w null: all 1), no NaN, and cells whose squares (fourth powers with
/// squares) can be added up.
/// One pass over memory: rows are taken relative to a point near the mean of their class, found from a sample, and what
/// is left of the mean is taken off at the end. At most log10(rows per class / 32) digits are lost to a misleading
/// sample, none to large means. O(rows columns^2) time, O(columns^2) memory per thread and product.
template <class T>
Scatter scatter(const T* x, const std::int32_t* y, const double* w, std::size_t rows, std::size_t columns,
                std::size_t classes, bool pooled, bool squares, std::size_t n_threads, Monitor& monitor) {
    const std::size_t width = panels_for(columns) * panel_width, halves = squares ? 2 : 1;
    const auto shift = detail::shifts(x, y, rows, columns, classes, width);
    const auto run = squares ? detail::sums_around<true, T> : detail::sums_around<false, T>;
    const detail::Part sums = run(x, y, w, rows, columns, classes, pooled, shift.data(), n_threads, monitor);

    Scatter found{columns * halves, sums.weight, sums.weight2, {}, {}, {}, {}, {}};
    found.low.assign(sums.low.begin(), sums.low.begin() + columns);
    found.high.assign(sums.high.begin(), sums.high.begin() + columns);
    const std::size_t size = found.width * found.width, padded = width * halves;
    found.products.resize((pooled ? 1 : classes) * size);
    for (std::size_t g = 0; g < (pooled ? 1 : classes); ++g)
        detail::unpad(sums.products.data() + g * padded * padded, padded, columns, halves,
                      found.products.data() + g * size);
    for (std::size_t k = 0; k < classes; ++k) {
        const double n = found.weight[k];
        for (std::size_t j = 0; j < columns; ++j) {
            found.shift.push_back(shift[k * width + j]);
            found.offset.push_back(n > 0 ? sums.sum[k * width + j] / n : 0.0);
        }
        const double* d = found.offset.data() + k * columns;
        double* product = found.products.data() + (pooled ? 0 : k * size);
        for (std::size_t a = 0; a < columns; ++a)
            for (std::size_t b = 0; b < columns; ++b)
                product[a * found.width + b] -= n * (d[a] * d[b]);
    }
    return found;
}

} // namespace margin::bayes
