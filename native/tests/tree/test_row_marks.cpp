#include "check.hpp"
#include "margin/core/random.hpp"
#include "margin/tree/row_marks.hpp"
#include <cmath>
#include <limits>
#include <vector>

using namespace margin;
using namespace margin::tree;

namespace {

/// A matrix of few numbers with zeros, missing cells and a column of one number; also column after column, without zeros.
struct SomeCells {
    std::size_t n, d = 5;
    std::vector<double> cells, stored;
    std::vector<std::int32_t> places;
    std::vector<std::int64_t> start{0};

    explicit SomeCells(std::size_t n_rows) : n(n_rows), cells(n * d) {
        Stream stream(3, 0);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < d; ++j) {
                const std::size_t drawn = stream.below(8);
                double& cell = cells[i * d + j];
                cell = drawn < 5 ? 0 : static_cast<double>(drawn) * (stream.below(2) ? 1 : -1);
                if (drawn == 7)
                    cell = std::numeric_limits<double>::quiet_NaN();
                if (j == 2)
                    cell = 4;
            }
        for (std::size_t j = 0; j < d; ++j) {
            for (std::size_t i = 0; i < n; ++i)
                if (const double x = cells[i * d + j]; x != 0) {
                    stored.push_back(x);
                    places.push_back(static_cast<std::int32_t>(i));
                }
            start.push_back(static_cast<std::int64_t>(stored.size()));
        }
    }

    std::vector<std::uint64_t> marks(bool sparse, std::size_t n_threads) const {
        Monitor monitor;
        std::vector<std::uint64_t> mark(n, 9);
        if (sparse)
            mark_rows<double>({stored.data(), places.data(), start.data(), d, n}, mark, n_threads, monitor);
        else
            mark_rows<double>({cells.data(), n, d}, mark, n_threads, monitor);
        return mark;
    }
};

} // namespace

TEST("marks of rows are the same for any number of threads, and whether zeros are stored or not") {
    for (const std::size_t n : {1, 17, 9'000}) {
        const SomeCells cells(n);
        const auto marks = cells.marks(false, 1);
        CHECK(cells.marks(false, 3) == marks);
        CHECK(cells.marks(true, 1) == marks);
        CHECK(cells.marks(true, 3) == marks);
    }
}

TEST("a column of one number says nothing, and equal rows have equal marks") {
    SomeCells cells(400);
    const auto marks = cells.marks(false, 1);
    for (std::size_t i = 0; i < cells.n; ++i)
        cells.cells[i * cells.d + 2] = -7;
    CHECK(cells.marks(false, 1) == marks);
    for (std::size_t j = 0; j < cells.d; ++j)
        cells.cells[j] = cells.cells[cells.d + j];
    const auto twice = cells.marks(false, 1);
    CHECK(twice[0] == twice[1]);
    CHECK(twice[2] != twice[0]);
}
