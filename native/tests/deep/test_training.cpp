// margin/deep/training.hpp, answers.hpp, row_order.hpp
#include "check.hpp"
#include "margin/deep/answers.hpp"
#include "margin/deep/row_order.hpp"
#include "margin/deep/training.hpp"

using namespace margin;
using namespace margin::deep;

namespace {

// Exactly as many cells as there are: a sanitizer sees every read beyond them.
template <class T>
std::vector<T> cells(std::size_t n) {
    std::vector<T> found;
    found.reserve(n);
    for (std::size_t i = 0; i < n; ++i)
        found.push_back(i % 3 == 1 ? T(0) : static_cast<T>((i * 37) % 23) / 11 - 1);
    return found;
}

template <class T>
struct Table {
    std::vector<T> dense, stored;
    std::vector<std::int32_t> columns, classes;
    std::vector<std::int64_t> start{0}, order;

    Table(std::size_t rows, std::size_t width, std::size_t n_classes) : dense(cells<T>(rows * width)) {
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t c = 0; c < width; ++c)
                if (dense[i * width + c] != 0)
                    stored.push_back(dense[i * width + c]), columns.push_back(static_cast<std::int32_t>(c));
            start.push_back(static_cast<std::int64_t>(stored.size()));
            order.push_back(static_cast<std::int64_t>(i));
            classes.push_back(static_cast<std::int32_t>(i % n_classes));
        }
    }

    data::Csr<T, std::int32_t> sparse(std::size_t width) const {
        return {stored.data(), columns.data(), start.data(), order.size(), width};
    }
};

template <class T>
Settings settings() {
    return {"relu", "softmax", "adam", 1e-3, 0.9, 0.9, 0.999, 1e-8, 0.5, 0.0, 7};
}

template <class T>
void begin(Trainer<T>& trainer) {
    auto flat = cells<T>(trainer.layout().flat_size);
    trainer.layout().pack(flat.data(), trainer.now().weights.data());
}

template <class T>
void learn(Trainer<T>& trainer, const Rows<T>& rows, std::size_t batch, std::size_t n_threads = 1) {
    Monitor monitor;
    const std::vector<double> rates((rows.order.size() + batch - 1) / batch, 0.01);
    CHECK(trainer.epoch(rows, batch, rates, n_threads, monitor).failed == -1);
}

template <class T>
void sparse_is_dense() {
    const std::size_t rows = 23, width = 29;
    const Table<T> table(rows, width, 3);
    Trainer<T> dense({width, 31, 3}, settings<T>()), sparse({width, 31, 3}, settings<T>());
    begin(dense), begin(sparse);
    const Targets<T> targets{table.classes.data(), nullptr, nullptr};
    learn(dense, {{table.dense.data()}, targets, table.order}, 9);
    TableRows<T> stored;
    stored.sparse = table.sparse(width);
    learn(sparse, {stored, targets, table.order}, 9);
    CHECK(dense.now().weights == sparse.now().weights);
    Monitor monitor;
    const auto last = cells<double>(rows);
    CHECK(row_order(table.dense.data(), rows, width, last.data(), 1, 1, monitor) ==
          row_order(table.sparse(width), last.data(), 1, 1, monitor));
}

} // namespace

TEST("sparse rows are learnt and ordered as dense ones") {
    sparse_is_dense<double>();
    sparse_is_dense<float>();
}

TEST("all at once: vectors, batch norm, mixtures, smoothing, averages, the same for any number of threads") {
    const std::size_t rows = 26, numbers = 5;
    Table<double> table(rows, numbers + 2, 3);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < 2; ++j)
            table.dense[i * (numbers + 2) + numbers + j] = static_cast<double>((i * (j + 3)) % 5) - 1;
    auto all = settings<double>();
    all.embeddings = {{4, 4}, {2, 13}};
    all.batch_norm = true;
    all.mixup = 0.4, all.smoothing = 0.1, all.average = 0.9, all.dropout = 0.2;
    const std::vector<std::size_t> units{numbers + 15, 14, 3, 3};
    std::vector<std::vector<double>> found;
    for (const std::size_t n_threads : {1, 2, 3}) {
        Trainer<double> trainer(units, all);
        begin(trainer);
        for (int epoch = 0; epoch < 3; ++epoch)
            learn(trainer, {{table.dense.data()}, {table.classes.data(), nullptr, nullptr}, table.order}, 8, n_threads);
        found.push_back(fold_norms(trainer.layout(), trainer.now().average.data(), trainer.now().norms));
    }
    CHECK(found[0] == found[1] && found[1] == found[2]);
    for (const double w : found[0])
        CHECK(std::isfinite(w));
    // What is folded answers rows.
    const Network<double> network(units, "relu", found[0].data(), {}, {}, all.embeddings);
    std::vector<double> shares(rows * 3);
    Monitor monitor;
    CHECK(network.answer(table.dense.data(), rows, true, 1e100, Asked::softmax, shares.data(), nullptr, 1, monitor));
    for (std::size_t i = 0; i < rows; ++i)
        CHECK_NEAR(shares[3 * i] + shares[3 * i + 1] + shares[3 * i + 2], 1, 1e-12);
}

TEST("a batch of one row does not move the running means") {
    const Table<double> table(1, 4, 2);
    auto normed = settings<double>();
    normed.batch_norm = true;
    Trainer<double> trainer({4, 3, 2}, normed);
    begin(trainer);
    learn(trainer, {{table.dense.data()}, {table.classes.data(), nullptr, nullptr}, table.order}, 1);
    for (const double mean : trainer.now().norms.mean)
        CHECK(mean == 0);
}
