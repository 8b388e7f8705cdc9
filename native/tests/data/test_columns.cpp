// margin/data/columns.hpp
#include "check.hpp"
#include "margin/data/columns.hpp"

using namespace margin;
using namespace margin::data;

TEST("levels are counted by hand, and -1 is left out") {
    Monitor monitor;
    const std::vector<std::int32_t> codes{0, 2, -1, 2, 2, 0};
    CHECK(level_counts(codes.data(), 6, 4, 1, monitor) == std::vector<std::int64_t>({2, 0, 3, 0}));
    CHECK(level_counts(nullptr, 0, 2, 3, monitor) == std::vector<std::int64_t>({0, 0}));
    const std::vector<std::int32_t> all_missing(5, -1);
    CHECK(level_counts(all_missing.data(), 5, 0, 1, monitor).empty());
}

TEST("columns are laid side by side, a tile after the other") {
    Monitor monitor;
    for (std::size_t rows : {0, 1, 15, 16, 17, 1000})
        for (std::size_t columns : {1, 3, 65}) {
            std::vector<std::vector<double>> owned(columns, std::vector<double>(rows));
            std::vector<const double*> pointers;
            for (std::size_t j = 0; j < columns; ++j) {
                for (std::size_t i = 0; i < rows; ++i)
                    owned[j][i] = static_cast<double>(i * columns + j);
                pointers.push_back(owned[j].data());
            }
            std::vector<double> matrix(rows * columns, -1);
            side_by_side(pointers, rows, matrix.data(), 2, monitor);
            for (std::size_t c = 0; c < matrix.size(); ++c)
                CHECK(matrix[c] == static_cast<double>(c));
        }
}
