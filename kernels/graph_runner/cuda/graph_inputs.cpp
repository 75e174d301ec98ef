#include "kernels/graph_runner/cuda/graph_inputs.h"

#include "kernels/graph_runner/cuda/small_copies.h"

#include <ATen/ops/empty_strided.h>

#include <utility>

namespace kadvise {

GraphInputs::GraphInputs(const Tensors& like, const std::vector<const void*>& readInPlace) {
  Tensors buffers(like.size());  // undefined where the caller's memory is read
  for (std::size_t i = 0; i < like.size(); ++i) {
    if (readInPlace[i] == nullptr) {
      buffers[i] = at::empty_strided(like[i].sizes(), like[i].strides(), like[i].options());
      ++copied_;
      copiedBytes_ += cheapestCopy(like[i]) == CopyBy::Bytes ? extentBytes(like[i]) : like[i].nbytes();
    }
    tensors_.push_back(readInPlace[i] == nullptr ? buffers[i] : like[i].detach());
  }
  for (auto& inputs : smallGroups(buffers)) {
    Group group{std::move(inputs), {}};
    for (const std::size_t i : group.inputs) group.buffers.push_back(std::exchange(buffers[i], {}));
    groups_.push_back(std::move(group));
  }
  for (std::size_t i = 0; i < like.size(); ++i) {
    if (buffers[i].defined()) copies_.push_back({i, cheapestCopy(like[i]), extentBytes(like[i])});
  }
}

std::size_t GraphInputs::copyFrom(const Tensors& inputs, cudaStream_t stream) const {
  for (const Copy& copy : copies_) {
    const at::Tensor& to = tensors_[copy.input];
    const at::Tensor& from = inputs[copy.input];
    if (copy.by == CopyBy::Elements) {
      to.copy_(from.detach());
    } else {
      copyBytes(to.mutable_data_ptr(), from.const_data_ptr(), copy.bytes, stream);
    }
  }
  for (const Group& group : groups_) {
    Tensors from;
    from.reserve(group.inputs.size());
    for (const std::size_t i : group.inputs) from.push_back(inputs[i]);
    copyTogether(group.buffers, from);
  }
  return copied_;
}

}  // namespace kadvise
