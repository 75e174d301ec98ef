// Cases of other values: the same shapes, dtypes and layouts.
#pragma once

#include <string>
#include <vector>

#include "profiler/case_roles.h"

namespace kadvise {

enum class Breadth {
  Batch,    // the batch alone, once: under a tool that watches every access of memory
  AsGiven,  // the questions that the batch asks: its shapes and layouts, values of its kind
  Wide      // any input that the original accepts: other signs, edge values, shapes and layouts
};

// Which roles are among the tensors of a batch, and whether its integers may be indices: values out of range
// would end the original, on a GPU the whole process.
struct Kinds {
  bool floats = false, masks = false, integers = false, bools = false, indices = true;
};

// Those that can differ from the batch itself, the most telling first.
std::vector<std::string> valueCaseNames(const Kinds&, Breadth);

// Undefined when the case leaves this tensor as it is.
at::Tensor valuesOfCase(const std::string& name, const at::Tensor& model, Role);

}  // namespace kadvise
