#pragma once
// Where the time of boosting goes. Time of the processor: on a busy machine it is what says something.
#include <array>
#include <cstddef>
#include <ctime>
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
    ~Timed() { seconds_ += static_cast<double>(std::clock() - begin_) / CLOCKS_PER_SEC; }

private:
    double& seconds_;
    std::clock_t begin_ = std::clock();
};

} // namespace margin::boosting
