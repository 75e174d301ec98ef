#include "profiler/graph_replay.h"

#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <cuda_runtime_api.h>

#include <atomic>
#include <unordered_map>

#include "analyzer/core/error.h"
#include "profiler/driver_api.h"
#include "profiler/failure.h"
#include "profiler/timing.h"

namespace kadvise {
namespace {

// The TorchScript executor settles at its third run, with the fuser on a capture fails before that.
constexpr int kWarmUps = 4;

// LibTorch's CUDA half is loaded, not linked: what it offers is reached through the interface of its
// allocator.
c10::cuda::CUDACachingAllocator::CUDAAllocator& allocator() {
  return *static_cast<c10::cuda::CUDACachingAllocator::CUDAAllocator*>(c10::getDeviceAllocator(c10::kCUDA));
}

c10::MempoolId_t freshPool() {
  // Far above the numbers that LibTorch gives to its own pools.
  static std::atomic<c10::CaptureId_t> next{c10::CaptureId_t{1} << 40};
  return {next++, 0};
}

// A capture fails in the operator that was entered last.
std::string lastPlaceOf(const OperatorSites& sites) {
  const Place* place = sites.find(sites.seen().size());
  if (!place) return "";
  std::string out = ", in " + place->op;
  if (!place->where.file.empty()) out += " at " + place->where.file + ":" + std::to_string(place->where.line);
  if (!place->where.scope.empty()) out += " in " + place->where.scope;
  return out;
}

void check(cudaError_t result, const char* doing) {
  if (result == cudaSuccess) return;
  cudaGetLastError();
  throw Error("graph", std::string(doing) + ": " + cudaGetErrorString(result));
}

}  // namespace

struct GraphReplay::Handles {
  c10::Device device;
  c10::Stream stream;
  c10::MempoolId_t pool = freshPool();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  cudaStream_t raw;
  bool ownsPool = false;
  std::unordered_map<cudaGraphNode_t, std::uint32_t> siteOf;

  explicit Handles(const Device& d)
      : device(d.torch),
        stream(c10::impl::VirtualGuardImpl(c10::kCUDA).getNewStream(d.torch)),
        raw(static_cast<cudaStream_t>(stream.native_handle())) {}

  ~Handles() {
    cudaStreamSynchronize(raw);
    if (executable) cudaGraphExecDestroy(executable);
    if (graph) cudaGraphDestroy(graph);
    if (ownsPool) allocator().releasePool(device.index(), pool);
    cudaGetLastError();
  }
};

GraphReplay::GraphReplay(torch::jit::Module& module, const Values& batch, const Device& device,
                         OperatorSites& sites)
    : handles_(std::make_unique<Handles>(device)) {
  c10::StreamGuard onStream(handles_->stream);
  check(cudaDeviceSynchronize(), "before the capture");
  for (int i = 0; i < kWarmUps; ++i) module.forward(batch);
  check(cudaStreamSynchronize(handles_->raw), "before the capture");
  double start = steadyUs();
  try {
    capture(module, batch, sites);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& e) {
    throw Error("graph", captureReason(reasonOf(e)));
  }
  double captured = steadyUs();
  check(cudaGraphInstantiate(&handles_->executable, handles_->graph, 0), "instantiating the graph");
  captureMs = (captured - start) / 1000;
  instantiateMs = (steadyUs() - captured) / 1000;
}

GraphReplay::~GraphReplay() = default;

// The operators tell which nodes came while they ran, so that no subscriber of CUPTI is needed.
void GraphReplay::capture(torch::jit::Module& module, const Values& batch, OperatorSites& sites) {
  Handles& h = *handles_;
  auto isCapturing = [](cudaStream_t stream) {
    cudaStreamCaptureStatus status{};
    return cudaStreamIsCapturing(stream, &status) == cudaSuccess && status == cudaStreamCaptureStatusActive;
  };
  allocator().beginAllocateToPool(h.device.index(), h.pool, isCapturing);
  h.ownsPool = true;
  std::string failure;
  try {
    check(cudaStreamBeginCapture(h.raw, cudaStreamCaptureModeThreadLocal), "beginning the capture");
    auto watching = sites.watch(
        {[this](std::uint32_t) { noteNodes(0); }, [this](std::uint32_t site) { noteNodes(site); }});
    output_ = module.forward(batch);
    noteNodes(0);
  } catch (const std::exception& e) {
    failure = reasonOf(e);
  }
  cudaError_t ended = cudaStreamEndCapture(h.raw, &h.graph);
  allocator().endAllocateToPool(h.device.index(), h.pool);
  cudaGetLastError();
  if (failure.empty() && ended != cudaSuccess) failure = cudaGetErrorString(ended);
  if (!failure.empty()) {
    output_ = c10::IValue();
    throw Error("graph", captureReason(failure) + lastPlaceOf(sites));
  }
  std::size_t count = 0;
  check(cudaGraphGetNodes(h.graph, nullptr, &count), "reading the graph");
  std::vector<cudaGraphNode_t> all(count);
  check(cudaGraphGetNodes(h.graph, all.data(), &count), "reading the graph");
  for (cudaGraphNode_t node : all) {
    auto known = h.siteOf.find(node);
    nodes_.push_back({kernelNameOf(node), known == h.siteOf.end() ? 0 : known->second});
  }
}

// What is new in the graph since the last call belongs to the site.
void GraphReplay::noteNodes(std::uint32_t site) {
  cudaStreamCaptureStatus status{};
  cudaGraph_t graph = nullptr;
  if (cudaStreamGetCaptureInfo(handles_->raw, &status, nullptr, &graph, nullptr, nullptr, nullptr) !=
      cudaSuccess)
    return;
  std::size_t count = 0;
  if (status != cudaStreamCaptureStatusActive || cudaGraphGetNodes(graph, nullptr, &count) != cudaSuccess)
    return;
  if (count == handles_->siteOf.size()) return;
  std::vector<cudaGraphNode_t> all(count);
  if (cudaGraphGetNodes(graph, all.data(), &count) != cudaSuccess) return;
  for (cudaGraphNode_t node : all) handles_->siteOf.emplace(node, site);
}

void GraphReplay::replay() {
  check(cudaGraphLaunch(handles_->executable, handles_->raw), "launching the graph");
}

std::string captureReason(const std::string& raw) {
  struct Known {
    const char* mark;
    const char* words;
  };
  constexpr Known kKnown[] = {
      {"Offset increment outside graph capture",
       "the module draws random numbers, which this capture does not cover"},
      {"CUDAGeneratorImpl", "the module draws random numbers, which this capture does not cover"},
      {"Cannot copy between CPU and CUDA", "the module copies from or to the CPU during the call"},
      {"not permitted when stream is capturing",
       "the module waits for the GPU or asks it for a value (.item(), nonzero, a branch on a tensor)"},
      {"operation failed due to a previous error during capture",
       "the module waits for the GPU or asks it for a value (.item(), nonzero, a branch on a tensor)"},
  };
  for (const Known& k : kKnown)
    if (raw.find(k.mark) != std::string::npos) return std::string(k.words) + " (" + raw + ")";
  return raw;
}

}  // namespace kadvise
