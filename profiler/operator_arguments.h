// Arguments for one call of an operator, made from its schema and one shape.
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

#include "profiler/device.h"

namespace kadvise {

struct ArgumentPlan {
  std::vector<std::int64_t> shape;  // of the first tensor
  c10::ScalarType dtype = c10::ScalarType::Float;
  c10::Device device{c10::kCPU};
};

// Throws Error with the argument that cannot be made.
std::vector<c10::IValue> argumentsFor(const c10::FunctionSchema&, const ArgumentPlan&);

// "float32[4096,4096], float32[4096], 1e-05": the tensors, and the numbers that were chosen.
std::string argumentWords(const std::vector<c10::IValue>&);

// "4096x4096"; throws Error.
std::vector<std::int64_t> shapeFrom(const std::string&);

}  // namespace kadvise
