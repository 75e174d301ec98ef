// How one option is declared, whatever command it belongs to.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace kadvise {

// Takes one value, which --help calls by its type.
template <class T>
CLI::Option* once(CLI::App* app, const std::string& name, T& into, const std::string& help,
                  const std::string& type) {
  return app->add_option(name, into, help)->option_text(type);
}

// One value each time the option is given, so that `--input A model.pt` leaves model.pt alone.
CLI::Option* repeatable(CLI::App* app, const std::string& name, std::vector<std::string>& into,
                        const std::string& help, const std::string& type);

// CLI::PositiveNumber takes "nan" and "inf" too.
CLI::Validator aboveZero();

// CLI11 takes "-5" and what is too large for an unsigned number, too.
CLI::Validator wholeNumber();

}  // namespace kadvise
