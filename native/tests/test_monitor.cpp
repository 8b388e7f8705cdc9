// margin/core/monitor.hpp: progress, cancelling, and who asks when.
#include "check.hpp"
#include "margin/core/threads.hpp"

using namespace margin;
using namespace std::chrono_literals;

namespace {

/// Milliseconds from the wish to stop until a loop with 20 ms chunks is over.
double time_to_stop(std::size_t n_threads, Monitor& monitor, const std::function<double()>& wished_at) {
    const check::Stopwatch watch;
    CHECK_THROWS(Cancelled, parallel_for(100000, 1, n_threads, monitor, [](std::size_t, std::size_t, std::size_t) {
                     std::this_thread::sleep_for(20ms);
                 }));
    return watch.milliseconds() - wished_at();
}

} // namespace

TEST("steps add up") {
    Monitor monitor;
    monitor.expect(10);
    monitor.step();
    monitor.step(3);
    CHECK(monitor.done() == 4);
    CHECK(monitor.total() == 10);
}

TEST("steps of many threads add up") {
    Monitor monitor;
    parallel_for(1000, 7, 4, monitor,
                 [&](std::size_t begin, std::size_t end, std::size_t) { monitor.step(end - begin); });
    CHECK(monitor.done() == 1000);
}

TEST("check throws only once cancelled") {
    Monitor monitor;
    monitor.check();
    monitor.cancel();
    CHECK(monitor.cancelled());
    CHECK_THROWS(Cancelled, monitor.check());
}

TEST("a cancelled monitor lets no loop begin") {
    Monitor monitor;
    monitor.cancel();
    bool called = false;
    CHECK_THROWS(Cancelled,
                 parallel_for(3, 1, 2, monitor, [&](std::size_t, std::size_t, std::size_t) { called = true; }));
    CHECK(!called);
}

TEST("the callback is asked about every 20 ms, not more often") {
    int asked = 0;
    Monitor monitor([&] { return ++asked, false; });
    const check::Stopwatch watch;
    while (watch.milliseconds() < 110)
        monitor.check();
    CHECK(asked >= 1); // a loaded machine may miss some
    CHECK(asked <= 5);
}

TEST("a short run asks nobody") {
    Monitor monitor([]() -> bool { throw std::runtime_error("asked"); });
    monitor.check();
}

TEST("only the listening thread runs the callback") {
    std::atomic<int> asked_elsewhere{0}, asked{0};
    const auto caller = std::this_thread::get_id();
    Monitor monitor([&] {
        ++asked;
        asked_elsewhere += std::this_thread::get_id() != caller;
        return false;
    });
    parallel_for(100, 1, 4, monitor, [&](std::size_t, std::size_t, std::size_t) {
        std::this_thread::sleep_for(4ms);
        monitor.check();
    });
    CHECK(asked > 0);
    CHECK(asked_elsewhere == 0);
}

TEST("a loop stops within 200 ms of the callback saying so") {
    for (std::size_t n_threads : {1, 2, 4}) {
        const check::Stopwatch watch;
        double wished = 0;
        Monitor monitor([&] {
            if (wished == 0 && watch.milliseconds() > 50)
                wished = watch.milliseconds();
            return wished > 0;
        });
        CHECK(time_to_stop(n_threads, monitor, [&] { return wished; }) < 200);
    }
}

TEST("a loop stops within 200 ms of another thread cancelling it") {
    for (std::size_t n_threads : {1, 2, 4}) {
        Monitor monitor;
        const check::Stopwatch watch;
        std::atomic<double> wished{0};
        std::thread other([&] {
            std::this_thread::sleep_for(50ms);
            wished = watch.milliseconds();
            monitor.cancel();
        });
        CHECK(time_to_stop(n_threads, monitor, [&] { return wished.load(); }) < 200);
        other.join();
    }
}

TEST("a caller that has no chunk left polls while it waits for the others") {
    std::atomic<int> asked{0};
    Monitor monitor([&] { return ++asked, false; });
    const auto caller = std::this_thread::get_id();
    std::atomic<bool> helped{false};
    parallel_for(2, 1, 2, monitor, [&](std::size_t, std::size_t, std::size_t) {
        if (std::this_thread::get_id() == caller) {
            for (int i = 0; i < 2000 && !helped; ++i) // leave the other chunk to the helper
                std::this_thread::sleep_for(1ms);
        } else {
            helped = true;
            std::this_thread::sleep_for(150ms);
        }
    });
    CHECK(helped);
    CHECK(asked >= 3);
}

TEST("an exception in the callback comes out of the loop") {
    Monitor monitor([]() -> bool { throw std::domain_error("asked"); });
    CHECK_THROWS(std::domain_error, parallel_for(1000, 1, 3, monitor, [](std::size_t, std::size_t, std::size_t) {
                     std::this_thread::sleep_for(1ms);
                 }));
}

TEST("a monitor watches one run at a time, and another one after it") {
    Monitor monitor;
    monitor.listen([] { return false; });
    CHECK_THROWS(std::logic_error, monitor.listen([] { return false; }));
    monitor.leave();
    monitor.listen([] { return true; });
}
