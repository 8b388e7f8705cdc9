#pragma once
// Kernels that can be watched and interrupted from Python.
#include "margin/core/monitor.hpp"
#include "module.hpp"
#include <type_traits>
#include <utility>
#ifdef __linux__
#include <unistd.h>
#endif

namespace margin::bindings {

/// Python runs signal handlers in its main thread only; the others need not fight for the GIL to learn that.
inline bool may_see_signals() {
#ifdef __linux__
    return getpid() == gettid();
#else
    return true;
#endif
}

/// Let Python run its signal handlers; true if one of them raised (Ctrl-C: KeyboardInterrupt). The error stays set.
inline bool signalled() {
    const nb::gil_scoped_acquire gil;
    return PyErr_CheckSignals() != 0;
}

/// Call run(monitor) without the GIL, and let Ctrl-C stop it: the error that the signal handler raised then comes out
/// of the binding. `run` touches no Python object; pack its result afterwards:
///     return give(with_monitor([&](Monitor& monitor) { return kernel(span(x), n_threads, monitor); }));
/// A Monitor given from Python shows the progress there and can be cancelled from there, which raises
/// margin._core.core.Cancelled. It serves one run at a time.
template <class Run>
auto with_monitor(Monitor& monitor, Run&& run) {
    struct Listening {
        Monitor& monitor;
        explicit Listening(Monitor& m) : monitor(m) { m.listen(may_see_signals() ? signalled : nullptr); }
        ~Listening() { monitor.leave(); }
    } listening(monitor);
    // The kernel may end, well or with an error of its own, before it has noticed; the signal counts all the same.
    const auto raise_if_signalled = [] {
        if (PyErr_Occurred())
            nb::raise_python_error();
    };
    try {
        if constexpr (std::is_void_v<std::invoke_result_t<Run&, Monitor&>>) {
            {
                const nb::gil_scoped_release release;
                run(monitor);
            }
            raise_if_signalled();
        } else {
            auto result = [&] {
                const nb::gil_scoped_release release;
                return run(monitor);
            }();
            raise_if_signalled();
            return result;
        }
    } catch (const nb::python_error&) {
        throw;
    } catch (...) {
        raise_if_signalled();
        throw;
    }
}

template <class Run>
auto with_monitor(Monitor* given, Run&& run) {
    Monitor own;
    return with_monitor(given ? *given : own, std::forward<Run>(run));
}

template <class Run>
auto with_monitor(Run&& run) {
    Monitor own;
    return with_monitor(own, std::forward<Run>(run));
}

} // namespace margin::bindings
