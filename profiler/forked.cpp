#include "profiler/forked.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>

#include "analyzer/core/channel.h"

namespace kadvise {
namespace {

// pthread_atfork takes a function without arguments.
constinit std::atomic<bool> isCopy{false};

void becomeCopy() {
  isCopy = true;
  ::close(kRequestFd);
  ::close(kMessageFd);
}

}  // namespace

void watchForForks() { ::pthread_atfork(nullptr, nullptr, becomeCopy); }

void endIfForked() {
  if (isCopy) ::_exit(0);
}

c10::IValue forward(torch::jit::Module& module, const Values& inputs) {
  struct Return {
    ~Return() { endIfForked(); }
  } whateverComes;
  return module.forward(inputs);
}

}  // namespace kadvise
