// Parameters that stand in a list among the attributes as well, as those of a recurrent layer do.
#pragma once

#include <vector>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// In a file that was loaded the tensors of such a list are objects of their own over the parameters' memory;
// module.to() gives the parameters other memory and leaves the list behind.
class ListedWeights {
 public:
  explicit ListedWeights(const torch::jit::Module&);
  void follow();  // the tensors of the lists get the parameters' memory of now

 private:
  struct Pair {
    at::Tensor listed, parameter;
  };
  std::vector<Pair> pairs_;
};

}  // namespace kadvise::graph
