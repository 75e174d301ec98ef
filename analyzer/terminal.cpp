#include "analyzer/terminal.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace kadvise {

bool isTerminal(int fd) { return ::isatty(fd) == 1; }

bool isSameFile(int fd, int other) {
  struct stat one{}, two{};
  bool areKnown = ::fstat(fd, &one) == 0 && ::fstat(other, &two) == 0;
  return areKnown && one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

bool takesEscapes(int fd) {
  const char* kind = std::getenv("TERM");
  return isTerminal(fd) && !(kind && std::string_view(kind) == "dumb");
}

// https://no-color.org: set and not empty.
bool wantsColors(int fd) {
  const char* none = std::getenv("NO_COLOR");
  return takesEscapes(fd) && !(none && *none);
}

int terminalWidth(int fd) {
  winsize size{};
  if (isTerminal(fd) && ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  if (const char* columns = std::getenv("COLUMNS"))
    if (int n = std::atoi(columns); n > 0) return n;
  return 100;
}

}  // namespace kadvise
