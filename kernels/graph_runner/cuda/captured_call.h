// One call of a module as a CUDA graph, with memory of its own.
#pragma once

#include "kernels/graph_runner/cuda/capture_room.h"
#include "kernels/graph_runner/cuda/graph_inputs.h"
#include "kernels/graph_runner/cuda/graph_outputs.h"
#include "kernels/graph_runner/cuda/recording.h"

namespace kadvise {

// TorchScript profiles two calls and optimises in the third; a fuser's kernels are compiled by then too.
constexpr int kWarmUps = 3;
enum class WarmUp { Needed, Done };

// A weight that autocast lowered is forgotten when autocast ends, and a graph would read its freed memory.
class WithoutAutocastCache {
 public:
  WithoutAutocastCache();
  ~WithoutAutocastCache();
  WithoutAutocastCache(const WithoutAutocastCache&) = delete;
  WithoutAutocastCache& operator=(const WithoutAutocastCache&) = delete;

 private:
  bool was_;
};

class CapturedCall {
 public:
  // Runs and records the module on the room's stream, with memory of the pool. Throws as Recording does.
  CapturedCall(const ModuleCall& module, std::shared_ptr<const GraphInputs> inputs, WarmUp warmUp,
               CaptureRoom& room, Pool& pool);

  const std::shared_ptr<const GraphInputs>& inputs() const { return inputs_; }
  GraphOutputs& outputs() { return *outputs_; }
  const Recording& recording() const { return *recording_; }

 private:
  std::shared_ptr<const GraphInputs> inputs_;
  std::optional<GraphOutputs> outputs_;
  std::optional<Recording> recording_;
};

}  // namespace kadvise
