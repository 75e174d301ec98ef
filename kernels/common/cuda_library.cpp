#include "kernels/common/cuda_library.h"

#include "kernels/common/abi.h"
#include "kernels/common/own_folder.h"
#include "kernels/kernels.h"

#include <c10/core/Stream.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/Exception.h>

#include <dlfcn.h>

namespace kadvise {
namespace {

constexpr const char* kFile = "libkadvise_kernels_cuda.so";

struct Loaded {
  void* handle = nullptr;
  std::string problem;  // empty when usable
};

Loaded load() {
  const std::string path = ownFolder() + "/" + kFile;
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = dlerror();
    return {nullptr, "kadvise operators on a GPU need " + path + ", which could not be loaded (" +
                         (reason != nullptr ? reason : "no reason given") +
                         "): install kadvise with its CUDA kernels, or keep " + kFile +
                         " beside libkadvise_kernels.so"};
  }
  auto* abi = reinterpret_cast<KadviseCudaAbi*>(dlsym(handle, "kadvise_cuda_abi"));
  auto* problem = reinterpret_cast<KadviseCudaProblem*>(dlsym(handle, "kadvise_cuda_problem"));
  if (abi == nullptr || problem == nullptr || abi() != kCudaAbi) {
    dlclose(handle);
    return {nullptr, path + " is of another build than libkadvise_kernels.so: install both from one kadvise"};
  }
  const char* sentence = problem();
  return {handle, sentence != nullptr ? path + ": " + sentence : std::string()};
}

// Once a process: a repaired installation needs a restart.
const Loaded& library() {
  static const Loaded loaded = load();
  return loaded;
}

}  // namespace

std::string cudaProblem() { return library().problem; }

void* cudaSymbol(const char* name) {
  const Loaded& loaded = library();
  TORCH_CHECK(loaded.problem.empty(), loaded.problem);
  void* symbol = dlsym(loaded.handle, name);
  TORCH_CHECK(symbol != nullptr, kFile, " has no ", name,
              ": it is of another build, install both libraries together");
  return symbol;
}

void* currentStream(c10::Device device) {
  return c10::impl::VirtualGuardImpl(device.type()).getStream(device).native_handle();
}

}  // namespace kadvise

const char* kadvise_kernels_cuda_problem() {
  thread_local std::string sentence;
  sentence = kadvise::cudaProblem();
  return sentence.empty() ? nullptr : sentence.c_str();
}
