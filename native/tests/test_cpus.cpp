// margin/core/cpus.hpp: quotas in cgroups laid out by hand, affinity, and the environment variable.
#include "check.hpp"
#include "margin/core/cpus.hpp"
#include <filesystem>
#include <fstream>

using namespace margin;
namespace fs = std::filesystem;

namespace {

/// A folder that plays /sys/fs/cgroup, with the process's memberships beside it.
struct Cgroups {
    fs::path folder = fs::temp_directory_path() / ("margin-cgroups-" + std::to_string(getpid()));
    Cgroups() { fs::create_directories(folder); }
    ~Cgroups() { fs::remove_all(folder); }

    void write(const fs::path& name, const std::string& text) const {
        fs::create_directories((folder / name).parent_path());
        std::ofstream(folder / name) << text << '\n';
    }
    std::optional<double> quota() const { return cpus::in_quota(folder, folder / "membership"); }
};

} // namespace

TEST("version 2: 150 ms in every 100 ms are one and a half CPUs") {
    const Cgroups groups;
    groups.write("membership", "0::/box");
    groups.write("box/cpu.max", "150000 100000");
    CHECK(groups.quota() == 1.5);
}

TEST("version 2: the tightest quota on the way to the root counts") {
    const Cgroups groups;
    groups.write("membership", "0::/outer/inner");
    groups.write("outer/inner/cpu.max", "max 100000");
    groups.write("outer/cpu.max", "300000 100000");
    groups.write("cpu.max", "800000 100000");
    CHECK(groups.quota() == 3.0);
}

TEST("version 2: max is no limit") {
    const Cgroups groups;
    groups.write("membership", "0::/");
    groups.write("cpu.max", "max 100000");
    CHECK(!groups.quota());
}

TEST("version 2 in a container that cannot see its own group: the root counts") {
    const Cgroups groups;
    groups.write("membership", "0::/docker/0123abcd");
    groups.write("cpu.max", "200000 100000");
    CHECK(groups.quota() == 2.0);
}

TEST("version 1: quota and period stand in two files, under the controllers' folder") {
    const Cgroups groups;
    groups.write("membership", "5:memory:/box\n4:cpu,cpuacct:/box");
    groups.write("cpu,cpuacct/box/cpu.cfs_quota_us", "50000");
    groups.write("cpu,cpuacct/box/cpu.cfs_period_us", "100000");
    groups.write("memory/box/cpu.max", "1 100000"); // not a CPU controller: nobody looks
    CHECK(groups.quota() == 0.5);
}

TEST("version 1: minus one is no limit") {
    const Cgroups groups;
    groups.write("membership", "4:cpu:/");
    groups.write("cpu/cpu.cfs_quota_us", "-1");
    groups.write("cpu/cpu.cfs_period_us", "100000");
    CHECK(!groups.quota());
}

TEST("no cgroups and nonsense in them are no limit") {
    const Cgroups groups;
    CHECK(!groups.quota());
    groups.write("membership", "nonsense\n0::/box\n:");
    groups.write("box/cpu.max", "lots 0");
    CHECK(!groups.quota());
}

TEST("a thread count in the environment is an integer above nought, or refused") {
    CHECK(cpus::written("N", "12") == 12);
    for (const char* text : {"0", "-1", "two", "2.5", "3 ", "", "99999999999999999999999"})
        CHECK_THROWS(std::invalid_argument, cpus::written("N", text));
}

TEST("the variable lowers the number of threads but cannot raise it above the CPUs") {
    unsetenv("MARGIN_NUM_THREADS");
    const std::size_t all = cpus::allowed();
    CHECK(all >= 1 && all <= cpus::in_affinity());
    setenv("MARGIN_NUM_THREADS", "1", 1);
    CHECK(cpus::allowed() == 1);
    setenv("MARGIN_NUM_THREADS", "100000", 1);
    CHECK(cpus::allowed() == all);
    setenv("MARGIN_NUM_THREADS", "many", 1);
    CHECK_THROWS(std::invalid_argument, cpus::allowed());
    setenv("MARGIN_NUM_THREADS", "", 1);
    CHECK(cpus::allowed() == all);
    unsetenv("MARGIN_NUM_THREADS");
}

#ifdef __linux__
TEST("a process bound to one CPU counts one") {
    CHECK(check::in_child([] {
              cpu_set_t allowed, one;
              CHECK(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
              CPU_ZERO(&one);
              for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu)
                  if (CPU_ISSET(cpu, &allowed))
                      CPU_SET(cpu, &one);
              CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
              CHECK(cpus::in_affinity() == 1);
              CHECK(cpus::allowed() == 1);
          }) == 0);
}
#endif
