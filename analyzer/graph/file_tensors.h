// The tensors that a file holds, wherever its module keeps them.
#pragma once

#include <unordered_map>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// Known by their memory: freezing makes constants of them (an LSTM's list of weights, the anchors of a
// detector), and module.to() does not reach constants.
class FileTensors {
 public:
  void note(const torch::jit::Module& loaded);

  // Gives the constants of the graph that are the file's to a device; others, which were computed here, stay.
  void move(torch::jit::Graph&, c10::Device) const;

 private:
  std::unordered_map<const c10::StorageImpl*, c10::Storage> memory_;  // held, so that no other gets its place
};

}  // namespace kadvise::graph
