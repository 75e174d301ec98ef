// Work on a thread of its own; where the system gives no more threads, whoever waits for it does it.
#pragma once

#include <future>
#include <system_error>
#include <utility>

namespace kadvise::rowprogram {

template <class Work>
auto sideBySide(Work work) {
  try {
    return std::async(std::launch::async, work);
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, std::move(work));
  }
}

}  // namespace kadvise::rowprogram
