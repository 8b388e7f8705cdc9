#pragma once
// How many threads this process may keep busy.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace margin::cpus {

/// The CPUs the scheduler may give us (taskset, cpuset cgroups, a batch system); all of them where it cannot be asked.
std::size_t in_affinity();

/// The CPU quota of this process's cgroup, version 1 or 2 ("docker run --cpus=1.5"); nothing where there is no limit.
/// The two places are parameters so that a test can lay them out by hand.
std::optional<double> in_quota(const std::string& mount = "/sys/fs/cgroup",
                               const std::string& membership = "/proc/self/cgroup");

/// A thread count as someone wrote it into the environment; throws std::invalid_argument unless it is an integer above
/// 0.
std::size_t written(std::string_view name, std::string_view text);

/// The threads to use when nobody says how many: the least of MARGIN_NUM_THREADS, affinity and quota (rounded up).
std::size_t allowed();

} // namespace margin::cpus
