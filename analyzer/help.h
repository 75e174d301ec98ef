// The look of --help.
#pragma once

#include <memory>

#include <CLI/CLI.hpp>

namespace kadvise {

// Options as "--budget SECONDS", their texts wrapped, groups divided by one blank line.
std::shared_ptr<CLI::FormatterBase> helpFormat();

extern const char* const kAbout;
extern const char* const kFooter;

}  // namespace kadvise
