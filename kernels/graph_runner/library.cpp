// Finds the GPU half of the runner.
#include "kernels/common/own_folder.h"
#include "kernels/graph_runner/captured_calls.h"

#include <c10/util/Exception.h>

#include <dlfcn.h>

namespace kadvise {
namespace {

constexpr const char* kFile = "libkadvise_graph_runner.so";

struct Half {
  KadviseGraphRunnerMake* make = nullptr;
  std::string problem;  // empty when usable
};

Half load() {
  const std::string path = ownFolder() + "/" + kFile;
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = dlerror();
    return {nullptr, "CUDA graphs need " + path + ", which could not be loaded (" +
                         (reason != nullptr ? reason : "no reason given") + "): keep " + kFile +
                         " beside libkadvise_kernels.so"};
  }
  auto* abi = reinterpret_cast<KadviseGraphRunnerAbi*>(dlsym(handle, "kadvise_graph_runner_abi"));
  auto* make = reinterpret_cast<KadviseGraphRunnerMake*>(dlsym(handle, "kadvise_graph_runner_make"));
  if (abi == nullptr || make == nullptr || abi() != kGraphRunnerAbi) {
    dlclose(handle);
    return {nullptr, path + " is of another build than libkadvise_kernels.so: install both from one kadvise"};
  }
  return {make, ""};
}

}  // namespace

std::unique_ptr<CapturedCalls> makeCapturedCalls(ModuleCall captured, c10::Device device) {
  static const Half half = load();  // once a process: a repaired installation needs a restart
  TORCH_CHECK(half.problem.empty(), half.problem);
  return std::unique_ptr<CapturedCalls>(half.make(std::move(captured), device));
}

}  // namespace kadvise
