// Small modules for tests, made from TorchScript text.
#pragma once

#include <torch/csrc/jit/frontend/resolver.h>
#include <torch/csrc/jit/frontend/sugared_value.h>
#include <torch/script.h>

#include <atomic>
#include <filesystem>
#include <string>

#include "profiler/device.h"

namespace kadvise {

inline torch::jit::Module moduleFrom(const std::string& source) {
  static std::atomic<int> count{0};
  torch::jit::Module m(c10::QualifiedName("__torch__.Test" + std::to_string(count++)));
  m.define(source);
  m.eval();
  return m;
}

// "torch." and the library's own name and a dot before the name of an operator.
struct OperatorNames : torch::jit::Resolver {
  std::string library;
  explicit OperatorNames(std::string name) : library(std::move(name)) {}
  std::shared_ptr<torch::jit::SugaredValue> resolveValue(const std::string& name, torch::jit::GraphFunction&,
                                                         const torch::jit::SourceRange&) override {
    if (name == "torch") return std::make_shared<torch::jit::BuiltinModule>("aten");
    return name == library ? std::make_shared<torch::jit::BuiltinModule>(library) : nullptr;
  }
};

inline bool isGpuThere() { return std::filesystem::exists("/dev/nvidiactl"); }
inline Device cpuDevice() { return chooseDevice("cpu"); }

struct TemporaryFolder {
  std::filesystem::path path;
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "kadvise-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
};

}  // namespace kadvise
