// The text form of an input: "float32[4,128,512]", "int64[2,128]<1000" (values below 1000), "float[64]>0"
// (positive values), "bool[8]", "float32[]" (0-dim). In a rule page "float" stands for the dtype under test
// and a leading "weight " marks a parameter.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kadvise {

struct InputSpec {
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::optional<std::int64_t> below;
  bool positive = false;
  bool weight = false;
};

// Throws Error with the part that is wrong and the forms that are allowed. At most 2^34 elements.
InputSpec parseInputSpec(const std::string&);
std::string toString(const InputSpec&);

}  // namespace kadvise
