#include "tests/kernels/rowprogram/made_up_gpu.h"

#include "kernels/common/cuda_library.h"
#include "kernels/rowprogram/call_problem.h"
#include "kernels/rowprogram/call_shapes.h"
#include "kernels/rowprogram/make_plan.h"
#include "kernels/rowprogram/run.h"
#include "kernels/runtime_compile/launch.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <map>
#include <thread>

namespace kadvise {

struct LoadedText {
  std::string text;
  int kernels;
};

MadeUpGpu gpu;

void MadeUpGpu::reset() {
  compiled.clear();
  timings = runs = strangeRuns = compilerMilliseconds = 0;
  isCaptured = hasAll = false;
  loadProblem = runProblem = {};
  microseconds = [](int) { return 10.0f; };
}

namespace {

std::map<std::string, LoadedText>& loadedTexts() {
  static auto* const all = new std::map<std::string, LoadedText>;
  return *all;
}

const char* facts(int, DeviceFacts* answer) {
  std::strcpy(answer->name, "made up");
  answer->arch = 90;
  answer->sms = 132;
  answer->sharedBytesPerBlock = 232448;
  return nullptr;
}

const char* loadText(const RuntimeText* text, int, const LoadedText** loaded) {
  std::this_thread::sleep_for(std::chrono::milliseconds(gpu.compilerMilliseconds));
  const std::scoped_lock lock(gpu.mutex);
  if (!gpu.loadProblem.empty()) return gpu.loadProblem.c_str();
  gpu.compiled.push_back(text->text);
  *loaded = &loadedTexts().try_emplace(text->text, LoadedText{text->text, text->count}).first->second;
  return nullptr;
}

int hasText(const RuntimeText* text, int) {
  const std::scoped_lock lock(gpu.mutex);
  return gpu.hasAll || loadedTexts().contains(text->text) ? 1 : 0;
}

const char* runText(const RuntimeCall* call, void*) {
  ++gpu.runs;
  const std::scoped_lock lock(gpu.mutex);
  const auto known = loadedTexts().find(call->text->text);
  bool isStrange = known == loadedTexts().end() || &known->second != call->text;
  for (int i = 0; i < call->text->kernels; ++i) isStrange |= call->launches[i].grid[0] < 1;
  gpu.strangeRuns += isStrange ? 1 : 0;
  return gpu.runProblem.empty() ? nullptr : gpu.runProblem.c_str();
}

const char* timeTexts(TimedCall* calls, int count, double milliseconds, void*) {
  ++gpu.timings;
  EXPECT_LE(milliseconds, 20);
  EXPECT_LE(count, static_cast<int>(rowprogram::kMostCandidates));
  for (int i = 0; i < count; ++i) calls[i].microseconds = gpu.microseconds(i);
  return nullptr;
}

int isCaptured(void*) { return gpu.isCaptured ? 1 : 0; }

}  // namespace

void* cudaSymbol(const char* name) {
  const std::pair<const char*, void*> functions[] = {
      {"kadvise_cuda_device_facts", reinterpret_cast<void*>(&facts)},
      {"kadvise_cuda_load_text", reinterpret_cast<void*>(&loadText)},
      {"kadvise_cuda_has_text", reinterpret_cast<void*>(&hasText)},
      {"kadvise_cuda_run_text", reinterpret_cast<void*>(&runText)},
      {"kadvise_cuda_time_texts", reinterpret_cast<void*>(&timeTexts)},
      {"kadvise_cuda_is_captured", reinterpret_cast<void*>(&isCaptured)}};
  for (const auto& [known, function] : functions) {
    if (std::strcmp(known, name) == 0) return function;
  }
  TORCH_CHECK(false, "no ", name);
}
void* currentStream(c10::Device) { return nullptr; }

std::string freshProgram() {
  static std::atomic<int> count{0};
  return "row_program 1\nrank 2\nreduce 1\nx = in float32\nm = mean x\nk = add m " + std::to_string(++count) +
         ".5\ny = sub x k\nout y float32\n";
}

bool callProgram(const std::string& text, std::int64_t rows, std::int64_t columns) {
  return !resultsOf(text, {at::empty({rows, columns})}).empty();
}

std::vector<at::Tensor> resultsOf(const std::string& text, const std::vector<at::Tensor>& inputs) {
  const auto program = rowprogram::parsed(text);
  auto outputs = rowprogram::outputsOverInputs(*program, inputs);
  const auto problem = rowprogram::problemOf(*program, inputs, outputs);
  EXPECT_TRUE(problem);
  const bool runs = problem && rowprogram::runOnCuda(*program, *problem, inputs, outputs, at::kCPU);
  return runs ? outputs : std::vector<at::Tensor>{};
}

}  // namespace kadvise
