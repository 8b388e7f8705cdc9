#pragma once
// A family of interchangeable types (criteria, kernels, distances), chosen by name at run time.
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace margin {

namespace detail {

/// Throws std::invalid_argument: that name is none of the known ones.
[[noreturn]] void refuse(std::string_view name, std::span<const std::string_view> known);

} // namespace detail

/// Types with a static `name`, in the order in which they are shown to people.
///     using Criteria = OneOf<Gini, Entropy, GainRatio, Error>;
///     Criteria::visit(name, [&]<class C>() { return best_split<C>(x, y); });
template <class... Ts>
struct OneOf {
    static_assert(sizeof...(Ts) > 0, "a family has members");

    static constexpr std::size_t size = sizeof...(Ts);

    static constexpr std::array<std::string_view, size> names() noexcept { return {Ts::name...}; }

    /// The same family with each member wrapped, and more members after them.
    template <template <class> class Wrap, class... More>
    using wrapped = OneOf<Wrap<Ts>..., More...>;

    static constexpr bool contains(std::string_view name) noexcept { return ((name == Ts::name) || ...); }

    /// f.operator()<T>() for the member T of that name; all members must give the same type of result.
    /// Throws std::invalid_argument with the list of names if there is no such member.
    template <class F>
    static decltype(auto) visit(std::string_view name, F&& f) {
        return visit_first<F, Ts...>(name, f);
    }

private:
    template <class F, class First, class... Rest>
    static decltype(auto) visit_first(std::string_view name, F& f) {
        if (name == First::name)
            return f.template operator()<First>();
        if constexpr (sizeof...(Rest) > 0)
            return visit_first<F, Rest...>(name, f);
        else
            detail::refuse(name, all_names);
    }

    static constexpr std::array<std::string_view, size> all_names = {Ts::name...};

    static constexpr bool names_differ() noexcept {
        const auto list = names();
        for (std::size_t i = 0; i < size; ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (list[i] == list[j])
                    return false;
        return true;
    }
    static_assert(names_differ(), "two members have the same name, and the second could never be chosen");
};

} // namespace margin
