#include "kernels/graph_runner/cuda/capture_room.h"

#include <c10/core/DeviceGuard.h>

#include <map>
#include <memory>

namespace kadvise {
namespace {

thread_local bool inRoom = false;

// Made here: torch gives each of its few streams to many, and what another thread put on this one during a
// capture would become a part of the graph instead of running. Never destroyed, as torch's are not.
c10::Stream ownStream(c10::Device device) {
  const c10::DeviceGuard onDevice(device);
  cudaStream_t stream = nullptr;
  checkCuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
  return c10::Stream(c10::Stream::UNSAFE, device, reinterpret_cast<c10::StreamId>(stream));
}

}  // namespace

struct CaptureRoom::PerDevice {
  std::mutex busy;
  c10::Stream stream;

  explicit PerDevice(c10::Device device) : stream(ownStream(device)) {}
};

CaptureRoom::PerDevice& CaptureRoom::of(c10::Device device) {
  static std::mutex finding;
  static std::map<c10::DeviceIndex, std::unique_ptr<PerDevice>> rooms;
  const std::lock_guard lock(finding);
  auto& room = rooms[device.index()];
  if (!room) room = std::make_unique<PerDevice>(device);
  return *room;
}

CaptureRoom::CaptureRoom(c10::Device device) : CaptureRoom(of(device)) {}

CaptureRoom::CaptureRoom(PerDevice& room) : lock_(room.busy), stream_(room.stream) { inRoom = true; }

CaptureRoom::~CaptureRoom() { inRoom = false; }

bool CaptureRoom::holdsThisThread() { return inRoom; }

}  // namespace kadvise
