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
#include <optional>
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
std::size_t n_workers(std::size_t n_items, std::size_t grain, std::size_t n_threads);

namespace detail {

/// parallel_for without the type of its body.
void for_chunks(std::size_t n_items, std::size_t grain, std::size_t n_threads, Monitor& monitor, void* body,
                void (*call)(void* body, std::size_t begin, std::size_t end, std::size_t worker));

} // namespace detail

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
    using Function = std::remove_reference_t<Body>;
    detail::for_chunks(n_items, grain, n_threads, monitor,
                       const_cast<void*>(static_cast<const volatile void*>(std::addressof(body))),
                       [](void* f, std::size_t begin, std::size_t end, std::size_t worker) {
                           (*static_cast<Function*>(f))(begin, end, worker);
                       });
}

/// Parts joined in the shape of a binary tree over their numbers: 0 with 1, 2 with 3, then those pairs, and so on; a part
/// without a partner goes up as it is. So the way in which things are joined depends on their number alone, whoever
/// made them and in whatever order they come: threads now, and machines that each join what they own.
template <class Part>
class JoinedInPairs {
public:
    explicit JoinedInPairs(std::size_t n_parts) : n_parts_(n_parts) {}

    /// Hand in part `number`; join(left, std::move(right)) is called for every pair that is complete now, outside of
    /// any lock. May be called by several threads at once.
    template <class Join>
    void add(std::size_t number, Part part, Join& join) {
        for (std::size_t n = n_parts_, level = 0; n > 1; n = (n + 1) / 2, number /= 2, ++level) {
            if (number % 2 == 0 && number + 1 == n)
                continue; // no partner
            std::unique_lock lock(mutex_);
            auto partner = waiting_.extract({level, number ^ 1});
            if (partner.empty()) {
                waiting_.emplace(std::pair(level, number), std::move(part));
                return;
            }
            lock.unlock();
            if (number % 2 == 1)
                std::swap(part, partner.mapped());
            join(part, std::move(partner.mapped()));
        }
        whole_ = std::move(part);
    }

    /// All of them joined; nothing if there were none.
    std::optional<Part>& whole() noexcept { return whole_; }

private:
    std::size_t n_parts_;
    std::mutex mutex_;
    std::map<std::pair<std::size_t, std::size_t>, Part> waiting_; // by level and number there
    std::optional<Part> whole_;
};

/// Sums, histograms and the like with the same result, to the last bit, for any number of threads.
///
/// The items are cut into blocks of `block` items, which must be a constant of the kernel and never depend on the
/// number of threads. Each block gets a fresh partial result part = make() and is added to it by add_block(part, begin,
/// end). Partial results are joined in pairs (JoinedInPairs) by combine(left, std::move(right)). Rounding then happens
/// in one way only. make() must be what combining with changes nothing; it is the result of no items at all.
///
/// About as many partial results as threads, and one for each level of the tree, are alive at once.
template <class Make, class AddBlock, class Combine>
auto reduce_in_order(std::size_t n_items, std::size_t block, std::size_t n_threads, Monitor& monitor, Make&& make,
                     AddBlock&& add_block, Combine&& combine) {
    using Partial = std::decay_t<std::invoke_result_t<Make&>>;
    block = std::max<std::size_t>(block, 1);
    JoinedInPairs<Partial> joined(n_items / block + (n_items % block != 0));
    parallel_for(n_items, block, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        Partial part = make();
        add_block(part, begin, end);
        joined.add(begin / block, std::move(part), combine);
    });
    return joined.whole() ? std::move(*joined.whole()) : make();
}

} // namespace margin
