// margin/neighbors/kd_tree/kd_tree_build.hpp, kd_tree_nearest.hpp
#include "check.hpp"
#include "margin/core/random.hpp"
#include "margin/neighbors/kd_tree/kd_tree_build.hpp"
#include "margin/neighbors/kd_tree/kd_tree_nearest.hpp"
#include <limits>

using namespace margin;
using namespace margin::neighbors;

namespace {

struct Answers {
    std::vector<double> distance;
    std::vector<std::int64_t> place;
    double looked_at;
    bool operator==(const Answers&) const = default;
};

template <class D, class T>
Answers ask(const std::vector<T>& rows, const std::vector<double>& queries, std::size_t columns, std::size_t k,
            double p, std::size_t n_threads, std::size_t leaf_size = 16) {
    Monitor monitor;
    const std::size_t m = queries.size() / columns;
    const auto grown = kd::build<T>(rows.data(), rows.size() / columns, columns, leaf_size, n_threads, monitor);
    const kd::Tree tree = kd::view(grown);
    Answers answers{std::vector<double>(m * k), std::vector<std::int64_t>(m * k), 0};
    answers.looked_at = kd::nearest<D>(tree, kd::comparing<D, T>(tree), queries.data(), m, k, p,
                                       answers.distance.data(), answers.place.data(), n_threads, monitor);
    return answers;
}

/// All rows by the definition, first by distance, then by place.
template <class D, class T>
std::vector<Found> sorted(const std::vector<T>& rows, const double* query, std::size_t columns, double p) {
    std::vector<Found> all;
    for (std::size_t i = 0; i < rows.size() / columns; ++i)
        all.push_back({joined<D, T>(query, rows.data() + i * columns, columns, p), static_cast<std::int64_t>(i)});
    std::sort(all.begin(), all.end());
    return all;
}

template <class D, class T>
void agrees_with_the_definition(const std::vector<T>& rows, const std::vector<double>& queries, std::size_t columns,
                                std::size_t k, double p) {
    const Answers answers = ask<D, T>(rows, queries, columns, k, p, 2);
    for (std::size_t q = 0; q < queries.size() / columns; ++q) {
        const auto all = sorted<D, T>(rows, queries.data() + q * columns, columns, p);
        for (std::size_t i = 0; i < k; ++i) {
            CHECK(answers.place[q * k + i] == all[i].row);
            CHECK(answers.distance[q * k + i] == D::finish(all[i].distance, p));
        }
    }
}

template <class T>
void for_every_distance(const std::vector<T>& rows, const std::vector<double>& queries, std::size_t columns,
                        std::size_t k) {
    for (const auto name : Distances::names())
        Distances::visit(name, [&]<class D>() {
            if constexpr (D::name == Minkowski::name)
                for (const double p : {0.1, 0.5, 1.5, 3.0, 4.0, 50.0})
                    agrees_with_the_definition<D, T>(rows, queries, columns, k, p);
            else
                agrees_with_the_definition<D, T>(rows, queries, columns, k, 2);
        });
}

/// Cells drawn by `cell`, the same for float and double rows.
template <class T, class Cell>
std::vector<T> drawn(std::size_t n, Cell cell) {
    std::vector<T> cells(n);
    for (T& c : cells)
        c = static_cast<T>(cell());
    return cells;
}

} // namespace

TEST("neighbours are those of the definition to the last bit, for every distance") {
    for (const std::size_t columns : {1, 2, 3, 5, 8, 9, 19}) {
        Stream stream(columns, 1);
        const auto smooth = [&] { return stream.normal(); };
        const auto queries = drawn<double>(7 * columns, smooth);
        for_every_distance(drawn<double>(700 * columns, smooth), queries, columns, 4);
        for_every_distance(drawn<float>(700 * columns, smooth), queries, columns, 4);
    }
}

TEST("of equally far rows the smaller place wins, among masses of duplicates") {
    for (const std::size_t columns : {1, 3, 8}) {
        Stream stream(columns, 2);
        const auto coarse = [&] { return static_cast<double>(stream.below(3)); };
        const auto queries = drawn<double>(5 * columns, coarse);
        for (const std::size_t k : {1, 6, 40, 300}) {
            for_every_distance(drawn<double>(300 * columns, coarse), queries, columns, k);
            for_every_distance(drawn<float>(300 * columns, coarse), queries, columns, k);
        }
    }
}

