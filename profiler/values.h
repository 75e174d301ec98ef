// Tensors and structures of them: walking, copying, comparing bit by bit.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <functional>
#include <string>
#include <vector>

namespace kadvise {

using TensorMap = std::function<at::Tensor(const at::Tensor&)>;

// The same structure (tuples, lists, dicts of values) with every defined tensor replaced.
c10::IValue mapTensors(const c10::IValue&, const TensorMap&);
std::vector<c10::IValue> mapTensors(const std::vector<c10::IValue>&, const TensorMap&);

struct Leaf {
  std::string at;  // "output 0", "output 1[2]"
  c10::IValue value;
};

// The leaves of a value in order, those of a dictionary in the order of its keys. A tuple at the top is
// "name 0", "name 1", …; anything else is "name 0".
std::vector<Leaf> leavesOf(const c10::IValue&, const std::string& name);
// The leaves of arguments, "input 0", "input 1[0]".
std::vector<Leaf> leavesOf(const std::vector<c10::IValue>&, const std::string& name);

// "(Tensor, int, List[2 Tensor])": equal texts mean equal structures and kinds of leaves, dictionaries with
// equal keys in whatever order they came.
std::string structureOf(const c10::IValue&);

// A new tensor with the sizes, strides and alignment (modulo 64 bytes) of the model: layout decides which
// kernel runs. values is given a view of the model in which repeated (stride 0) dimensions have size 1 and
// answers what to put there. Overlapping tensors, and views that would drag gigabytes of gaps with them, come
// out contiguous.
at::Tensor laidOutLike(const at::Tensor& model, const TensorMap& values);

at::Tensor cloneOf(const at::Tensor&);
std::vector<c10::IValue> cloneOf(const std::vector<c10::IValue>&);

// Floating tensors upcast to float64; everything else as it is.
c10::IValue toDouble(const c10::IValue&);

// Same dtype, sizes and bits: NaNs of equal bits are equal, 0 and -0 are not.
bool sameBits(const at::Tensor&, const at::Tensor&);
// The same for any leaf.
bool sameBits(const c10::IValue&, const c10::IValue&);

}  // namespace kadvise
