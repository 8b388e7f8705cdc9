// margin/core/threads.hpp: chunks, workers, failures, nesting, callers side by side, sums in order.
#include "check.hpp"
#include "margin/core/threads.hpp"
#include <set>

using namespace margin;
using namespace std::chrono_literals;

namespace {

struct Chunk {
    std::size_t begin, end;
    auto operator<=>(const Chunk&) const = default;
};

std::set<Chunk> chunks(std::size_t n, std::size_t grain, std::size_t n_threads) {
    Monitor monitor;
    std::mutex mutex;
    std::set<Chunk> seen;
    parallel_for(n, grain, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        const std::lock_guard lock(mutex);
        CHECK(seen.insert({begin, end}).second);
    });
    return seen;
}

/// Numbers whose sum depends on the order of additions.
double awkward(std::size_t i) { return (i % 3 ? 1.0 : -1.0) / (1.0 + static_cast<double>(i * 2654435761u % 1000003)); }

double sum(std::size_t n, std::size_t block, std::size_t n_threads) {
    Monitor monitor;
    return reduce_in_order(
        n, block, n_threads, monitor, [] { return 0.0; },
        [](double& part, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                part += awkward(i);
        },
        [](double& total, double part) { total += part; });
}

} // namespace

TEST("ten items in chunks of four are cut at four and eight") {
    CHECK(chunks(10, 4, 1) == std::set<Chunk>{{0, 4}, {4, 8}, {8, 10}});
}

TEST("chunks do not depend on the number of threads") {
    for (std::size_t n : {1, 2, 7, 64, 1000})
        for (std::size_t grain : {1, 3, 64, 5000})
            for (std::size_t n_threads : {0, 2, 3, 7})
                CHECK(chunks(n, grain, n_threads) == chunks(n, grain, 1));
}

TEST("no items call no body") { CHECK(chunks(0, 4, 3).empty()); }

TEST("a grain of nought means one") { CHECK(chunks(2, 0, 2) == chunks(2, 1, 1)); }

TEST("a grain beyond all bounds is one chunk") { CHECK(chunks(5, SIZE_MAX, 3) == std::set<Chunk>{{0, 5}}); }

TEST("several threads really take part, and none shares its worker number with another") {
    Monitor monitor;
    const std::size_t n_threads = 4;
    CHECK(n_workers(100, 1, n_threads) == n_threads);
    std::vector<std::atomic<int>> inside(n_threads);
    std::mutex mutex;
    std::set<std::thread::id> ids;
    const auto caller = std::this_thread::get_id();
    const auto all_came = [&] {
        const std::lock_guard lock(mutex);
        return ids.insert(std::this_thread::get_id()).first != ids.end() && ids.size() == n_threads;
    };
    parallel_for(100, 1, n_threads, monitor, [&](std::size_t, std::size_t, std::size_t worker) {
        CHECK(worker < n_threads);
        CHECK(inside[worker].fetch_add(1) == 0);
        CHECK((worker == 0) == (std::this_thread::get_id() == caller));
        for (int i = 0; i < 10000 && !all_came(); ++i) // on a busy machine a thread may need a while to come
            std::this_thread::sleep_for(1ms);
        inside[worker].fetch_sub(1);
    });
    CHECK(ids.size() == n_threads);
    CHECK(ids.contains(caller));
}

TEST("a slow thread delays one chunk, not a share of them") {
    Monitor monitor;
    std::array<std::atomic<int>, 2> taken{};
    parallel_for(41, 1, 2, monitor, [&](std::size_t begin, std::size_t, std::size_t worker) {
        std::this_thread::sleep_for(begin == 0 ? 60ms : 1ms);
        ++taken[worker];
    });
    CHECK(taken[0] + taken[1] == 41);
    CHECK(std::min(taken[0].load(), taken[1].load()) < 15);
}

TEST("there are never more workers than chunks, and always one") {
    CHECK(n_workers(10, 4, 100) == 3);
    CHECK(n_workers(0, 4, 8) == 1);
    CHECK(n_workers(1000000, 1, 1000000) == pool::most_threads);
}

TEST("an exception reaches the caller after every body has ended") {
    for (std::size_t n_threads : {1, 2, 5}) {
        Monitor monitor;
        std::atomic<int> inside{0}, done{0};
        CHECK_THROWS(std::out_of_range,
                     parallel_for(1000, 1, n_threads, monitor, [&](std::size_t begin, std::size_t, std::size_t) {
                         ++inside;
                         std::this_thread::sleep_for(1ms);
                         --inside;
                         if (begin == 7)
                             throw std::out_of_range("seven");
                         ++done;
                     }));
        CHECK(inside == 0);
        CHECK(done < 100);
    }
    CHECK(chunks(100, 1, 3).size() == 100); // and the pool is as good as before
}

TEST("every body may throw at once") {
    Monitor monitor;
    CHECK_THROWS(std::runtime_error, parallel_for(100, 1, 6, monitor, [](std::size_t, std::size_t, std::size_t) {
                     std::this_thread::sleep_for(1ms);
                     throw std::runtime_error("each");
                 }));
}

