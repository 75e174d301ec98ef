#include "analyzer/print.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "reports/layout.h"

namespace kadvise {

void print(std::string_view text) {
  if (!writeAll(STDOUT_FILENO, text) && errno != EPIPE) throw Error("standard output", std::strerror(errno));
}

void printError(std::string_view text) {
  [[maybe_unused]] auto n = ::write(STDERR_FILENO, text.data(), text.size());
}

void warn(std::string_view text) { printError("kadvise: " + printable(text) + "\n"); }

}  // namespace kadvise
