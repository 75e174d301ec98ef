// torch.classes.kadvise.GraphRunner: owns a module and replays CUDA graphs of it.
//
//   GraphRunner(Tensor module): the bytes of a saved module with
//       captured(Tensor[] inputs) -> Tensor[] and plain(Tensor[] inputs) -> Tensor[].
//
//   run(Tensor[] inputs) -> Tensor[]: the module's results, from a graph where one can serve, else from
//   plain().
//
//   bind(Tensor[] inputs): inputs at these places are read where they lie, not copied; [] ends it.
//
//   set_outputs(str mode): "copied" (default) or "leased", see captured_calls.h.
//
//   set_in_place(bool): whether calls that come back to the same memory get a graph that reads their inputs
//   and writes their results there (on), see captured_calls.h.
//
//   set_limit(int signatures): how many signatures keep a graph (8); the one used longest ago goes first.
//
//   set_enabled(bool): off, every call is plain. clear(): gives the graphs' memory back.
//
//   state() -> str: JSON of graphs, calls by kind, memory, and every reason why a call was plain.
//
// Safe on any stream and from any number of threads: calls of all runners follow each other on a GPU. The
// results of a call stay valid while the next ones run. The module is saved with the runner, and so are mode
// and limit; its weights follow map_location of torch.jit.load, but not .to() of the outer module.
#pragma once

#include "kernels/graph_runner/call_facts.h"
#include "kernels/graph_runner/fallbacks.h"
#include "kernels/graph_runner/inner_module.h"

#include <atomic>
#include <mutex>

namespace kadvise {

class GraphRunner : public torch::CustomClassHolder {
 public:
  explicit GraphRunner(InnerModule module);

  Tensors run(const Tensors& inputs);
  void bind(Tensors inputs);
  void setOutputs(const std::string& mode);
  void setInPlace(bool on);
  void setLimit(std::int64_t signatures);
  void setEnabled(bool on) { enabled_ = on; }
  void clear();
  std::string state() const;

  struct Settings {
    OutputMode outputs = OutputMode::Copied;
    std::size_t limit = 8;
  };
  Settings settings() const;  // what is saved beside the module

  const InnerModule& module() const { return module_; }

 private:
  Tensors runPlain(const Tensors& inputs, const std::string& reason);
  void compileAhead(const Tensors& inputs);
  CapturedCalls* captures(c10::Device device, std::string& problem);
  template <class Action>
  void onCaptures(Action&& action) const;

  InnerModule module_;
  std::string never_;  // why this module is never captured; empty when it may be
  Gradients gradients_;
  std::atomic<bool> compilesAhead_;  // until the first call, where kernels are generated for the module
  std::atomic<bool> enabled_{true};
  std::atomic<std::size_t> plainCalls_{0};
  Fallbacks fallbacks_;

  // Settings are kept for captures that do not exist yet.
  mutable std::mutex mutex_;
  Tensors bound_;
  Settings settings_;
  bool inPlace_ = true;
  std::unique_ptr<CapturedCalls> captures_;
  std::atomic<CapturedCalls*> ready_{nullptr};  // captures_ once it is there, read without the lock
  std::string problem_;                         // why captures_ cannot be made
};

}  // namespace kadvise
