// pool.hpp is compiled once: every kernel that works in parallel calls it.
#include "margin/core/pool.hpp"
#include "margin/core/cpus.hpp"
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>
#if defined(__unix__) || defined(__APPLE__)
#define MARGIN_HAS_FORK 1
#include <pthread.h>
#include <signal.h>
#endif

namespace margin::pool {

namespace {

/// How many forks lie between the first process and this one.
constinit std::atomic<std::uint64_t> generation{0};

/// Look for `happened` without sleeping, for about as long as it takes to wake a thread (40 µs measured), so that loops
/// which follow one another closely find their helpers awake. It yields rather than pauses: on a core that others want,
/// a thread that pauses takes the time from the very thread it waits for. Two threads on 16 chunks of 1, 5 and 25 µs,
/// as multiples of the speed of one thread, medians of interleaved runs:
///                     sleep at once        pause                yield
///     free cores      0.82  1.11  1.60     1.41  1.95  1.96     1.13  1.92  1.98
///     load of 5 on 2  0.70  0.96  0.98     0.62  0.78  0.89     1.01  1.01  0.99
template <class Happened>
bool linger(Happened happened) {
    const auto until = Monitor::Clock::now() + std::chrono::microseconds(50);
    do {
        if (happened())
            return true;
        std::this_thread::yield();
    } while (Monitor::Clock::now() < until);
    return happened();
}

/// The threads and the jobs they may help with. Never destroyed: its threads sleep on it until the process is gone,
/// so that there is no order of destruction to get wrong at exit.
struct Pool {
    std::mutex mutex;
    std::condition_variable wake;
    std::vector<Job*> jobs; // guarded by the mutex, as are the next three
    std::size_t n_threads = 0;
    std::size_t n_lingering = 0;            // threads that look for a job without sleeping
    std::size_t n_cores = 0;                // 0: not yet asked
    std::atomic<std::uint64_t> n_opened{0}; // jobs so far; read without the mutex
    Pool* inherited = nullptr;              // the pool of the process that forked; its threads are not here

    void open(Job& job) {
        const std::lock_guard lock(mutex);
        if (n_cores == 0)
            n_cores = cpus::in_affinity();
        while (n_threads < job.seats && start_thread()) {
        }
        jobs.push_back(&job);
        n_opened.fetch_add(1, std::memory_order_relaxed);
        for (std::size_t i = n_lingering; i < job.seats; ++i)
            wake.notify_one();
    }

    /// Let no one else in and wait for those who are in, polling all the while.
    void close(Job& job, std::uint64_t born) {
        const auto alone = [&] { return job.busy.load(std::memory_order_relaxed) == 0; };
        std::unique_lock lock(mutex);
        std::erase(jobs, &job);
        if (!alone() && n_threads < n_cores) {
            lock.unlock();
            linger(alone);
            lock.lock(); // the last helper has left the job for good once it has given up the mutex
        }
        while (!alone()) {
            job.idle.wait_for(lock, Monitor::poll_interval);
            lock.unlock(); // the callback may take its time, and may even fork
            job.poll();
            if (generation.load() != born)
                return;
            lock.lock();
        }
    }

private:
    bool start_thread() {
#ifdef MARGIN_HAS_FORK
        // Signals are for the threads of the program. Those that report a fault of the thread itself stay open.
        sigset_t blocked, before;
        sigfillset(&blocked);
        for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP})
            sigdelset(&blocked, fault);
        pthread_sigmask(SIG_SETMASK, &blocked, &before);
#endif
        bool started = true;
        try {
            std::thread([this] { serve(); }).detach();
            ++n_threads;
        } catch (const std::system_error&) { // the system has no more threads for us: go on with those we have
            started = false;
        }
#ifdef MARGIN_HAS_FORK
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
#endif
        return started;
    }