TEST("a tree above parts, which many rows have, answers like one without") {
    Stream stream(0, 3);
    const std::size_t columns = 3, n = 20000;
    auto rows = drawn<double>(n * columns, [&] { return stream.normal(); });
    for (std::size_t i = 0; i < n / 2; ++i) // half of them are one point, which fills its part
        rows[i * columns] = rows[i * columns + 1] = rows[i * columns + 2] = 0.25;
    const auto queries = drawn<double>(40 * columns, [&] { return stream.normal(); });
    agrees_with_the_definition<Euclidean, double>(rows, queries, columns, 5, 2);
    agrees_with_the_definition<Euclidean, double>(std::vector<double>(n * columns, 3.0), queries, columns, 5, 2);
    agrees_with_the_definition<Manhattan, float>(std::vector<float>(rows.begin(), rows.end()), queries, columns, 5, 1);
}

TEST("heavy tails, far offsets and extreme sizes change nothing") {
    Stream stream(0, 4);
    for (const double unit : {1e-200, 1e-150, 1e-30, 1.0, 1e30, 1e149})
        for (const double offset : {0.0, 1.0}) {
            const auto cell = [&] { return offset * unit + 1e-5 * unit * stream.normal(); };
            for_every_distance(drawn<double>(200 * 2, cell), drawn<double>(6 * 2, cell), 2, 3);
        }
    const auto heavy = [&] { return std::pow(stream.normal(), 25); };
    for_every_distance(drawn<double>(5000 * 2, heavy), drawn<double>(6 * 2, heavy), 2, 3);
    for (const double unit : {1e-35, 1e35}) {
        const auto cell = [&] { return unit * stream.normal(); };
        for_every_distance(drawn<float>(200 * 2, cell), drawn<double>(6 * 2, cell), 2, 3);
    }
    std::vector<double> rows(10000 * 2, 1e-3); // what is far beyond every sample
    rows[77] = 1e150;
    rows[99] = -1e150;
    for_every_distance(rows, {1e-3, 1e-3, 1e150, 0, -1e150, 1e-3}, 2, 3);
}

TEST("absurd queries have infinite distances and the first places") {
    const Answers answers = ask<Euclidean, double>({1, 2, 3}, {1e300, -1e300}, 1, 2, 2, 1);
    CHECK(answers.place == std::vector<std::int64_t>({0, 1, 0, 1}));
    CHECK(std::isinf(answers.distance[0]) && answers.distance[0] > 0);
}

TEST("the tree and its answers do not depend on the number of threads, nor answers on the size of leaves") {
    Stream stream(0, 5);
    const auto rows = drawn<double>(30000 * 4, [&] { return std::floor(50 * stream.normal()) / 50; });
    const auto queries = drawn<double>(200 * 4, [&] { return stream.normal(); });
    const Answers one = ask<Euclidean, double>(rows, queries, 4, 7, 2, 1);
    CHECK(one == ask<Euclidean, double>(rows, queries, 4, 7, 2, 2));
    CHECK(one == ask<Euclidean, double>(rows, queries, 4, 7, 2, 5));
    CHECK(one.place == ask<Euclidean, double>(rows, queries, 4, 7, 2, 2, 100).place);
    CHECK(one.looked_at > 0 && one.looked_at < 0.05);
}

TEST("every row stands in one leaf, inside every box above it, and no way down is too long") {
    Monitor monitor;
    Stream stream(0, 6);
    for (const std::size_t n : {1, 15, 16, 17, 300, 5000, 40000}) {
        const auto rows = drawn<double>(n * 2, [&] { return std::floor(30 * stream.normal()); });
        const auto grown = kd::build<double>(rows.data(), n, 2, 16, 3, monitor);
        std::vector<int> seen(n);
        const auto visit = [&](const auto& self, std::size_t node, std::vector<std::vector<float>> boxes) -> void {
            CHECK(boxes.size() < kd::deepest);
            for (std::size_t c = 0; c < kd::fan; ++c) {
                const std::size_t at = node * kd::fan + c;
                const std::int32_t size = grown.size.get()[at], first = grown.first.get()[at];
                auto above = boxes;
                above.emplace_back();
                for (std::size_t j = 0; j < 4; ++j)
                    above.back().push_back(grown.boxes.get()[(node * 4 + j) * kd::fan + c]);
                if (size == kd::is_node)
                    self(self, static_cast<std::size_t>(first), above);
                for (std::int32_t b = first; b < first + size; ++b)
                    for (std::size_t l = 0; l < kd::block_rows; ++l) {
                        const std::size_t block = static_cast<std::size_t>(b);
                        const std::int32_t place = grown.place.get()[block * kd::block_rows + l];
                        if (place >= 0)
                            ++seen[static_cast<std::size_t>(place)];
                        for (const auto& box : above)
                            for (std::size_t j = 0; j < 2; ++j) {
                                const float cell = grown.sketch.get()[(block * 2 + j) * kd::block_rows + l];
                                CHECK(box[2 * j] <= cell && cell <= box[2 * j + 1]);
                            }
                    }
            }
        };
        visit(visit, 0, {});
        CHECK(seen == std::vector<int>(n, 1));
    }
}

