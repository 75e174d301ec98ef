#pragma once

#include <string_view>

namespace kadvise {

// To standard output, whole; throws Error when it cannot be written. A reader that went away (`| head`) is no
// error.
void print(std::string_view);
void warn(std::string_view);        // "kadvise: …" on standard error
void printError(std::string_view);  // as it is, on standard error

}  // namespace kadvise
