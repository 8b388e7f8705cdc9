// margin/core/pool.hpp: a forked child has a pool of its own, whatever the parent's was doing.
#include "check.hpp"
#include "margin/core/threads.hpp"

using namespace margin;
using namespace std::chrono_literals;

namespace {

/// Sum of 1 … n on four threads, each chunk of which takes a moment, so that all of them come to work.
std::size_t busy_sum(std::size_t n, Monitor& monitor) {
    std::atomic<std::size_t> total{0};
    parallel_for(n, 1, 4, monitor, [&](std::size_t begin, std::size_t, std::size_t) {
        std::this_thread::sleep_for(200us);
        total += begin + 1;
    });
    return total;
}

void use_the_pool() {
    Monitor monitor;
    CHECK(busy_sum(100, monitor) == 5050);
}

} // namespace

TEST("a child can use the pool that its parent never used") { CHECK(check::in_child(use_the_pool) == 0); }

TEST("a child can use the pool after its parent did") {
    use_the_pool();
    CHECK(check::in_child(use_the_pool) == 0);
    use_the_pool();
}

TEST("a fork while the pool is busy harms neither side") {
    Monitor monitor;
    std::thread busy([&] {
        try {
            busy_sum(1000000, monitor);
        } catch (const Cancelled&) {
        }
    });
    for (int round = 0; round < 10; ++round) {
        std::this_thread::sleep_for(2ms);
        CHECK(check::in_child(use_the_pool) == 0);
    }
    use_the_pool();
    monitor.cancel();
    busy.join();
}

TEST("forks while other threads start and end loops as fast as they can do not hang") {
    std::atomic<bool> enough{false};
    std::vector<std::thread> callers;
    for (int c = 0; c < 2; ++c)
        callers.emplace_back([&] {
            while (!enough) {
                Monitor monitor;
                parallel_for(8, 1, 3, monitor, [](std::size_t, std::size_t, std::size_t) {});
            }
        });
    int failed = 0;
    for (int round = 0; round < 30; ++round)
        failed += check::in_child(use_the_pool) != 0;
    enough = true;
    for (auto& caller : callers)
        caller.join();
    CHECK(failed == 0);
}

TEST("a grandchild can use the pool too") {
    CHECK(check::in_child([] {
              use_the_pool();
              CHECK(check::in_child(use_the_pool) == 0);
              use_the_pool();
          }) == 0);
}

TEST("a child that is born in a poll gets an error instead of waiting for helpers that it does not have") {
    int child_ended = -1;
    Monitor monitor([&] {
        if (child_ended >= 0)
            return false;
        const pid_t child = fork();
        if (child == 0) {
            alarm(20);
            return false;
        }
        waitpid(child, &child_ended, 0);
        return false;
    });
    const pid_t parent = getpid();
    try {
        busy_sum(500, monitor);
    } catch (const std::runtime_error&) {
        if (getpid() != parent)
            _exit(7);
        throw;
    }
    if (getpid() != parent)
        _exit(8);
    CHECK(WIFEXITED(child_ended) && WEXITSTATUS(child_ended) == 7);
}
