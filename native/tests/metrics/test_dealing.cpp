// margin/metrics/dealing.hpp
#include "check.hpp"
#include "margin/metrics/dealing.hpp"
#include <numeric>

using namespace margin;
using namespace margin::metrics;

// numpy.random.PCG64(7).state, and what default_rng(7) makes of it
const std::array<std::uint64_t, 4> seven{0x9d0aecc4e7b18891, 0x9ae2415a6b292038, 0xc4751896ce8acebf,
                                         0x66887f5ac070d959};

TEST("rows are shuffled as NumPy shuffles them") {
    Monitor monitor;
    const auto rows = shuffled_rows<std::uint32_t>(Pcg64(seven), 10, monitor);
    const std::vector<std::uint32_t> expected{8, 0, 7, 1, 3, 6, 2, 4, 5, 9};
    CHECK(std::equal(rows.begin(), rows.end(), expected.begin(), expected.end()));
    const auto wide = shuffled_rows<std::uint64_t>(Pcg64(seven), 10, monitor);
    CHECK(std::equal(wide.begin(), wide.end(), expected.begin(), expected.end()));
    for (const std::size_t n : {0, 1, 2, 255, 256, 257, 258, 300'000}) {
        auto all = shuffled_rows<std::uint32_t>(Pcg64(seven), n, monitor);
        std::sort(all.begin(), all.end());
        for (std::size_t i = 0; i < n; ++i)
            CHECK(all[i] == i);
    }
}

TEST("rows are dealt group after group, in the order in which they were shuffled") {
    Monitor monitor;
    const std::vector<std::uint8_t> group{0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
    const Cards<std::uint8_t> cards{seven, group.data(), 10, {0, 5}};
    const auto shuffled = shuffled_rows<std::uint32_t>(Pcg64(seven), 10, monitor);
    std::vector<std::size_t> sorted(shuffled.begin(), shuffled.end());
    std::stable_sort(sorted.begin(), sorted.end(), [&](auto a, auto b) { return group[a] < group[b]; });
    std::vector<std::uint8_t> fold_of(10), is_held(10);
    deal_folds(cards, 3, fold_of.data(), monitor);
    const std::vector<std::int64_t> held{2, 1};
    deal_held(cards, held.data(), is_held.data(), monitor);
    for (std::size_t place = 0; place < 10; ++place) {
        CHECK(fold_of[sorted[place]] == place % 3);
        CHECK(is_held[sorted[place]] == (place < 2 || place == 5));
    }
}

TEST("the rows of a fold and the others are written in order, by any number of threads, into lists that just fit") {
    Monitor monitor;
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{5}, std::size_t{400'003}})
        for (const std::int64_t every : {1, 2, 5}) {
            std::vector<std::int64_t> fold_of(n), in, out;
            for (std::size_t i = 0; i < n; ++i) {
                fold_of[i] = static_cast<std::int64_t>(i * i) % every;
                (fold_of[i] == 0 ? in : out).push_back(static_cast<std::int64_t>(i));
            }
            for (const std::size_t threads : {1, 3}) {
                std::vector<std::int64_t> train(out.size()), test(in.size());
                separate<std::int64_t>(fold_of.data(), n, 0, train.data(), test.data(), threads, monitor);
                CHECK(train == out && test == in);
            }
        }
}