    void serve() {
        inside = true;
        std::unique_lock lock(mutex);
        for (;;) {
            Job* job = least_helped();
            if (!job) {
                if (!find_awake(lock))
                    wake.wait(lock);
                continue;
            }
            const std::size_t worker = ++job->taken;
            job->busy.fetch_add(1, std::memory_order_relaxed);
            lock.unlock();
            job->work(worker);
            lock.lock();
            if (job->busy.fetch_sub(1, std::memory_order_relaxed) == 1)
                job->idle.notify_one(); // under the lock: the caller cannot take the job away before this is done
        }
    }

    /// Whether a job was opened while this thread lingered. Where threads outnumber cores, they would linger in each
    /// other's way.
    bool find_awake(std::unique_lock<std::mutex>& lock) {
        if (n_threads >= n_cores)
            return false;
        const std::uint64_t seen = n_opened.load(std::memory_order_relaxed);
        const auto opened = [&] { return n_opened.load(std::memory_order_relaxed) != seen; };
        ++n_lingering;
        lock.unlock();
        linger(opened);
        lock.lock();
        --n_lingering;
        return opened();
    }

    Job* least_helped() const {
        Job* best = nullptr;
        for (Job* job : jobs)
            if (job->open() &&
                (!best || job->busy.load(std::memory_order_relaxed) < best->busy.load(std::memory_order_relaxed)))
                best = job;
        return best;
    }
};

constinit std::atomic<Pool*> current{nullptr};

/// The pool of this process. No function-local static: a fork in the middle of its initialisation would leave the child
/// waiting for a thread that it does not have.
Pool& get() {
    Pool* pool = current.load(std::memory_order_acquire);
    if (pool)
        return *pool;
    auto* fresh = new Pool;
    if (current.compare_exchange_strong(pool, fresh, std::memory_order_acq_rel))
        return *fresh;
    delete fresh; // another thread was quicker; this one has no threads yet
    return *pool;
}

#ifdef MARGIN_HAS_FORK
/// In a forked child only the forking thread lives on. The parent's pool may have been in any state, its mutex locked
/// by a thread that is gone: never touch it again, and begin anew. The parent notices nothing.
void begin_anew_in_child() {
    generation.fetch_add(1);
    if (Pool* old = current.load()) {
        auto* fresh = new Pool;
        fresh->inherited = old; // stays reachable, so that no tool calls it a leak
        current.store(fresh);
    }
}
const int fork_watched = pthread_atfork(nullptr, nullptr, begin_anew_in_child);
#endif

} // namespace

void Job::fail() noexcept {
    const std::lock_guard lock(error_mutex);
    if (!error)
        error = std::current_exception();
    failed.store(true, std::memory_order_relaxed);
}

void Job::work(std::size_t worker) noexcept {
    try {
        while (!failed.load(std::memory_order_relaxed) && !monitor.cancelled()) {
            const std::size_t chunk = next_chunk.fetch_add(1, std::memory_order_relaxed);
            if (chunk >= n_chunks)
                return;
            const std::size_t begin = chunk * grain;
            call(body, begin, begin + std::min(grain, n_items - begin), worker);
            monitor.poll();
        }
    } catch (...) {
        fail();
    }
}

void Job::poll() noexcept {
    try {
        monitor.poll();
    } catch (...) {
        fail();
    }
}

void run(Job& job) {
    struct Mark {
        bool before = inside;
        Mark() { inside = true; }
        ~Mark() { inside = before; }
    };
    {
        const Mark mark;
        if (job.seats == 0) {
            job.work(0);
        } else {
            const std::uint64_t born = generation.load();
            Pool& pool = get();
            pool.open(job);
            job.work(0);
            if (generation.load() == born)
                pool.close(job, born);
            if (generation.load() != born)
                throw std::runtime_error(
                    "the process forked in the middle of a parallel_for and is the child: its helpers are gone");
        }
    }
    if (job.error)
        std::rethrow_exception(job.error);
    job.monitor.check();
}

} // namespace margin::pool
