#include "check.hpp"
#include <string_view>

/// Runs all tests, or those of the file that is named.
int main(int n_arguments, char** arguments) {
    const std::string_view file = n_arguments > 1 ? arguments[1] : "";
    int n_run = 0, n_failed = 0;
    for (const auto& test : check::tests()) {
        if (!std::string_view(test.file).ends_with(file))
            continue;
        ++n_run;
        try {
            test.run();
        } catch (const std::exception& error) {
            std::printf("FAILED  %s\n        %s\n", test.name, error.what());
            ++n_failed;
        }
    }
    std::printf("%d tests, %d failed\n", n_run, n_failed);
    return n_failed == 0 && n_run > 0 ? 0 : 1;
}
