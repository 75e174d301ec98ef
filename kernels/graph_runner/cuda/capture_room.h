// Where captures happen: one stream a GPU for all runners of the process, one capture at a time. A stream
// each would cost a workspace of cuBLAS each, some 34 MiB on an H100. The graphs of all runners record the
// address of the room's, so it lies in a pool that nobody else is served from and that never ends, whoever
// has cuBLAS forget its workspaces.
#pragma once

#include "kernels/graph_runner/cuda/gpu.h"

#include <mutex>

namespace kadvise {

class CaptureRoom {
 public:
  // Waits until the room is free.
  explicit CaptureRoom(c10::Device device);
  ~CaptureRoom();
  CaptureRoom(const CaptureRoom&) = delete;
  CaptureRoom& operator=(const CaptureRoom&) = delete;

  const c10::Stream& stream() const { return stream_; }

  // Whether this thread is in the room: a runner inside the module that is being captured must run plainly.
  static bool holdsThisThread();

 private:
  struct PerDevice;
  explicit CaptureRoom(PerDevice& room);
  static void makeWorkspace(PerDevice& room);
  static PerDevice& of(c10::Device device);

  std::unique_lock<std::mutex> lock_;
  c10::Stream stream_;
};

}  // namespace kadvise