TEST("a loop inside a loop stays on its thread") {
    Monitor monitor;
    std::atomic<int> items{0};
    parallel_for(8, 1, 4, monitor, [&](std::size_t, std::size_t, std::size_t) {
        const auto here = std::this_thread::get_id();
        CHECK(n_workers(100, 1, 4) == 1);
        parallel_for(100, 7, 4, monitor, [&](std::size_t begin, std::size_t end, std::size_t worker) {
            CHECK(std::this_thread::get_id() == here);
            CHECK(worker == 0);
            items += static_cast<int>(end - begin);
        });
    });
    CHECK(items == 800);
    CHECK(n_workers(100, 1, 4) == 4); // outside again
}

TEST("an exception inside a loop inside a loop comes all the way out") {
    Monitor monitor;
    CHECK_THROWS(std::domain_error, parallel_for(4, 1, 2, monitor, [&](std::size_t, std::size_t, std::size_t) {
                     parallel_for(4, 1, 2, monitor,
                                  [](std::size_t, std::size_t, std::size_t) { throw std::domain_error("deep"); });
                 }));
}

TEST("callers side by side neither wait for ever nor mix up their work") {
    std::vector<std::thread> callers;
    std::atomic<int> wrong{0};
    for (std::size_t c = 0; c < 6; ++c)
        callers.emplace_back([c, &wrong] {
            for (std::size_t round = 0; round < 100; ++round) {
                Monitor monitor;
                std::atomic<std::size_t> total{0};
                const std::size_t n = 50 + c * 10 + round;
                parallel_for(n, 3, 1 + (c + round) % 4, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
                    for (std::size_t i = begin; i < end; ++i)
                        total += i + 1;
                });
                wrong += total != n * (n + 1) / 2;
            }
        });
    for (auto& caller : callers)
        caller.join();
    CHECK(wrong == 0);
}

TEST("what bodies wrote is there for the caller to read") {
    Monitor monitor;
    for (int round = 0; round < 200; ++round) {
        std::vector<int> squares(100);
        parallel_for(100, 5, 3, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
            for (std::size_t i = begin; i < end; ++i)
                squares[i] = static_cast<int>(i * i);
        });
        for (std::size_t i = 0; i < 100; ++i)
            CHECK(squares[i] == static_cast<int>(i * i));
    }
}

TEST("set_threads chooses what nought stands for, and nought asks again") {
    const std::size_t before = threads();
    CHECK(before >= 1);
    set_threads(3);
    CHECK(threads() == 3);
    CHECK(n_workers(100, 1, 0) == 3);
    set_threads(0);
    CHECK(threads() == before);
}

TEST("a sum in order is the sum of the sums of its blocks") {
    double by_hand = 0;
    for (std::size_t begin = 0; begin < 1000; begin += 64) {
        double part = 0;
        for (std::size_t i = begin; i < std::min<std::size_t>(begin + 64, 1000); ++i)
            part += awkward(i);
        by_hand += part;
    }
    CHECK(sum(1000, 64, 1) == by_hand);
}

TEST("a sum in order has the same bits for 1, 2, 3 and 7 threads") {
    const double once = sum(200003, 100, 1);
    CHECK(once != sum(200003, 1000, 1)); // the data can tell orders apart
    for (std::size_t n_threads : {2, 3, 7})
        for (int repeat = 0; repeat < 5; ++repeat)
            CHECK(sum(200003, 100, n_threads) == once);
}

TEST("blocks are combined in ascending order even if the first is the slowest") {
    Monitor monitor;
    const auto order = reduce_in_order(
        60, 3, 4, monitor, [] { return std::vector<std::size_t>(); },
        [](std::vector<std::size_t>& part, std::size_t begin, std::size_t) {
            std::this_thread::sleep_for(begin == 0 ? 20ms : 0ms);
            part.push_back(begin);
        },
        [](std::vector<std::size_t>& total, std::vector<std::size_t>&& part) {
            total.insert(total.end(), part.begin(), part.end());
        });
    CHECK(order.size() == 20);
    CHECK(std::is_sorted(order.begin(), order.end()));
}

/// Who was joined with whom, in brackets: by the definition, from the whole down.
std::string shape(std::size_t first, std::size_t last, std::size_t width) {
    if (last - first == 1)
        return std::to_string(first);
    while (width / 2 >= last - first)
        width /= 2; // a part without a partner went up as it was
    const std::size_t middle = first + width / 2;
    return middle >= last ? shape(first, last, width / 2)
                          : "(" + shape(first, middle, width / 2) + shape(middle, last, width / 2) + ")";
}

TEST("blocks are joined in pairs, pairs of pairs and so on, whoever is done first") {
    CHECK(shape(0, 5, 8) == "(((01)(23))4)");
    for (std::size_t n = 1; n <= 40; ++n)
        for (std::size_t n_threads : {1, 2, 5}) {
            Monitor monitor;
            const auto joined = reduce_in_order(
                3 * n - 1, 3, n_threads, monitor, [] { return std::string(); },
                [](std::string& part, std::size_t begin, std::size_t) { part = std::to_string(begin / 3); },
                [](std::string& left, std::string&& right) { left = "(" + left + right + ")"; });
            CHECK(joined == shape(0, n, 64));
        }
}

TEST("nothing to reduce gives the empty result") { CHECK(sum(0, 10, 4) == 0.0); }
