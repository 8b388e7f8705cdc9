#pragma once
// Work on all cores: parallel_for, and reduce_in_order for sums that must not depend on the number of threads.
//
// There is one pool for the whole process (pool.hpp) and no OpenMP: two OpenMP runtimes in one process, or a fork after
// one of them has started, are the field's classic hang.
#include "cpus.hpp"
#include "monitor.hpp"
#include "pool.hpp"
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

namespace margin {

namespace detail {
inline constinit std::atomic<std::size_t> default_threads{0};
} // namespace detail

/// The number of threads that stands behind `n_threads == 0`: what set_threads said, else cpus::allowed().
inline std::size_t threads() {
    std::size_t count = detail::default_threads.load(std::memory_order_relaxed);
    if (count == 0) {
        count = std::min(cpus::allowed(), pool::most_threads);
        detail::default_threads.store(count, std::memory_order_relaxed);
    }
    return count;
}

/// Choose that number for the whole process; 0 asks the environment, the affinity and the quota again.
inline void set_threads(std::size_t n) {
    detail::default_threads.store(std::min(n, pool::most_threads), std::memory_order_relaxed);
}

/// The number of different workers that parallel_for with the same arguments can have: one scratch space for each.
inline std::size_t n_workers(std::size_t n_items, std::size_t grain, std::size_t n_threads) {
    if (pool::inside || n_items == 0)
        return 1;
    const std::size_t n_chunks = (n_items - 1) / std::max<std::size_t>(grain, 1) + 1;
    return std::min({n_threads == 0 ? threads() : n_threads, n_chunks, pool::most_threads});
}

/// Call body(begin, end, worker) for every chunk [k grain, min((k + 1) grain, n_items)), on up to `n_threads` threads,
/// this one included; 0 stands for threads().
///
/// - Chunks are the same for any number of threads, one thread included. Whoever is free takes the next one, in
///   ascending order: a slow or preempted thread delays one chunk, not its share of the whole. Choose the grain so that
///   a chunk takes between about 20 µs (waking a helper costs 40) and 100 ms (the time to a Ctrl-C).
/// - `worker` is below n_workers(n_items, grain, n_threads), and no two threads have the same one at a time. The caller
///   is worker 0.
/// - The caller polls the monitor between its chunks and while it waits for the last ones of others. A cancelled
///   monitor ends the loop after the chunks in hand, with Cancelled.
/// - An exception in a body ends the loop likewise, and reaches the caller when no thread is in a body any more. Of
///   several, the first.
/// - Called from inside a body (of any loop), it runs inline, on this thread alone.
/// - May be called from several threads at once, and in a forked child. Bodies must not fork.
template <class Body>
void parallel_for(std::size_t n_items, std::size_t grain, std::size_t n_threads, Monitor& monitor, Body&& body) {
    monitor.check();
    if (n_items == 0)
        return;
    grain = std::max<std::size_t>(grain, 1);
    using Function = std::remove_reference_t<Body>;
    pool::Job job(n_items, grain, n_workers(n_items, grain, n_threads) - 1, monitor,
                  const_cast<void*>(static_cast<const volatile void*>(std::addressof(body))),
                  [](void* f, std::size_t begin, std::size_t end, std::size_t worker) {
                      (*static_cast<Function*>(f))(begin, end, worker);
                  });
    pool::run(job);
}

/// Sums, histograms and the like with the same result, to the last bit, for any number of threads.
///
/// The items are cut into blocks of `block` items, which must be a constant of the kernel and never depend on the
/// number of threads. Each block gets a fresh partial result part = make(), is added to it by add_block(part, begin,
/// end), and is brought in by combine(total, std::move(part)), block after block in ascending order, starting from
/// total = make(). Rounding then happens in one order only.
///
/// Blocks are combined as soon as all before them are, one at a time: let make and combine be cheap beside add_block.
/// Usually about as many partial results as threads are alive at once.
template <class Make, class AddBlock, class Combine>
auto reduce_in_order(std::size_t n_items, std::size_t block, std::size_t n_threads, Monitor& monitor, Make&& make,
                     AddBlock&& add_block, Combine&& combine) {
    using Partial = std::decay_t<std::invoke_result_t<Make&>>;
    block = std::max<std::size_t>(block, 1);
    Partial total = make();
    std::map<std::size_t, Partial> early; // finished, but one before them is not
    std::size_t n_combined = 0;
    std::mutex mutex;
    parallel_for(n_items, block, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        Partial part = make();
        add_block(part, begin, end);
        const std::lock_guard lock(mutex);
        early.emplace(begin / block, std::move(part));
        for (auto first = early.begin(); first != early.end() && first->first == n_combined; first = early.begin()) {
            combine(total, std::move(first->second));
            early.erase(first);
            ++n_combined;
        }
    });
    return total;
}

} // namespace margin
