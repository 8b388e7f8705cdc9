// margin/metrics/dealing.hpp
#include "check.hpp"
#include "margin/metrics/dealing.hpp"
#include <numeric>

using namespace margin;
using namespace margin::metrics;

TEST("rows are dealt group after group, in the order in which they were shuffled") {
    Monitor monitor;
    const std::vector<std::int64_t> shuffled{4, 0, 3, 1, 2};
    const std::vector<std::uint8_t> group{0, 1, 0, 1, 0}; // sorted by group: 4 0 2 | 3 1
    const Cards<std::uint8_t> cards{shuffled.data(), group.data(), 5, {0, 3}};
    std::vector<std::uint8_t> fold_of(5), is_held(5);
    deal_folds(cards, 2, fold_of.data(), monitor);
    CHECK(fold_of == std::vector<std::uint8_t>{1, 0, 0, 1, 0});
    const std::vector<std::int64_t> held{2, 1};
    deal_held(cards, held.data(), is_held.data(), monitor);
    CHECK(is_held == std::vector<std::uint8_t>{1, 0, 0, 1, 1});
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
