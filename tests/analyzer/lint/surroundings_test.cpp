#include "analyzer/lint/surroundings.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace kadvise {
namespace {

FunctionName named(const std::string& name, const std::string& declaredIn = "") {
  return {name, 1, declaredIn};
}

RecordedFile fileWith(const std::string& path) { return {path, {}}; }

LaunchRecord launchOf(const std::string& kernel, const std::string& declaredIn = "") {
  LaunchRecord out;
  out.kernel = named(kernel, declaredIn);
  out.block = {256, 1, 1};
  return out;
}

FunctionRecord functionOf(const std::string& name) {
  FunctionRecord out;
  out.name = named(name);
  out.takesTensor = true;
  return out;
}

CallRecord callOf(const std::string& name, bool guards = false) {
  CallRecord out;
  out.callee = named(name);
  out.guardsDevice = guards;
  return out;
}

TEST(Surroundings, ALaunchBelongsToTheFileWhoseDeclarationItSaw) {
  auto launcher = fileWith("/p/main.cu"), header = fileWith("/p/a/kernels.cuh"),
       other = fileWith("/p/other.cu");
  launcher.record.launches = {launchOf("k", "/p/a/kernels.cuh")};
  header.record.kernels = {named("k")};
  other.record.kernels = {named("k")};
  auto out = surroundingsOf({launcher, header, other});
  EXPECT_TRUE(out[0].empty());
  ASSERT_EQ(out[1].launches.size(), 1u);
  EXPECT_EQ(out[1].launches[0].file, "/p/main.cu");
  EXPECT_EQ(out[1].launches[0].launch.block[0], 256);
  EXPECT_TRUE(out[2].empty());
}

TEST(Surroundings, ElseToTheNearestDefinition) {
  auto launcher = fileWith("/p/one/main.cu"), near = fileWith("/p/one/k.cu"), far = fileWith("/p/two/k.cu");
  launcher.record.launches = {launchOf("k", "/p/one/k.h")};
  near.record.kernels = far.record.kernels = {named("k")};
  auto out = surroundingsOf({launcher, near, far});
  EXPECT_EQ(out[1].launches.size(), 1u);
  EXPECT_TRUE(out[2].empty());
}

TEST(Surroundings, AFilesOwnKernelIsMeant) {
  auto launcher = fileWith("/p/a.cu"), other = fileWith("/p/b.cu");
  launcher.record.launches = {launchOf("k")};
  launcher.record.kernels = other.record.kernels = {named("k")};
  auto out = surroundingsOf({launcher, other});
  EXPECT_TRUE(out[0].empty());
  EXPECT_TRUE(out[1].empty());
}

TEST(Surroundings, OverloadsDiffer) {
  auto launcher = fileWith("/p/a.cu"), other = fileWith("/p/b.cu");
  launcher.record.launches = {launchOf("k")};
  launcher.record.launches[0].kernel.parameters = 3;
  other.record.kernels = {named("k")};
  EXPECT_TRUE(surroundingsOf({launcher, other})[1].empty());
}

// entry() in op.cpp calls middle(), which calls the function with the launch.
std::vector<RecordedFile> chain(bool entryGuards, bool isBound) {
  auto cpp = fileWith("/p/op.cpp"), cu = fileWith("/p/op.cu");
  auto entry = functionOf("entry"), middle = functionOf("middle");
  middle.calls = {callOf("launch")};
  entry.calls = {callOf("middle", entryGuards)};
  middle.isEntry = isBound;
  cpp.record.functions = {entry, middle};
  cu.record.functions = {functionOf("launch")};
  return {cpp, cu};
}

TEST(Surroundings, AGuardTwoCallsAboveCounts) {
  auto out = surroundingsOf(chain(true, false));
  ASSERT_EQ(out[1].calls.size(), 1u);
  EXPECT_TRUE(out[1].calls[0].isGuarded);
  EXPECT_EQ(out[1].calls[0].caller.name.name, "middle");
  EXPECT_FALSE(surroundingsOf(chain(false, false))[1].calls[0].isGuarded);
}

TEST(Surroundings, ButNotAroundAFunctionThatIsCalledFromAnywhere) {
  EXPECT_FALSE(surroundingsOf(chain(true, true))[1].calls[0].isGuarded);
}

// bound() of op.h, which bindings.cpp binds, calls op() of op.cu, and that launch() of launch.cuh.
std::vector<RecordedFile> operatorOfFourFiles() {
  auto bindings = fileWith("/p/bindings.cpp"), h = fileWith("/p/op.h"), cu = fileWith("/p/op.cu"),
       cuh = fileWith("/p/launch.cuh");
  auto init = functionOf("init"), bound = functionOf("bound"), op = functionOf("op"),
       launch = functionOf("launch");
  init.calls = {callOf("bound")};
  init.calls[0].isBinding = true;
  bound.calls = {callOf("op")}, op.calls = {callOf("launch")};
  bound.takesTensor = op.takesTensor = true, launch.takesTensor = false, launch.launches = true;
  cuh.record.launches = {launchOf("k")};
  cuh.record.launches[0].caller = "launch";
  bindings.record.functions = {init}, h.record.functions = {bound};
  cu.record.functions = {op}, cuh.record.functions = {launch};
  return {bindings, h, cu, cuh};
}

TEST(Surroundings, WhatIsBoundElsewhereIsReached) {
  auto out = surroundingsOf(operatorOfFourFiles());
  ASSERT_EQ(out[2].calls.size(), 1u);
  EXPECT_TRUE(out[2].calls[0].isReached);
  EXPECT_FALSE(out[2].calls[0].caller.isEntry);
  auto unbound = operatorOfFourFiles();
  unbound[0].record.functions.clear();
  EXPECT_FALSE(surroundingsOf(unbound)[2].calls[0].isReached);
}

TEST(Surroundings, LaunchesOfFunctionsWithoutTensorsAreToldToTheirCallers) {
  auto files = operatorOfFourFiles();
  auto out = surroundingsOf(files);
  ASSERT_EQ(out[2].launchers.size(), 1u);
  EXPECT_EQ(out[2].launchers[0].function.name, "launch");
  EXPECT_EQ(out[2].launchers[0].kernel.name, "k");
  EXPECT_EQ(out[2].launchers[0].file, "/p/launch.cuh");
  EXPECT_TRUE(out[1].launchers.empty());  // of op(), which takes tensors
  files[3].record.functions[0].guardsDevice = true;
  EXPECT_TRUE(surroundingsOf(files)[2].launchers.empty());
}

TEST(Surroundings, EndsForFunctionsThatCallEachOther) {
  auto cpp = fileWith("/p/op.cpp"), cu = fileWith("/p/op.cu");
  auto a = functionOf("a"), b = functionOf("b");
  a.calls = {callOf("b"), callOf("launch")};
  b.calls = {callOf("a")};
  auto outside = functionOf("outside");
  outside.calls = {callOf("a")};
  cpp.record.functions = {a, b, outside};
  cu.record.functions = {functionOf("launch")};
  EXPECT_FALSE(surroundingsOf({cpp, cu})[1].calls[0].isGuarded);
}

TEST(Surroundings, AnInternalFunctionIsMeantInItsFileAlone) {
  auto a = fileWith("/p/a.cpp"), b = fileWith("/p/b.cpp");
  auto caller = functionOf("caller"), hidden = functionOf("helper");
  caller.calls = {callOf("helper")};
  hidden.isInternal = true;
  a.record.functions = {caller};
  b.record.functions = {hidden};
  EXPECT_TRUE(surroundingsOf({a, b})[1].empty());
}

TEST(Surroundings, ARequestIsToldToWhoLaunches) {
  auto setUp = fileWith("/p/setup.cu"), launcher = fileWith("/p/main.cu"), kernel = fileWith("/p/k.cu");
  setUp.record.requested = {named("k")};
  launcher.record.launches = {launchOf("k")};
  kernel.record.kernels = {named("k")};
  auto out = surroundingsOf({setUp, launcher, kernel});
  EXPECT_TRUE(out[0].requested.empty());
  EXPECT_EQ(out[1].requested.size(), 1u);
  EXPECT_EQ(out[2].requested.size(), 1u);
}

TEST(Surroundings, TheOrderOfTheFilesDoesNotMatter) {
  auto files = chain(true, false);
  auto launcher = fileWith("/p/z.cu"), kernels = fileWith("/p/k.cuh");
  launcher.record.launches = {launchOf("k"), launchOf("k")};
  kernels.record.kernels = {named("k")};
  files.push_back(launcher), files.push_back(kernels);
  auto forward = surroundingsOf(files);
  std::reverse(files.begin(), files.end());
  auto backward = surroundingsOf(files);
  std::reverse(backward.begin(), backward.end());
  for (std::size_t i = 0; i < files.size(); ++i) EXPECT_EQ(Json(forward[i]), Json(backward[i]));
}

TEST(Surroundings, AreTheSameBehindTheirJson) {
  SourceRecord record;
  record.launches = {launchOf("k", "/p/k.cuh")};
  record.launches[0].templateArguments = {"float", "256"};
  record.functions = {functionOf("f")};
  record.functions[0].calls = {callOf("g", true)};
  record.functions[0].calls[0].arguments = {{"contiguous", "tensor"}, {}};
  EXPECT_EQ(Json(record), Json(Json(record).get<SourceRecord>()));
}

TEST(Surroundings, ARequestIsToldToThoseWhoLaunchTheKernelAndItsDefinitionAlone) {
  auto asks = fileWith("/p/asks.cu"), launches = fileWith("/p/launches.cu"), defines = fileWith("/p/k.cu");
  asks.record.requested = {named("k"), named("nowhere")};
  launches.record.launches = {launchOf("k"), launchOf("other")};
  defines.record.kernels = {named("k"), named("other")};
  auto unknown = fileWith("/p/unknown.cu");
  unknown.record.launches = {launchOf("nowhere")};
  auto out = surroundingsOf({asks, launches, defines, unknown});
  EXPECT_TRUE(out[0].empty());
  ASSERT_EQ(out[1].requested.size(), 1u);
  EXPECT_EQ(out[1].requested[0].name, "k");
  ASSERT_EQ(out[2].requested.size(), 1u);
  ASSERT_EQ(out[3].requested.size(), 1u);
  EXPECT_EQ(out[3].requested[0].name, "nowhere");
}

// Samples in folders of their own: all have a kernel, a function and a request of the same name.
TEST(Surroundings, OfManyFilesWithTheSameNamesEnd) {
  std::vector<RecordedFile> files;
  for (int i = 0; i < 4000; ++i) {
    files.push_back(fileWith("/p/sample" + std::to_string(i) + "/main.cu"));
    auto& r = files.back().record;
    for (auto* name : {"k", "reduce", "scan"}) {
      r.kernels.push_back(named(name)), r.requested.push_back(named(name));
      r.launches.push_back(launchOf(name));
    }
    r.requested.push_back(named("nowhere")), r.launches.push_back(launchOf("nowhere"));
    auto run = functionOf("run");
    run.calls.assign(20, callOf("check"));
    r.functions = {run, functionOf("check")};
  }
  auto out = surroundingsOf(files);  // a look from each to each would not end before the test is stopped
  EXPECT_EQ(out[0].requested.size(), 1u);
  EXPECT_TRUE(out[0].launches.empty());
}

}  // namespace
}  // namespace kadvise
