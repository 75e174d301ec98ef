// The work of the tensor cores under the names that each generation of GPUs counts it by. Standard library
// only.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace kadvise {

// One figure. The first of the names that the chip has is used; the metrics of one entry are added up.
struct MetricChoice {
  const char* figure;  // "bf16 operations"
  std::vector<std::vector<const char*>> names;
};

const MetricChoice& tensorPipeShare();
const MetricChoice& tensorInstructions();
// Floating-point operations by the type of the factors; a multiply-add is two.
const std::vector<MetricChoice>& tensorOperations();

using HasMetric = std::function<bool(const std::string& metric)>;

// The entry that the chip has in full; null when it has none.
const std::vector<const char*>* chosen(const MetricChoice&, const HasMetric&);

// "fp16 operations: sm__ops_path_tensor_src_fp16.sum; ...; not on this chip: fp8 operations"
std::string choicesInWords(const HasMetric&);

}  // namespace kadvise
