#include "profiler/tensor_metrics.h"

#include <algorithm>

namespace kadvise {
namespace {

std::string joined(const std::vector<const char*>& names) {
  std::string out;
  for (const char* n : names) out += (out.empty() ? "" : " + ") + std::string(n);
  return out;
}

}  // namespace

// The pipe as a whole also runs packed half-precision additions of kernels that multiply no matrices: where
// the chip tells them apart, matrix work alone is counted.
const MetricChoice& tensorPipeShare() {
  static const MetricChoice choice = {
      "tensor pipe",
      {{"sm__pipe_tensor_op_hmma_type_hmma_hgmma_qgmma_cycles_active.avg.pct_of_peak_sustained_active"},
       {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"}}};
  return choice;
}

const MetricChoice& tensorInstructions() {
  static const MetricChoice choice = {
      "tensor instructions",
      {{"sm__inst_executed_pipe_tensor_op_gmma.sum"}, {"sm__inst_executed_pipe_tensor.sum"}}};
  return choice;
}

// CUPTI's own list of each chip: 9.0 sums up fp16 and fp8, 8.x and 10.x divide them by the type of the
// result, and 7.5 has one name for all that adds up in fp32.
const std::vector<MetricChoice>& tensorOperations() {
  static const std::vector<MetricChoice> choices = {
      {"fp16 operations",
       {{"sm__ops_path_tensor_src_fp16.sum"},
        {"sm__ops_path_tensor_src_fp16_dst_fp16.sum", "sm__ops_path_tensor_src_fp16_dst_fp32.sum"},
        {"sm__ops_path_tensor_src_fp16_dst_fp16.sum",
         "sm__ops_path_tensor_src_fp16_bf16_tf32_dst_fp32.sum"}}},
      {"bf16 operations",
       {{"sm__ops_path_tensor_src_bf16_dst_fp32.sum"}, {"sm__ops_path_tensor_src_bf16.sum"}}},
      {"tf32 operations",
       {{"sm__ops_path_tensor_src_tf32_dst_fp32.sum"}, {"sm__ops_path_tensor_src_tf32.sum"}}},
      {"fp8 operations",
       {{"sm__ops_path_tensor_src_fp8.sum"},
        {"sm__ops_path_tensor_src_fp8_dst_fp16.sum", "sm__ops_path_tensor_src_fp8_dst_fp32.sum"},
        {"sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp16.sum",
         "sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp32.sum"}}},
      {"fp64 operations", {{"sm__ops_path_tensor_src_fp64.sum"}}}};
  return choices;
}

const std::vector<const char*>* chosen(const MetricChoice& choice, const HasMetric& has) {
  auto hasAll = [&](const std::vector<const char*>& names) {
    return std::all_of(names.begin(), names.end(), has);
  };
  auto found = std::find_if(choice.names.begin(), choice.names.end(), hasAll);
  return found == choice.names.end() ? nullptr : &*found;
}

std::string choicesInWords(const HasMetric& has) {
  std::string there, missing;
  auto tell = [&](const MetricChoice& choice) {
    if (const auto* names = chosen(choice, has))
      there += (there.empty() ? "" : "; ") + std::string(choice.figure) + ": " + joined(*names);
    else missing += (missing.empty() ? "" : ", ") + std::string(choice.figure);
  };
  tell(tensorPipeShare());
  tell(tensorInstructions());
  for (const MetricChoice& choice : tensorOperations()) tell(choice);
  if (missing.empty()) return there;
  return there + (there.empty() ? "" : "; ") + "not on this chip: " + missing;
}

}  // namespace kadvise
