// The kernel library as a user of it sees it: loaded by dlopen, called through torch's dispatcher.
#pragma once

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <gtest/gtest.h>

#include <dlfcn.h>

#include <filesystem>
#include <string>

namespace kadvise::test {

// Beside the test programs' folder, wherever the build was moved to.
inline std::filesystem::path libraryFolder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "lib";
}

inline void* library() {
  static void* const handle = [] {
    const auto path = libraryFolder() / "libkadvise_kernels.so";
    void* loaded = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    TORCH_CHECK(loaded != nullptr, dlerror());
    return loaded;
  }();
  return handle;
}

// torch's CUDA half must be there before torch first asks for CUDA. False: this machine has none, or no GPU.
inline bool hasCuda() {
  static const bool has = dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) != nullptr && at::hasCUDA();
  return has;
}

using at::Tensor;
using Maybe = std::optional<Tensor>;

// The operator kadvise::NAME, as a function of this signature.
template <class Signature>
c10::TypedOperatorHandle<Signature> operatorNamed(const char* name) {
  library();
  return c10::Dispatcher::singleton()
      .findSchemaOrThrow((std::string("kadvise::") + name).c_str(), "")
      .typed<Signature>();
}

}  // namespace kadvise::test
