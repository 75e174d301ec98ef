#include "kernels/graph_runner/cuda/captured_call.h"

#include <ATen/autocast_mode.h>
#include <c10/core/StreamGuard.h>

namespace kadvise {

WithoutAutocastCache::WithoutAutocastCache() : was_(at::autocast::is_autocast_cache_enabled()) {
  at::autocast::set_autocast_cache_enabled(false);
}

WithoutAutocastCache::~WithoutAutocastCache() { at::autocast::set_autocast_cache_enabled(was_); }

CapturedCall::CapturedCall(const ModuleCall& module, std::shared_ptr<const GraphInputs> inputs, WarmUp warmUp,
                           CaptureRoom& room, Pool& pool)
    : inputs_(std::move(inputs)) {
  const WithoutAutocastCache withoutCache;
  const c10::StreamGuard onStream(room.stream());
  const cudaStream_t stream = rawStream(room.stream());
  const int warmUps = warmUp == WarmUp::Needed ? kWarmUps : 0;
  pool.serve(stream, [&] {
    for (int i = 0; i < warmUps; ++i) module(inputs_->tensors());
    waitFor(stream, "running the module before the capture");
    Tensors outputs;
    recording_.emplace(stream, [&] { outputs = module(inputs_->tensors()); });
    outputs_.emplace(outputs, inputs_->tensors(), pool);
  });
}

}  // namespace kadvise
