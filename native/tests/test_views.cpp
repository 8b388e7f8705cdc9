// margin/core/views.hpp
#include "check.hpp"
#include "margin/core/views.hpp"
#include <numeric>

using namespace margin;

namespace {

std::vector<int> counting(std::size_t n) {
    std::vector<int> cells(n);
    std::iota(cells.begin(), cells.end(), 0);
    return cells;
}

int sum(MatrixView<const int> m) {
    int total = 0;
    for (std::size_t i = 0; i < m.rows(); ++i)
        for (int cell : m.row(i))
            total += cell;
    return total;
}

} // namespace

TEST("rows lie one after another") {
    auto cells = counting(6);
    const MatrixView<int> m(cells.data(), 2, 3);
    CHECK(m.rows() == 2 && m.columns() == 3 && m.size() == 6);
    CHECK(m(0, 2) == 2);
    CHECK(m(1, 0) == 3);
    CHECK(m.row(1).size() == 3 && m.row(1)[2] == 5);
}

TEST("a view writes through to the owner's cells") {
    auto cells = counting(6);
    const MatrixView<int> m(cells.data(), 2, 3);
    m(1, 1) = 40;
    m.row(0)[0] = 10;
    CHECK(cells == std::vector{10, 1, 2, 3, 40, 5});
}

TEST("matrices and views turn into views that only read") {
    auto cells = counting(6);
    CHECK(sum(MatrixView<int>(cells.data(), 3, 2)) == 15);
    CHECK(sum(Matrix<int>(3, 2, 7)) == 42);
    static_assert(!std::is_convertible_v<MatrixView<const int>, MatrixView<int>>, "const is not lost");
    static_assert(!std::is_convertible_v<const Matrix<int>&, MatrixView<int>>, "const is not lost");
}

TEST("a slice is the rows that it names, and may be empty") {
    auto cells = counting(12);
    const MatrixView<const int> m(cells.data(), 4, 3);
    const auto middle = m.slice(1, 3);
    CHECK(middle.rows() == 2 && middle(0, 0) == 3 && middle(1, 2) == 8);
    CHECK(m.slice(4, 4).empty());
    CHECK(middle.cells().size() == 6);
}

TEST("matrices without rows or columns are empty") {
    CHECK(MatrixView<double>().empty());
    CHECK(Matrix<double>(0, 5).empty());
    CHECK(Matrix<double>(5, 0).row(4).empty());
}

TEST("a matrix gives its cells away") {
    Matrix<int> m(2, 2, 3);
    m(1, 0) = 9;
    CHECK(m.release() == std::vector{3, 3, 9, 3});
    CHECK(m.rows() == 0 && m.columns() == 0 && m.empty());
}

#ifndef NDEBUG
TEST("debug builds stop at the first step out of bounds") {
    auto cells = counting(6);
    const MatrixView<int> m(cells.data(), 2, 3);
    std::fprintf(stderr, "(three failed assertions are meant)\n");
    CHECK(check::in_child([&] { m.row(2); }) == -SIGABRT);
    CHECK(check::in_child([&] { m(0, 3); }) == -SIGABRT);
    CHECK(check::in_child([&] { m.slice(1, 3); }) == -SIGABRT);
}
#endif
