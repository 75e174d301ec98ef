// The names that the tensor cores' work is counted by, held against CUPTI's own list of each chip: no GPU is
// needed.
#include "profiler/tensor_metrics.h"

#include <gtest/gtest.h>

#include <set>

#include "profiler/kernel_bound.h"
#include "profiler/metric_host.h"

namespace kadvise {
namespace {

// Of one chip. CUPTI reads its lists from a library beside it, which an installation may lack.
HasMetric metricsOf(const char* chipName) {
  auto chip = cupti::Chip{nullptr, chipName, {}};
  return [chip](const std::string& metric) { return cupti::has(chip, metric); };
}

bool areListsThere() {
  try {
    return metricsOf("GH100")("gpu__time_duration.sum");
  } catch (const cupti::Refused&) {
    return false;
  }
}

std::set<std::string> figuresOf(const char* chipName) {
  std::set<std::string> out;
  HasMetric has = metricsOf(chipName);
  for (const MetricChoice& choice : tensorOperations())
    if (chosen(choice, has)) out.insert(choice.figure);
  if (chosen(tensorPipeShare(), has)) out.insert(tensorPipeShare().figure);
  if (chosen(tensorInstructions(), has)) out.insert(tensorInstructions().figure);
  return out;
}

TEST(TensorMetrics, EveryFigureHasANameOnTheChipsThatCanDoIt) {
  if (!areListsThere()) GTEST_SKIP() << "CUPTI's lists of metrics are not installed";
  std::set<std::string> turing = {"tensor pipe", "tensor instructions", "fp16 operations"}, ampere = turing;
  ampere.insert({"bf16 operations", "tf32 operations", "fp64 operations"});
  std::set<std::string> hopper = ampere;
  hopper.insert("fp8 operations");
  EXPECT_EQ(figuresOf("TU102"), turing);
  for (const char* chip : {"GA100", "GA102"}) EXPECT_EQ(figuresOf(chip), ampere) << chip;
  for (const char* chip : {"AD102", "GH100", "GB100", "GB202"}) EXPECT_EQ(figuresOf(chip), hopper) << chip;
}

TEST(TensorMetrics, EveryNameThatIsCountedIsThereOnHopper) {
  if (!areListsThere()) GTEST_SKIP() << "CUPTI's lists of metrics are not installed";
  HasMetric has = metricsOf("GH100");
  for (const auto& set : countedMetrics(has))
    for (const std::string& name : set) EXPECT_TRUE(has(name)) << name;
}

TEST(TensorMetrics, TheFirstEntryThatIsThereInFullIsTaken) {
  const MetricChoice choice = {"some operations", {{"whole"}, {"half", "other half"}, {"last"}}};
  auto taken = [&](std::set<std::string> names) {
    const auto* found = chosen(choice, [&](const std::string& n) { return names.contains(n); });
    return found ? std::string(found->front()) : "";
  };
  EXPECT_EQ(taken({"whole", "half", "other half"}), "whole");
  EXPECT_EQ(taken({"half", "other half", "last"}), "half");
  EXPECT_EQ(taken({"half", "last"}), "last");
  EXPECT_EQ(taken({"half"}), "");
}

TEST(TensorMetrics, OperationsOfEveryTypeAreAddedUpOnce) {
  // A chip that divides fp16 by the type of the result, and one that does not.
  for (const CounterValues& values : {CounterValues{{"sm__ops_path_tensor_src_fp16.sum", 100},
                                                    {"sm__ops_path_tensor_src_bf16_dst_fp32.sum", 20},
                                                    {"sm__ops_path_tensor_src_tf32_dst_fp32.sum", 3},
                                                    {"sm__ops_path_tensor_src_fp8.sum", 4}},
                                      CounterValues{{"sm__ops_path_tensor_src_fp16_dst_fp16.sum", 90},
                                                    {"sm__ops_path_tensor_src_fp16_dst_fp32.sum", 10},
                                                    {"sm__ops_path_tensor_src_bf16_dst_fp32.sum", 20},
                                                    {"sm__ops_path_tensor_src_tf32_dst_fp32.sum", 3},
                                                    {"sm__ops_path_tensor_src_fp8_dst_fp16.sum", 1},
                                                    {"sm__ops_path_tensor_src_fp8_dst_fp32.sum", 3}}}) {
    CountedKernel kernel;
    judgeKernel(kernel, values, {.us = 1});
    EXPECT_EQ(kernel.tensorFlop, 127);
  }
}

TEST(TensorMetrics, DoctorNamesWhatIsUsedAndWhatIsMissing) {
  std::string words =
      choicesInWords([](const std::string& n) { return n == "sm__ops_path_tensor_src_fp16.sum"; });
  EXPECT_NE(words.find("fp16 operations: sm__ops_path_tensor_src_fp16.sum"), std::string::npos) << words;
  EXPECT_NE(words.find("not on this chip: tensor pipe, tensor instructions, bf16 operations"),
            std::string::npos)
      << words;
}

}  // namespace
}  // namespace kadvise
