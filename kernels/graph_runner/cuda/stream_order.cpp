#include "kernels/graph_runner/cuda/stream_order.h"

#include <c10/core/DeviceGuard.h>

#include <map>
#include <memory>

namespace kadvise {

// The id of a foreign stream is its handle; the default stream has neither.
bool isForeign(const c10::Stream& stream) {
  return stream.id() != 0 && reinterpret_cast<void*>(stream.id()) == stream.native_handle();
}

// Never destroyed: a runner may end with the process, when CUDA is gone.
StreamOrder& StreamOrder::of(c10::Device device) {
  static std::mutex finding;
  static auto& orders = *new std::map<c10::DeviceIndex, std::unique_ptr<StreamOrder>>;
  const std::lock_guard lock(finding);
  auto& order = orders[device.index()];
  if (!order) order.reset(new StreamOrder(device));
  return *order;
}

StreamOrder::StreamOrder(c10::Device device) {
  const c10::DeviceGuard onDevice(device);
  checkCuda(cudaEventCreateWithFlags(&done_, cudaEventDisableTiming), "making an event");
  checkCuda(cudaEventCreateWithFlags(&passing_, cudaEventDisableTiming), "making an event");
}

std::unique_lock<std::mutex> StreamOrder::turn() {
  std::unique_lock held(busy_);
  std::vector<std::function<void()>> endings;
  {
    const std::lock_guard lock(endingsLock_);
    endings.swap(endings_);
  }
  if (!endings.empty()) wait();
  for (const auto& end : endings) end();
  return held;
}

void StreamOrder::endWhenDone(std::function<void()> end) {
  const std::unique_lock held(busy_, std::try_to_lock);
  if (!held) {
    const std::lock_guard lock(endingsLock_);
    endings_.push_back(std::move(end));
    return;
  }
  wait();
  end();
}

bool StreamOrder::enter(const c10::Stream& next, const std::optional<c10::Stream>& reader) {
  if (reader && *reader != next && !follow(next, *reader)) return false;
  if (last_ && *last_ != next) {
    hasSeveralStreams_ = true;
    if (isRecorded_) {
      checkCuda(cudaStreamWaitEvent(rawStream(next), done_, 0), "waiting for the call before");
    } else if (!follow(next, *last_)) {
      return false;
    }
  }
  last_ = next;
  isRecorded_ = false;
  return true;
}

// Asked twice, since another thread may begin a capture on the earlier stream in between: the event would
// then be a part of that capture, and who waits for it would be drawn into it.
bool StreamOrder::follow(const c10::Stream& next, const c10::Stream& earlier) {
  if (isCapturing(rawStream(earlier))) return false;
  checkCuda(cudaEventRecord(passing_, rawStream(earlier)), "marking the end of earlier work");
  if (isCapturing(rawStream(earlier))) return false;
  checkCuda(cudaStreamWaitEvent(rawStream(next), passing_, 0), "waiting for earlier work");
  return true;
}

// On one stream the order is free. An event that is recorded later, when the next call comes, would also wait
// for what the stream was given since; so that is done only once, when the second stream turns up.
void StreamOrder::leave() {
  if (!hasSeveralStreams_ && !isForeign(*last_)) return;
  isRecorded_ = cudaEventRecord(done_, rawStream(*last_)) == cudaSuccess;
  if (!isRecorded_) cudaGetLastError();
}

bool StreamOrder::wait() {
  if (!last_) return true;
  if (!isRecorded_ && isCapturing(rawStream(*last_))) return false;
  const BesideOtherCaptures beside;
  if (isRecorded_) {
    cudaEventSynchronize(done_);
  } else {
    cudaStreamSynchronize(rawStream(*last_));
  }
  cudaGetLastError();  // at the end of the process CUDA may be gone already
  return true;
}

}  // namespace kadvise
