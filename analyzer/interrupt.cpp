#include "analyzer/interrupt.h"

#include <signal.h>

#include <initializer_list>

namespace kadvise {
namespace {

volatile sig_atomic_t received = 0;  // the one global: a signal handler can be given nothing else

void onSignal(int number) { received = number; }

}  // namespace

void watchForInterrupts() {
  struct sigaction action = {};
  action.sa_handler = onSignal;  // without SA_RESTART: poll() returns at once
  for (int s : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    ::sigaction(s, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(s, &action, nullptr);  // nohup means it
  }
  ::signal(SIGPIPE, SIG_IGN);
}

int interruptSignal() { return received; }

}  // namespace kadvise
