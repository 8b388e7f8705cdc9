// What all families of one_of.hpp say alike is compiled once.
#include "margin/core/one_of.hpp"
#include <stdexcept>
#include <string>

namespace margin::detail {

void refuse(std::string_view name, std::span<const std::string_view> known) {
    std::string text;
    text.append("'").append(name).append("' is not one of ");
    std::string_view between = "'";
    for (const std::string_view each : known) {
        text.append(between).append(each).append("'");
        between = ", '";
    }
    throw std::invalid_argument(text);
}

} // namespace margin::detail