TEST("all rows within a radius are found, those at the very radius too") {
    Monitor monitor;
    Stream stream(0, 7);
    const auto rows = drawn<double>(900 * 2, [&] { return static_cast<double>(stream.below(12)); });
    const std::vector<double> queries{3, 4, 0, 0, 40, 40};
    const auto grown = kd::build<double>(rows.data(), 900, 2, 16, 2, monitor);
    const kd::Tree tree = kd::view(grown);
    const auto found =
        kd::within<Euclidean>(tree, kd::comparing<Euclidean, double>(tree), queries.data(), 3, 5.0, 2, 2, monitor);
    CHECK(found.start.size() == 4 && found.start[0] == 0 && found.start[2] == found.start[3]);
    for (std::size_t q = 0; q < 3; ++q) {
        std::size_t at = static_cast<std::size_t>(found.start[q]);
        for (const Found& one : sorted<Euclidean, double>(rows, queries.data() + 2 * q, 2, 2))
            if (one.distance <= 25) {
                CHECK(found.place[at] == one.row && found.distance[at] == std::sqrt(one.distance));
                ++at;
            }
        CHECK(at == static_cast<std::size_t>(found.start[q + 1]));
    }
}

TEST("plain instructions find what the best ones find") {
    Monitor monitor;
    Stream stream(0, 8);
    const auto rows = drawn<double>(3000 * 3, [&] { return stream.normal(); });
    const auto grown = kd::build<double>(rows.data(), 3000, 3, 16, 1, monitor);
    const kd::Tree tree = kd::view(grown);
    using Norm = kd::NormFor<Euclidean, SumOfSquares>;
    const auto sieve = kd::sieve_for(tree, Norm{{}, 2, 1});
    kd::QueryState<Norm> state(tree, sieve, kd::comparing<Euclidean, double>(tree), 2, 5);
    for (int again = 0; again < 50; ++again) {
        const auto query = drawn<double>(3, [&] { return stream.normal(); });
        state.sketched.draw(query.data());
        Nearest one(5), other(5);
        const auto looked_at = kd::plain::Level::nearest<Norm, 3>(state, query.data(), one);
        kd::on_best_level(
            [&]<class Level>() { CHECK((Level::template nearest<Norm, 0>(state, query.data(), other)) == looked_at); });
        for (std::size_t i = 0; i < 5; ++i)
            CHECK(one.sorted()[i].row == other.sorted()[i].row &&
                  one.sorted()[i].distance == other.sorted()[i].distance);
    }
}

TEST("the smaller half comes first, whatever the numbers and however many") {
    Stream stream(0, 9);
    for (const std::size_t n : {1, 2, 3, 10, 41, 500})
        for (const std::uint64_t range : {1, 3, 1000000})
            for (const std::size_t first : {std::size_t{0}, std::size_t{1}, n / 2, n - 1, n}) {
                std::vector<kd::Keyed> numbers;
                for (std::uint32_t i = 0; i < n; ++i)
                    numbers.push_back(kd::keyed(static_cast<float>(stream.below(range)) - 2, i));
                auto sorted = numbers;
                std::sort(sorted.begin(), sorted.end());
                kd::select(numbers.data(), n, first);
                const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(first);
                std::sort(numbers.begin(), middle);
                std::sort(middle, numbers.end());
                CHECK(numbers == sorted);
                for (std::size_t i = 1; i < n; ++i)
                    CHECK(kd::key_of(sorted[i - 1]) <= kd::key_of(sorted[i]));
            }
    CHECK(kd::key_of(kd::keyed(-1.5f, 7)) == -1.5f && kd::row_of(kd::keyed(-1.5f, 7)) == 7);
}
