// The C++ stack of a thread that crashes, on standard error: Python's faulthandler, which goes on from there,
// knows only Python's. Test programs load this with ctypes.
#include <execinfo.h>
#include <unistd.h>

#include <csignal>
#include <iterator>

namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
struct sigaction earlier[std::size(kSignals)];

// What ran into it runs into it again, now with the handler that was there before.
void print(int signal) {
  constexpr char kTitle[] = "\nC++ stack of the thread that crashed:\n";
  void* frames[100];
  const int count = backtrace(frames, static_cast<int>(std::size(frames)));
  if (write(STDERR_FILENO, kTitle, sizeof(kTitle) - 1) > 0)
    backtrace_symbols_fd(frames, count, STDERR_FILENO);
  for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &earlier[i], nullptr);
  if (signal == SIGABRT) raise(signal);
}

}  // namespace

extern "C" void print_native_backtraces() {
  void* frame;
  backtrace(&frame, 1);  // opens the library that unwinds, which a handler must not
  struct sigaction action{};
  action.sa_handler = print;
  for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &action, &earlier[i]);
}
