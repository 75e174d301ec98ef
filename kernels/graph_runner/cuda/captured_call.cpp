#include "kernels/graph_runner/cuda/captured_call.h"

#include <ATen/autocast_mode.h>
#include <c10/core/StreamGuard.h>

namespace kadvise {
namespace {

// A weight that autocast lowered is forgotten when autocast ends, and the graph would read its freed memory.
class WithoutAutocastCache {
 public:
  WithoutAutocastCache() : was_(at::autocast::is_autocast_cache_enabled()) {
    at::autocast::set_autocast_cache_enabled(false);
  }
  ~WithoutAutocastCache() { at::autocast::set_autocast_cache_enabled(was_); }

 private:
  bool was_;
};

}  // namespace

CapturedCall::CapturedCall(const ModuleCall& module, std::shared_ptr<const GraphInputs> inputs, WarmUp warmUp,
                           CaptureRoom& room, Pool& pool)
    : inputs_(std::move(inputs)) {
  const WithoutAutocastCache withoutCache;
  const c10::StreamGuard onStream(room.stream());
  const cudaStream_t stream = rawStream(room.stream());
  const int warmUps = warmUp == WarmUp::Needed ? kWarmUps : 0;
  try {
    pool.serve(stream, [&] {
      for (int i = 0; i < warmUps; ++i) module(inputs_->tensors());
      waitFor(stream, "running the module before the capture");
      const Tensors outputs = record(module, stream);
      outputs_.emplace(outputs, inputs_->tensors(), pool);
    });
    const BesideOtherCaptures beside;
    checkCuda(cudaGraphInstantiate(&executable_, graph_, 0), "instantiating the graph");
  } catch (...) {
    if (graph_) cudaGraphDestroy(graph_);
    graph_ = nullptr;
    cudaGetLastError();
    throw;
  }
}

// Not with at::cuda::CUDAGraph: that takes the process's random generator along, which other threads may be
// using, and which a failed capture would leave broken. Here an operator that draws random numbers makes the
// capture fail.
Tensors CapturedCall::record(const ModuleCall& module, cudaStream_t stream) {
  // In this mode other threads may go on allocating, which the stricter one would punish.
  checkCuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "beginning the capture");
  Tensors outputs;
  std::exception_ptr failure;
  try {
    outputs = module(inputs_->tensors());
  } catch (...) {
    failure = std::current_exception();
  }
  const cudaError_t ended = cudaStreamEndCapture(stream, &graph_);
  cudaGetLastError();
  if (failure) std::rethrow_exception(failure);
  checkCuda(ended, "ending the capture");
  return outputs;
}

CapturedCall::~CapturedCall() {
  const BesideOtherCaptures beside;
  if (executable_) cudaGraphExecDestroy(executable_);
  if (graph_) cudaGraphDestroy(graph_);
  cudaGetLastError();
}

void CapturedCall::launch(cudaStream_t stream) const {
  checkCuda(cudaGraphLaunch(executable_, stream), "launching the graph");
}

}  // namespace kadvise
