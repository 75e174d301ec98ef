// Makes all calls on one GPU follow each other there, whatever runner and stream they come on. The calls of
// one runner share memory; those of all runners share the workspace that cuBLAS has for the stream of the
// captures, which their graphs have recorded.
#pragma once

#include "kernels/graph_runner/cuda/gpu.h"

#include <functional>
#include <mutex>
#include <optional>
#include <vector>

namespace kadvise {

// Streams of torch live until the process ends. Others may be destroyed at any time.
bool isForeign(const c10::Stream& stream);

class StreamOrder {
 public:
  static StreamOrder& of(c10::Device device);

  // Held from before enter() or wait() until after leave(), or until what had to wait is done.
  [[nodiscard]] std::unique_lock<std::mutex> turn();

  // Ends something when the GPU has done all calls: now, or where another thread has the turn, with the next
  // turn. Who ends a runner may hold Python's lock, for which a call that allocates can be waiting.
  void endWhenDone(std::function<void()> end);

  // What `next` does from now on runs after the calls before, and after all that the reader of memory which
  // this call overwrites has been given until now. False when one of these streams is being captured, which
  // forbids to wait.
  bool enter(const c10::Stream& next, const std::optional<c10::Stream>& reader);
  void leave();  // after the work of this call was given to the stream, or a part of it
  bool wait();   // until the GPU has done all calls; false when the stream of the last one is being captured

 private:
  explicit StreamOrder(c10::Device device);
  bool follow(const c10::Stream& next, const c10::Stream& earlier);

  std::mutex busy_;
  std::mutex endingsLock_;
  std::vector<std::function<void()>> endings_;
  std::optional<c10::Stream> last_;
  bool hasSeveralStreams_ = false;
  bool isRecorded_ = false;  // whether done_ stands on last_ already
  cudaEvent_t done_ = nullptr, passing_ = nullptr;
};

}  // namespace kadvise
