#include "kernels/graph_runner/cuda/capture_room.h"

#include "kernels/graph_runner/cuda/pool.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/StreamGuard.h>

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
  c10::Device device;
  c10::Stream stream;
  Pool workspaces;

  explicit PerDevice(c10::Device device) : device(device), stream(ownStream(device)), workspaces(device) {}
};

CaptureRoom::PerDevice& CaptureRoom::of(c10::Device device) {
  static std::mutex finding;
  static auto& rooms = *new std::map<c10::DeviceIndex, std::unique_ptr<PerDevice>>;
  const std::lock_guard lock(finding);
  auto& room = rooms[device.index()];
  if (!room) room = std::make_unique<PerDevice>(device);
  return *room;
}

CaptureRoom::CaptureRoom(c10::Device device) : CaptureRoom(of(device)) {}

CaptureRoom::CaptureRoom(PerDevice& room) : lock_(room.busy), stream_(room.stream) {
  makeWorkspace(room);
  inRoom = true;
}

// A product with a bias goes another way through torch than one without, and may have a workspace of its own.
void CaptureRoom::makeWorkspace(PerDevice& room) {
  const c10::StreamGuard onStream(room.stream);
  const at::AutoDispatchBelowADInplaceOrView belowAutograd;
  const c10::impl::ExcludeDispatchKeyGuard noAutocast(c10::DispatchKey::AutocastCUDA);
  room.workspaces.serve(rawStream(room.stream), [&] {
    const at::Tensor square = at::zeros({8, 8}, at::device(room.device).dtype(at::kFloat));
    at::mm(square, square);
    at::addmm(square[0], square, square);
  });
}

CaptureRoom::~CaptureRoom() { inRoom = false; }

bool CaptureRoom::holdsThisThread() { return inRoom; }

}  // namespace kadvise
