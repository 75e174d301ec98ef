// The tensors that a graph reads: buffers of its own, or the caller's where the caller has bound them.
#pragma once

#include "kernels/graph_runner/captured_calls.h"
#include "kernels/graph_runner/cuda/layout_copy.h"

namespace kadvise {

class GraphInputs {
 public:
  // Allocates on the current stream. readInPlace holds the address of each bound input, null for the others.
  GraphInputs(const Tensors& like, const std::vector<const void*>& readInPlace);

  // Of this call into the buffers, on this stream, which is torch's current one. How many were copied.
  std::size_t copyFrom(const Tensors& inputs, cudaStream_t stream) const;

  const Tensors& tensors() const { return tensors_; }
  std::size_t copiedBytes() const { return copiedBytes_; }  // a call

 private:
  Tensors tensors_;
  struct Copy {
    std::size_t input;
    CopyBy by;
    std::size_t bytes;
  };
  struct Group {
    std::vector<std::size_t> inputs;
    Tensors buffers;
  };
  std::vector<Copy> copies_;   // one by one
  std::vector<Group> groups_;  // together
  std::size_t copied_ = 0;     // inputs, in all
  std::size_t copiedBytes_ = 0;
};

}  // namespace kadvise
