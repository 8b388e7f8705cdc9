// margin/core/products.hpp
#include "check.hpp"
#include "margin/core/products.hpp"

using namespace margin;

namespace {

double cell(std::size_t r, std::size_t c) { return static_cast<double>((r * 7 + c * 13) % 11) - 5; }

/// Rows in panels, columns beyond the last filled up with zeros.
std::vector<double> panels_of(std::size_t rows, std::size_t columns) {
    std::vector<double> panels(panels_for(columns) * rows * panel_width);
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c)
            panels[(c / panel_width * rows + r) * panel_width + c % panel_width] = cell(r, c);
    return panels;
}

} // namespace

TEST("columns are put in groups of twelve") {
    CHECK(panels_for(0) == 0);
    CHECK(panels_for(1) == 1);
    CHECK(panels_for(12) == 1);
    CHECK(panels_for(13) == 2);
}

TEST("the symmetric product is added above the diagonal, whatever the number of rows and columns") {
    for (std::size_t columns : {1, 4, 11, 12, 13, 25, 40})
        for (std::size_t rows : {0, 1, 5, 128}) {
            const std::size_t width = panels_for(columns) * panel_width;
            std::vector<double> product(width * width, 1.0);
            add_symmetric_product(panels_of(rows, columns).data(), rows, panels_for(columns), product.data());
            for (std::size_t a = 0; a < width; ++a)
                for (std::size_t b = a; b < width; ++b) {
                    double sum = 1;
                    for (std::size_t r = 0; r < rows; ++r)
                        sum += a < columns && b < columns ? cell(r, a) * cell(r, b) : 0;
                    CHECK(product[a * width + b] == sum); // small whole numbers: no rounding
                }
        }
}

TEST("a row's sums are the same alone and in a tile of four") {
    const std::size_t depth = 37;
    std::vector<double> a(tile_rows * depth), panel(depth * panel_width);
    for (std::size_t i = 0; i < a.size(); ++i)
        a[i] = 1.0 / static_cast<double>(i + 1);
    for (std::size_t i = 0; i < panel.size(); ++i)
        panel[i] = 1.0 / static_cast<double>(i + 3);
    margin::detail::Lanes four[tile_rows][3], one[1][1];
    multiply_tile(a.data(), depth, 1, panel.data(), depth, four);
    for (std::size_t r = 0; r < tile_rows; ++r) {
        multiply_tile(a.data() + r * depth, depth, 1, panel.data(), depth, one);
        for (std::size_t l = 0; l < 4; ++l)
            CHECK(four[r][0][l] == one[0][0][l]);
    }
}
