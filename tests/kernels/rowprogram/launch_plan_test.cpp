// What plans are kept by, which problems are tuned together, and what a GPU is taken to have.
#include "kernels/rowprogram/launch_plan.h"
#include "kernels/common/architectures.h"
#include "kernels/rowprogram/gpu.h"
#include "kernels/rowprogram/tuned_choices.h"
#include "kernels/runtime_compile/launch.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <set>

namespace kadvise::rowprogram {
namespace {

// What is not on the heap would be gone before the plans' keys are compared.
const Program& program() {
  static const auto kept = parsed(
      "row_program 1\nrank 2\nreduce 1\nx = in bfloat16\nw = in bfloat16\nm = mean x\ny = mul m w\nz = add x "
      "y\nout z bfloat16\n");
  return *kept;
}

Problem problemOf(std::int64_t rows, std::int64_t columns) {
  Problem problem;
  problem.program = &program();
  problem.outer = {rows};
  problem.inner = {columns};
  problem.inputs = {{Element::BFloat16, {columns}, {1}, 16}, {Element::BFloat16, {0}, {1}, 16}};
  problem.outputs = {{Element::BFloat16, {columns}, {1}, 16}};
  problem.bounds = {0, 0};
  return problem;
}

NamedGpu h200() {
  DeviceFacts facts{};
  std::strcpy(facts.name, "NVIDIA H200");
  facts.arch = 90;
  facts.sms = 132;
  facts.sharedBytesPerBlock = 232448;
  facts.l2Bytes = 60 << 20;
  facts.memoryBytesPerSecond = 4.8e12;
  return gpuOf(facts);
}

// Every single change of a call that a kernel may depend on.
const std::pair<const char*, std::function<void(Problem&)>> kChanges[] = {
    {"rows", [](Problem& p) { p.outer[0] = 65; }},
    {"columns", [](Problem& p) { p.inner[0] = 127; }},
    {"a stride", [](Problem& p) { p.inputs[0].outer[0] = 256; }},
    {"a broadcast", [](Problem& p) { p.inputs[0].outer[0] = 0; }},
    {"an inner stride", [](Problem& p) { p.inputs[1].inner[0] = 2; }},
    {"an output's stride", [](Problem& p) { p.outputs[0].outer[0] = 256; }},
    {"an alignment", [](Problem& p) { p.inputs[0].alignment = 8; }},
    {"an address", [](Problem& p) { p.inputs[1].address = 8; }},
    {"an output's alignment", [](Problem& p) { p.outputs[0].alignment = 2; }},
    {"an element", [](Problem& p) { p.inputs[0].element = Element::Half; }},
    {"a dimension from outer to inner",
     [](Problem& p) {
       p.outer = {};
       p.inner = {64, 128};
       for (auto* accesses : {&p.inputs, &p.outputs}) {
         for (Access& a : *accesses) a.inner = {a.outer[0], a.inner[0]}, a.outer = {};
       }
     }},
    {"a table's rows", [](Problem& p) { p.bounds[1] = 7; }},
    {"a list's step", [](Problem& p) { p.inputs[1].step = 2; }},
    {"a number of the host", [](Problem& p) { p.inputs[1].isNumber = true; }},
};

TEST(CallKey, differs_in_all_that_a_kernel_depends_on) {
  const CallKey key = callKey(problemOf(64, 128), 0);
  EXPECT_EQ(key, callKey(problemOf(64, 128), 0));
  EXPECT_NE(key, callKey(problemOf(64, 128), 1));
  for (const auto& [what, change] : kChanges) {
    Problem changed = problemOf(64, 128);
    change(changed);
    EXPECT_NE(key, callKey(changed, 0)) << what;
  }
  Problem other = problemOf(64, 128);
  const auto another = parsed(program().text + "out y bfloat16\n");
  other.program = another.get();
  EXPECT_NE(key, callKey(other, 0));
}

TEST(LaunchPlanCache, gives_back_what_was_kept_and_starts_again_when_it_is_full) {
  LaunchPlanCache cache;
  const auto first = std::make_shared<const LaunchPlan>();
  const CallKey key = callKey(problemOf(1, 128), 0);
  EXPECT_EQ(cache.find(key), nullptr);
  cache.keep(key, first);
  EXPECT_EQ(cache.find(key), first);
  for (int rows = 2; rows < 6000; ++rows)
    cache.keep(callKey(problemOf(rows, 128), 0), std::make_shared<const LaunchPlan>());
  EXPECT_EQ(cache.find(key), nullptr);
  EXPECT_NE(cache.find(callKey(problemOf(5999, 128), 0)), nullptr);
}

TEST(ShapeClass, joins_sizes_that_are_near_and_nothing_else) {
  const NamedGpu gpu = h200();
  const auto of = [&](std::int64_t rows, std::int64_t columns) {
    return shapeClass(problemOf(rows, columns), gpu);
  };
  EXPECT_EQ(of(1024, 4096), of(1000, 4090));
  EXPECT_NE(of(1024, 4096), of(1024, 3000));
  EXPECT_NE(of(1024, 4096), of(2048, 4096));
  std::set<std::string> classes;
  for (std::int64_t columns = 1; columns <= 65536; columns += 7) classes.insert(of(64, columns));
  EXPECT_LE(classes.size(), 64u) << "a sequence that grows is tuned a few times only";
  NamedGpu other = gpu;
  other.name = "another";
  EXPECT_NE(of(64, 128), shapeClass(problemOf(64, 128), other));
  for (const char* what : {"a broadcast", "an alignment", "an element", "an inner stride"}) {
    for (const auto& [name, change] : kChanges) {
      Problem changed = problemOf(64, 128);
      change(changed);
      if (std::string(name) == what) EXPECT_NE(of(64, 128), shapeClass(changed, gpu)) << what;
    }
  }
}

TEST(TrafficBytes, counts_each_byte_once) {
  EXPECT_EQ(trafficBytes(problemOf(64, 128)), 2 * (64 * 128 + 128 + 64 * 128));
  Problem gather = problemOf(64, 128);
  gather.bounds[1] = 50000;
  gather.inputs[1] = {Element::BFloat16, {}, {128, 1}, 16};
  EXPECT_EQ(trafficBytes(gather), 2 * 3 * 64 * 128);
}

TEST(Architectures, are_in_order_and_stand_for_what_is_not_in_the_table) {
  int before = 0;
  for (const Architecture& one : architectures()) {
    EXPECT_GT(one.arch, before);
    EXPECT_GE(one.sharedBytesPerBlock, 99 * 1024);
    EXPECT_GT(one.copied * one.bytesPerSecond, 5e11);
    EXPECT_EQ(one.clusters, one.arch >= 90);
    before = one.arch;
  }
  EXPECT_EQ(architectureOf(90).arch, 90);
  EXPECT_EQ(architectureOf(87).arch, 86);
  EXPECT_EQ(architectureOf(75).arch, 80);
  EXPECT_EQ(architectureOf(200).arch, 120);
}

TEST(GpuOfDevice, is_what_the_device_says_and_else_what_the_table_says) {
  const NamedGpu said = h200();
  EXPECT_EQ(said.name, "NVIDIA H200, sm_90, 132 SMs");
  EXPECT_EQ(said.gpu.l2Bytes, 60 << 20);
  EXPECT_NEAR(said.gpu.bytesPerSecond, 4.32e12, 1e10);
  EXPECT_TRUE(said.gpu.clusters);
  DeviceFacts silent{};
  silent.arch = 86;
  const Gpu gpu = gpuOf(silent).gpu;
  EXPECT_EQ(gpu.sms, 82);
  EXPECT_EQ(gpu.sharedBytesPerBlock, 99 * 1024);
  EXPECT_GT(gpu.bytesPerSecond, 5e11);
  EXPECT_FALSE(gpu.clusters);
}

}  // namespace
}  // namespace kadvise::rowprogram
