// What the tensors of one call make of a program: sizes, dtypes and layouts of its values and outputs.
#pragma once

#include "kernels/rowprogram/program.h"

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>

namespace kadvise::rowprogram {

template <class Int>  // std::int64_t or c10::SymInt
using Sizes = c10::SmallVector<Int, kMostRank>;

at::ScalarType scalarType(Element element);

// Throws where inputs differ from the text in number, dtype or rank, or do not broadcast.
void checkCall(const Program& program, at::TensorList inputs);

// A float64 among the inputs: all floating values are computed, and given, in float64.
bool isWide(at::TensorList inputs);

// The dtype that values of the type are computed in.
at::ScalarType computedIn(Type type, bool isWide);

bool haveSymbols(at::TensorList inputs);

// Sizes at the program's rank of a value that is computed of the inputs `reads`, of which `along` give its
// sizes in the reduced dimensions. Throws where they do not broadcast.
template <class Int>
Sizes<Int> sizesOf(const Program& program, at::TensorList inputs, std::uint32_t reads, std::uint32_t along);

// Dimensions of a value of the program's rank that its output does not have: those left of all that it is
// computed of, and what it drops.
Sizes<std::int64_t> droppedDims(const Program& program, at::TensorList inputs, const Output& output);

at::ScalarType dtypeOf(const Output& output, bool isWide);

template <class Int>
struct Layout {
  Sizes<Int> sizes, strides;
  bool isContiguous = true;
};
template <class Int>
Layout<Int> layoutOf(const Program& program, at::TensorList inputs, const Output& output);

// Uninitialised.
template <class Int>
at::Tensor empty(const Layout<Int>& form, const at::TensorOptions& options);
std::vector<at::Tensor> emptyOutputs(const Program& program, at::TensorList inputs);
// The same, but for those over an input that lies alike and that `inputs` alone holds: neither a name of the
// module, nor Python, nor a view of its memory. They are that input.
std::vector<at::Tensor> outputsOverInputs(const Program& program, at::TensorList inputs);

// The device of the call: a GPU where an input is on one.
at::Device deviceOf(at::TensorList inputs);

}  // namespace kadvise::rowprogram
