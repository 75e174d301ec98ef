// One call of a module as a CUDA graph.
#pragma once

#include "kernels/graph_runner/cuda/capture_room.h"
#include "kernels/graph_runner/cuda/graph_inputs.h"
#include "kernels/graph_runner/cuda/graph_outputs.h"

namespace kadvise {

// TorchScript profiles two calls and optimises in the third; a fuser's kernels are compiled by then too.
constexpr int kWarmUps = 3;
enum class WarmUp { Needed, Done };

class CapturedCall {
 public:
  // Runs and records the module on the room's stream, with memory of the pool. Throws when that is not
  // possible; torch and CUDA are as healthy then as before.
  CapturedCall(const ModuleCall& module, std::shared_ptr<const GraphInputs> inputs, WarmUp warmUp,
               CaptureRoom& room, Pool& pool);
  ~CapturedCall();
  CapturedCall(const CapturedCall&) = delete;
  CapturedCall& operator=(const CapturedCall&) = delete;

  const std::shared_ptr<const GraphInputs>& inputs() const { return inputs_; }
  GraphOutputs& outputs() { return *outputs_; }
  void launch(cudaStream_t stream) const;

 private:
  Tensors record(const ModuleCall& module, cudaStream_t stream);

  std::shared_ptr<const GraphInputs> inputs_;
  std::optional<GraphOutputs> outputs_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace kadvise
