// One call of a module as a CUDA graph, and which operator of the module each node of the graph comes from.
#pragma once

#include <torch/script.h>

#include <memory>
#include <string>
#include <vector>

#include "profiler/device.h"
#include "profiler/inputs.h"
#include "profiler/operators.h"

namespace kadvise {

struct GraphNode {
  std::string kernel;      // as the linker names it; "" for copies, fills and others
  std::uint32_t site = 0;  // of the operator that launched it while it was captured
};

class GraphReplay {
 public:
  // Captures on a stream of its own after a few calls there. The batch is read again at each replay. Throws
  // Error with the reason when the module cannot be captured; the process is healthy then.
  GraphReplay(torch::jit::Module&, const Values& batch, const Device&, OperatorSites&);
  ~GraphReplay();
  GraphReplay(const GraphReplay&) = delete;
  GraphReplay& operator=(const GraphReplay&) = delete;

  void replay();                                                  // does not wait
  const std::vector<GraphNode>& nodes() const { return nodes_; }  // in the order in which they were captured
  const c10::IValue& output() const { return output_; }           // overwritten by each replay

  double captureMs = 0, instantiateMs = 0;

 private:
  struct Handles;
  void capture(torch::jit::Module&, const Values& batch, OperatorSites&);
  void noteNodes(std::uint32_t site);

  std::unique_ptr<Handles> handles_;
  std::vector<GraphNode> nodes_;
  c10::IValue output_;
};

// "CUDA refuses …; …": why a capture failed, in the words of people.
std::string captureReason(const std::string& raw);

}  // namespace kadvise
