// What of threads.hpp does not know what is worked on: compiled once, where each of its loops is an instance of its own.
#include "margin/core/threads.hpp"

namespace margin {

std::size_t n_workers(std::size_t n_items, std::size_t grain, std::size_t n_threads) {
    if (pool::inside || n_items == 0)
        return 1;
    const std::size_t n_chunks = (n_items - 1) / std::max<std::size_t>(grain, 1) + 1;
    return std::min({n_threads == 0 ? threads() : n_threads, n_chunks, pool::most_threads});
}

void detail::for_chunks(std::size_t n_items, std::size_t grain, std::size_t n_threads, Monitor& monitor, void* body,
                        void (*call)(void* body, std::size_t begin, std::size_t end, std::size_t worker)) {
    monitor.check();
    if (n_items == 0)
        return;
    grain = std::max<std::size_t>(grain, 1);
    pool::Job job(n_items, grain, n_workers(n_items, grain, n_threads) - 1, monitor, body, call);
    pool::run(job);
}

} // namespace margin
