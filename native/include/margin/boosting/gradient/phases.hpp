#pragma once
// Where the time of boosting goes.
#include <array>
#include <chrono>
#include <cstddef>
#include <string_view>

namespace margin::boosting {

/// Seconds of each phase, and how much was done there: rows x columns brought in, bins looked at, rows dealt, rows.
struct Phases {
    enum Name : std::size_t { gradients, histograms, search, dealing, updating, n_phases };
    static constexpr std::array<std::string_view, n_phases> names{"gradients", "histograms", "search", "dealing",
                                                                  "updating"};
    std::array<double, n_phases> seconds{};
    std::array<double, n_phases> done{};
};

/// Adds the time of its life to a phase.
class Timed {
public:
    Timed(Phases& phases, Phases::Name name, std::size_t done) : seconds_(phases.seconds[name]) {
        phases.done[name] += static_cast<double>(done);
    }
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;
    ~Timed() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

private:
    double& seconds_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

} // namespace margin::boosting
