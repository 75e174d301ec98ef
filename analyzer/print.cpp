#include "analyzer/print.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "analyzer/core/error.h"
#include "reports/layout.h"

namespace kadvise {

void print(std::string_view text) {
  while (!text.empty()) {
    ssize_t n = ::write(STDOUT_FILENO, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EPIPE) return;
    if (n < 0) throw Error("standard output", std::strerror(errno));
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

void printError(std::string_view text) {
  [[maybe_unused]] auto n = ::write(STDERR_FILENO, text.data(), text.size());
}

void warn(std::string_view text) { printError("kadvise: " + printable(text) + "\n"); }

}  // namespace kadvise
