#include "analyzer/option.h"

#include <charconv>
#include <cmath>
#include <cstdint>

namespace kadvise {

CLI::Option* repeatable(CLI::App* app, const std::string& name, std::vector<std::string>& into,
                        const std::string& help, const std::string& type) {
  return app->add_option(name, into, help)->option_text(type)->allow_extra_args(false);
}

CLI::Validator aboveZero() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        double value = 0;
        if (CLI::detail::lexical_cast(text, value) && std::isfinite(value) && value > 0) return "";
        return "\"" + text + "\" is not a number above 0";
      },
      "");
}

CLI::Validator wholeNumber() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        std::int64_t value = 0;
        auto end = text.data() + text.size();
        auto [rest, failure] = std::from_chars(text.data(), end, value);
        if (failure == std::errc() && rest == end && value >= 0) return "";
        return "\"" + text + "\" is not a whole number from 0 to 9223372036854775807";
      },
      "");
}

}  // namespace kadvise
