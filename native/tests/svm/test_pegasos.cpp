// margin/svm/pegasos/pegasos.hpp and pegasos_kernel.hpp
#include "check.hpp"
#include "margin/core/random.hpp"
#include "margin/svm/pegasos/pegasos.hpp"
#include "margin/svm/pegasos/pegasos_kernel.hpp"

using namespace margin;
using namespace margin::svm;

namespace {

/// k(i, j) = x_i . x_j of rows one after another.
class Products final : public Source<double> {
public:
    Products(const std::vector<double>& cells, std::size_t rows) : cells_(cells), rows_(rows) {}
    std::size_t size() const noexcept override { return rows_; }
    void block(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns, double* out,
               std::size_t stride, std::size_t, Monitor&) const override {
        for (std::size_t r = 0; r < rows.size(); ++r)
            for (std::size_t c = 0; c < columns.size(); ++c)
                out[r * stride + c] = product(rows[r], columns[c]);
    }
    void diagonal(double* out) const override {
        for (std::size_t i = 0; i < rows_; ++i)
            out[i] = product(i, i);
    }

private:
    double product(std::size_t i, std::size_t j) const {
        const std::size_t d = cells_.size() / rows_;
        double sum = 0;
        for (std::size_t c = 0; c < d; ++c)
            sum += cells_[i * d + c] * cells_[j * d + c];
        return sum;
    }
    const std::vector<double>& cells_;
    std::size_t rows_;
};

struct Data {
    std::size_t rows, width;
    std::vector<double> cells, squares;
    std::vector<std::int32_t> y;
    std::vector<std::uint32_t> order;

    Data(std::size_t n, std::size_t d, std::size_t n_classes) : rows(n), width(d), squares(n) {
        Stream stream(7, d);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < d; ++j)
                cells.push_back(stream.uniform01() - 0.5), squares[i] += cells.back() * cells.back();
            y.push_back(static_cast<std::int32_t>(stream.below(n_classes)));
            order.push_back(static_cast<std::uint32_t>(stream.below(n)));
        }
    }
};

/// Scores of all rows after two passes, by weights of the columns or by a kernel.
std::vector<double> scores_after(const Data& data, PegasosPass pass, std::size_t n_scores, bool by_kernel,
                                 std::size_t bytes = 1 << 20) {
    Monitor monitor;
    const std::size_t n = data.rows, width = linear::padded(data.width);
    std::vector<double> scalars(5 * n_scores), v(n_scores * width), sums(v), u(2 * n_scores * n), u_sums(u),
        beta(n_scores * n), beta_sums(beta);
    std::fill_n(scalars.begin() + static_cast<std::ptrdiff_t>(n_scores), n_scores, 1.0);
    double* const b = scalars.data();
    PegasosScores scores{n_scores, b, b + n_scores, b + 2 * n_scores, b + 3 * n_scores, b + 4 * n_scores};
    pass.y = data.y.data();
    pass.visits = {data.order.data(), n};
    const linear::DenseRows<double> rows(data.cells.data(), n, data.width);
    const Products products(data.cells, n);
    KeptRows<double> kept(products, bytes);
    for (int k = 0; k < 2; ++k)
        if (by_kernel)
            kernel_pass(kept, pass, scores, {n, u.data(), u_sums.data(), beta.data(), beta_sums.data()}, 2, monitor);
        else
            pegasos_pass(rows, pass, scores, {width, n, v.data(), sums.data(), beta.data(), beta_sums.data()}, monitor);
    std::vector<double> found;
    for (std::size_t k = 0; k < n_scores; ++k)
        for (std::size_t i = 0; i < n; ++i) {
            const double plain =
                by_kernel ? u[(2 * k + 1) * n + i] - u[2 * k * n + i] : rows.dot(i, v.data() + k * width);
            const double summed =
                by_kernel ? u_sums[(2 * k + 1) * n + i] - u_sums[2 * k * n + i] : rows.dot(i, sums.data() + k * width);
            found.push_back(weight_of(pass, scores.contraction[k], scores.t) * plain + scores.b[k]);
            found.push_back(summed + scores.sigma[k] * plain);
            found.push_back(beta[k * n + i]);
            found.push_back(beta_sums[k * n + i]);
        }
    return found;
}

void kernels_and_columns_agree(std::size_t n, std::size_t d, std::size_t n_scores, std::size_t batch, bool project,
                               double eta) {
    const Data data(n, d, n_scores == 1 ? 2 : n_scores);
    PegasosPass pass;
    pass.lambda = 0.05, pass.eta = eta, pass.batch = batch, pass.average_from = 3, pass.rising = batch == 1;
    pass.squares = project ? data.squares.data() : nullptr;
    pass.late = 1; // the same steps for both
    const auto columns = scores_after(data, pass, n_scores, false);
    const auto kernel = scores_after(data, pass, n_scores, true);
    for (std::size_t i = 0; i < columns.size(); ++i)
        CHECK(std::abs(columns[i] - kernel[i]) <= 1e-9 * (1 + std::abs(columns[i])));
    CHECK(scores_after(data, pass, n_scores, true, 0) == kernel);
    CHECK(scores_after(data, pass, n_scores, true, 40 * n) == kernel);
}

} // namespace

TEST("steps by a kernel are steps in the columns, for rows, batches, projections and steps of one size") {
    for (const std::size_t n : {1, 2, 7, 300})
        for (const std::size_t batch : {1, 3, 500})
            for (const double eta : {0.0, 0.3})
                for (const bool project : {false, true})
                    for (const std::size_t n_scores : {1, 3})
                        kernels_and_columns_agree(n, 1 + n % 11, n_scores, batch, project, eta);
}
