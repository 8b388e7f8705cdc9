#pragma once
// The threads behind threads.hpp: one pool for the whole process, made on first use and again after a fork.
//
// A job is a row of chunks and an atomic counter. The thread that asks for it works on it too, and idle threads of the
// pool take a seat at whichever open job has the fewest; the caller therefore never waits for a thread to become free,
// only (at the end) for the chunks that others have already begun. Several callers at once need no further rule.
#include "monitor.hpp"
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>

namespace margin::pool {

/// No call gets more threads than this, whatever it asks for.
inline constexpr std::size_t most_threads = 512;

/// Whether this thread is working on a chunk: what it calls then runs inline.
inline thread_local bool inside = false;

/// One parallel_for; lives on the stack of its caller.
struct Job {
    Job(std::size_t n_items_, std::size_t grain_, std::size_t seats_, Monitor& monitor_, void* body_,
        void (*call_)(void*, std::size_t, std::size_t, std::size_t))
        : n_items(n_items_), grain(grain_), n_chunks((n_items_ - 1) / grain_ + 1), seats(seats_), monitor(monitor_),
          body(body_), call(call_) {}

    const std::size_t n_items, grain, n_chunks;
    const std::size_t seats; // for helpers; the caller needs none
    Monitor& monitor;
    void* const body;
    void (*const call)(void* body, std::size_t begin, std::size_t end, std::size_t worker);

    alignas(64) std::atomic<std::size_t> next_chunk{0};
    alignas(64) std::atomic<bool> failed{false};
    std::size_t taken = 0;            // seats ever taken; guarded by the pool's mutex
    std::atomic<std::size_t> busy{0}; // helpers at work; written under the pool's mutex
    std::condition_variable idle;     // busy fell to 0
    std::mutex error_mutex;
    std::exception_ptr error; // the first one

    bool open() const noexcept { return taken < seats && next_chunk.load(std::memory_order_relaxed) < n_chunks; }

    void fail() noexcept;
    /// Take chunks until none is left or the job is to stop.
    void work(std::size_t worker) noexcept;

    void poll() noexcept;
};

/// Work on a job with the help of the pool until it is done, has failed or is cancelled, and no one is in it any more.
void run(Job& job);

} // namespace margin::pool
