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

using Results = std::tuple<at::Tensor, at::Tensor>;  // normalized, sum
using Maybe = std::optional<at::Tensor>;

inline Results addLayerNorm(const at::Tensor& x, const at::Tensor& residual, at::IntArrayRef shape,
                            const Maybe& weight = {}, const Maybe& bias = {}, double eps = 1e-5) {
  library();
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("kadvise::add_layer_norm", "")
                             .typed<Results(const at::Tensor&, const at::Tensor&, c10::SymIntArrayRef,
                                            const Maybe&, const Maybe&, double)>();
  return op.call(x, residual, c10::fromIntArrayRefSlow(shape), weight, bias, eps);
}

// What the operator stands for.
inline Results composition(const at::Tensor& x, const at::Tensor& residual, at::IntArrayRef shape,
                           const Maybe& weight = {}, const Maybe& bias = {}, double eps = 1e-5) {
  at::Tensor sum = at::add(x, residual);
  return {at::layer_norm(sum, shape, weight, bias, eps), sum};
}

}  // namespace kadvise::test
