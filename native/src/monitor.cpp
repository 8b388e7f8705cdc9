// monitor.hpp is compiled once: nearly every kernel asks whether to stop.
#include "margin/core/monitor.hpp"
#include <stdexcept>

namespace margin {

void Monitor::listen(std::function<bool()> poll) {
    if (listening_.exchange(true))
        throw std::logic_error("a monitor can watch one run at a time");
    poll_ = std::move(poll);
    owner_ = std::this_thread::get_id();
    next_poll_ = Clock::now() + poll_interval;
}

void Monitor::leave() noexcept {
    poll_ = nullptr;
    owner_ = {};
    listening_.store(false);
}

void Monitor::poll() {
    if (owner_ != std::this_thread::get_id() || !poll_ || cancelled() || Clock::now() < next_poll_)
        return;
    if (poll_())
        cancel();
    next_poll_ = Clock::now() + poll_interval; // counted from the end, so that a slow callback cannot take all the time
}

void Monitor::check() {
    poll();
    if (cancelled())
        throw Cancelled();
}

} // namespace margin
