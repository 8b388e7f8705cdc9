// margin._core.core: threads, monitors and what the machine offers.
#include "bindings/interrupt.hpp"
#include "margin/core/threads.hpp"
#include <chrono>
#include <nanobind/stl/string_view.h>
#include <thread>

using namespace margin;
using namespace margin::bindings;

namespace {

/// `n_threads` threads that do nothing but look at the clock for so many seconds, in chunks of a millisecond.
void wait(double seconds, std::size_t n_threads, Monitor& monitor) {
    const auto n = static_cast<std::size_t>(seconds * 1000) * (n_threads == 0 ? threads() : n_threads);
    monitor.expect(n);
    parallel_for(n, 1, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        std::this_thread::sleep_for(std::chrono::milliseconds(end - begin));
        monitor.step(end - begin);
    });
}

} // namespace

MARGIN_BINDINGS(core) {
    nb::exception<Cancelled>(core, "Cancelled");

    nb::class_<Monitor>(core, "Monitor", "How far a call has come, to be read and cancelled from another thread.")
        .def(nb::init<>())
        .def_prop_ro("done", &Monitor::done, "Steps taken.")
        .def_prop_ro("total", &Monitor::total, "Steps that make the whole; 0 while that is not known.")
        .def_prop_ro("cancelled", &Monitor::cancelled)
        .def("cancel", &Monitor::cancel, "End the call with Cancelled, within 200 ms.");

    core.def("threads", &threads, "The number of threads that a call uses when it is told 0.");
    core.def("set_threads", &set_threads, "n"_a, "Choose that number; 0 asks environment, affinity and quota again.");
    core.def(
        "wait",
        [](double seconds, std::size_t n_threads, Monitor* monitor) {
            with_monitor(monitor, [&](Monitor& m) { wait(seconds, n_threads, m); });
        },
        "seconds"_a, "n_threads"_a = 0, "monitor"_a.none() = nb::none(),
        "Do nothing on some threads for a while; for trying out interruption.");
}
