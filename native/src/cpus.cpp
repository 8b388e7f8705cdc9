// cpus.hpp is compiled once: streams and paths are dear, and nearly every kernel asks for threads.
#include "margin/core/cpus.hpp"
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>
#ifdef __linux__
#include <sched.h>
#endif

namespace margin::cpus {

std::size_t in_affinity() {
#ifdef __linux__
    // A kernel built for more CPUs than cpu_set_t holds refuses a small set, hence the growing one.
    for (int size = 1024; size <= 1 << 20; size *= 2) {
        cpu_set_t* set = CPU_ALLOC(size);
        if (!set)
            break;
        const std::size_t bytes = CPU_ALLOC_SIZE(size);
        CPU_ZERO_S(bytes, set);
        const bool known = sched_getaffinity(0, bytes, set) == 0;
        const int count = known ? CPU_COUNT_S(bytes, set) : 0;
        CPU_FREE(set);
        if (count > 0)
            return static_cast<std::size_t>(count);
    }
#endif
    return std::max(1u, std::thread::hardware_concurrency());
}

namespace {

/// quota / period in CPUs as one cgroup states it; nothing where it has no limit or no such file.
std::optional<double> stated_quota(const std::filesystem::path& group) {
    std::string quota, period;
    if (std::ifstream v2(group / "cpu.max"); v2) {
        v2 >> quota >> period;
    } else {
        std::ifstream(group / "cpu.cfs_quota_us") >> quota;
        std::ifstream(group / "cpu.cfs_period_us") >> period;
    }
    const double q = std::strtod(quota.c_str(), nullptr),
                 p = std::strtod(period.c_str(), nullptr); // "max", "-1": no limit
    return q > 0 && p > 0 ? std::optional(q / p) : std::nullopt;
}

/// The smallest quota on the way from `group` up to `mount`. A container may name a group that it cannot see:
/// folders that are not there are passed over.
std::optional<double> smallest_quota(const std::filesystem::path& mount, std::string_view group) {
    std::optional<double> least;
    for (std::filesystem::path at = std::filesystem::path(group).relative_path();; at = at.parent_path()) {
        if (const auto quota = stated_quota(mount / at); quota && (!least || *quota < *least))
            least = quota;
        if (at.empty())
            return least;
    }
}

} // namespace

std::optional<double> in_quota(const std::string& mount_, const std::string& membership) {
    const std::filesystem::path mount = mount_;
    std::optional<double> least;
    std::ifstream lines(membership);
    for (std::string line; std::getline(lines, line);) { // hierarchy:controllers:/group; no controllers in version 2
        const auto first = line.find(':'), second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos)
            continue;
        const std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
        std::istringstream each(controllers);
        bool counts = controllers.empty();
        for (std::string controller; std::getline(each, controller, ',');)
            counts = counts || controller == "cpu";
        if (!counts)
            continue;
        const auto mounts =
            controllers.empty() ? std::array{mount, mount / "unified"} : std::array{mount / controllers, mount / "cpu"};
        for (const auto& folder : mounts)
            if (const auto quota = smallest_quota(folder, group); quota && (!least || *quota < *least))
                least = quota;
    }
    return least;
}

std::size_t written(std::string_view name, std::string_view text) {
    std::size_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || end != text.data() + text.size() || count == 0)
        throw std::invalid_argument(std::string(name) + " must be an integer above 0, not '" + std::string(text) + "'");
    return count;
}

std::size_t allowed() {
    std::size_t count = in_affinity();
    if (const auto quota = in_quota())
        count = std::min(count, static_cast<std::size_t>(std::ceil(std::min(*quota, 1e6))));
    if (const char* text = std::getenv("MARGIN_NUM_THREADS"); text && *text)
        count = std::min(count, written("MARGIN_NUM_THREADS", text));
    return std::max<std::size_t>(count, 1);
}

} // namespace margin::cpus
