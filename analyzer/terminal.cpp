#include "analyzer/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace kadvise {

bool isTerminal(int fd) { return ::isatty(fd) == 1; }

int terminalWidth(int fd) {
  winsize size{};
  if (isTerminal(fd) && ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  if (const char* columns = std::getenv("COLUMNS"))
    if (int n = std::atoi(columns); n > 0) return n;
  return 100;
}

}  // namespace kadvise
