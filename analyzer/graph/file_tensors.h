// The tensors that a file holds, wherever its module keeps them.
#pragma once

#include <unordered_map>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// Known by their memory: an LSTM keeps a list of its weights and a detector one of its anchors, freezing
// makes constants of them, and module.to() reaches neither lists nor constants.
class FileTensors {
 public:
  // Constants of at most so many bytes are left out.
  void note(const torch::jit::Module& loaded, std::size_t bytesLeftOut = 0);

  // Gives the file's tensors in the module's lists, dictionaries, tuples and constants to a device; others,
  // which were computed here, stay.
  void move(torch::jit::Module&, c10::Device) const;

 private:
  using Moved = std::unordered_map<const at::TensorImpl*, at::Tensor>;  // shared by those that share them
  at::Tensor there(const at::Tensor&, c10::Device, Moved&) const;

  std::unordered_map<const c10::StorageImpl*, c10::Storage> memory_;  // held, so that no other gets its place
};

}  // namespace kadvise::graph
