#pragma once
// All the testing framework the core needs: tests named by a sentence, the first failed check ends its test. A folder
// is one program (main.cpp); with the name of a file it runs the tests of that file.
//     TEST("two and two are four") { CHECK(2 + 2 == 4); }
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace check {

struct Test {
    const char* file;
    const char* name;
    void (*run)();
};

inline std::vector<Test>& tests() {
    static std::vector<Test> list;
    return list;
}

struct Registration {
    Registration(const char* file, const char* name, void (*run)()) { tests().push_back({file, name, run}); }
};

inline void require(bool holds, const std::string& what, const char* file, int line) {
    if (!holds)
        throw std::logic_error(std::string(file) + ":" + std::to_string(line) + ": " + what);
}

inline void near(double a, double b, double tolerance, const char* file, int line) {
    std::ostringstream text;
    text.precision(17);
    text << a << " is not within " << tolerance << " of " << b;
    require(std::abs(a - b) <= tolerance, text.str(), file, line); // false for NaN
}

/// Run in a forked child; how it ended, as waitpid tells: 0 is well, 1 an exception, -n signal n (14: it hung).
template <class F>
int in_child(F&& f) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        int code = 0;
        try {
            f();
        } catch (const std::exception& error) {
            std::fprintf(stderr, "in the child: %s\n", error.what());
            code = 1;
        }
        _exit(code);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

class Stopwatch {
public:
    double milliseconds() const {
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin_).count();
    }

private:
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

} // namespace check

#define CHECK_JOIN2(a, b) a##b
#define CHECK_JOIN(a, b) CHECK_JOIN2(a, b)
#define TEST(sentence)                                                                                                 \
    static void CHECK_JOIN(test_, __LINE__)();                                                                         \
    static const check::Registration CHECK_JOIN(register_, __LINE__){__FILE__, sentence, CHECK_JOIN(test_, __LINE__)}; \
    static void CHECK_JOIN(test_, __LINE__)()
#define CHECK(...) check::require(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
#define CHECK_NEAR(a, b, tolerance) check::near(a, b, tolerance, __FILE__, __LINE__)
#define CHECK_THROWS(type, ...)                                                                                        \
    do {                                                                                                               \
        bool thrown_ = false;                                                                                          \
        try {                                                                                                          \
            __VA_ARGS__;                                                                                               \
        } catch (const type&) {                                                                                        \
            thrown_ = true;                                                                                            \
        }                                                                                                              \
        check::require(thrown_, #__VA_ARGS__ " throws " #type, __FILE__, __LINE__);                                    \
    } while (false)
