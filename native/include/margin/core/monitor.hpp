#pragma once
// How far a kernel has come, and how it is told to stop.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <thread>
#include <utility>

namespace margin {

/// Thrown out of a kernel whose monitor was cancelled. Whatever the kernel was filling is to be thrown away.
struct Cancelled : std::exception {
    const char* what() const noexcept override { return "cancelled"; }
};

/// A progress counter and a cancel flag for one run of a kernel that may take longer than 0.2 s.
///
/// Any thread may step(), cancel() and read. The poll callback asks the outside world whether to stop (a pending
/// Ctrl-C, say); only the thread that is listening runs it, at most every `poll_interval`, so that poll() may stand
/// in an inner loop (about 25 ns) and may be called from every worker (a comparison in all the others).
///
/// A kernel steps once per piece of work of at most 100 ms, and checks as often:
///     monitor.expect(n_trees);
///     parallel_for(n_trees, 1, n_threads, monitor, [&](auto begin, auto end, auto) { …; monitor.step(end - begin); });
class Monitor {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds poll_interval{20};

    Monitor() = default;
    explicit Monitor(std::function<bool()> poll) { listen(std::move(poll)); }
    Monitor(const Monitor&) = delete;
    Monitor& operator=(const Monitor&) = delete;

    /// Make this thread the one that runs `poll`. A monitor belongs to one run at a time: throws std::logic_error
    /// while another run listens.
    void listen(std::function<bool()> poll);

    /// The run is over: forget the callback; counter and flag stay.
    void leave() noexcept;

    /// The number of steps that make the whole; may grow while the kernel runs.
    void expect(std::size_t total) noexcept { total_.store(total, std::memory_order_relaxed); }
    void step(std::size_t n = 1) noexcept { done_.fetch_add(n, std::memory_order_relaxed); }
    std::size_t done() const noexcept { return done_.load(std::memory_order_relaxed); }
    std::size_t total() const noexcept { return total_.load(std::memory_order_relaxed); }

    void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }
    bool cancelled() const noexcept { return cancelled_.load(std::memory_order_relaxed); }

    /// Ask the outside world, if this is the listening thread and the last time is long enough ago.
    void poll();

    /// Poll, and throw Cancelled if the run is to stop.
    void check();

private:
    // The counter is written by all workers; the rest is read by all of them: not in one cache line.
    alignas(64) std::atomic<std::size_t> done_{0};
    alignas(64) std::atomic<bool> cancelled_{false};
    std::atomic<std::size_t> total_{0};
    std::atomic<bool> listening_{false};
    std::function<bool()> poll_;
    std::thread::id owner_;
    Clock::time_point next_poll_{};
};

} // namespace margin
