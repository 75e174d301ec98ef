// Small modules for tests, made from TorchScript text.
#pragma once

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
