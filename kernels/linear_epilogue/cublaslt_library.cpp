#include "kernels/linear_epilogue/cublaslt_library.h"

#include "kernels/common/allowed_in_capture.h"

#include <cuda_runtime.h>
#include <dlfcn.h>

#include <array>
#include <mutex>

namespace kadvise {
namespace {

constexpr const char* kFile = "libcublasLt.so.13";

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

struct Loaded {
  CublasLt functions{};
  bool usable = false;
};

Loaded load() {
  Loaded loaded;
  void* library = dlopen(kFile, RTLD_NOW | RTLD_NOLOAD);  // torch's, wherever that lies
  if (library == nullptr) library = dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return loaded;
  CublasLt& f = loaded.functions;
  loaded.usable = find(library, "cublasLtCreate", f.create) && find(library, "cublasLtMatmul", f.matmul) &&
                  find(library, "cublasLtMatmulAlgoGetHeuristic", f.heuristic) &&
                  find(library, "cublasLtMatmulDescInit_internal", f.initProduct) &&
                  find(library, "cublasLtMatmulDescSetAttribute", f.setProduct) &&
                  find(library, "cublasLtMatrixLayoutInit_internal", f.initLayout) &&
                  find(library, "cublasLtMatmulPreferenceInit_internal", f.initPreference) &&
                  find(library, "cublasLtMatmulPreferenceSetAttribute", f.setPreference);
  return loaded;
}

constexpr int kMostDevices = 64;

}  // namespace

const CublasLt* cublasLt() {
  static const Loaded loaded = load();
  return loaded.usable ? &loaded.functions : nullptr;
}

cublasLtHandle_t cublasLtOfDevice(const CublasLt& lt) {
  static std::mutex mutex;
  static std::array<cublasLtHandle_t, kMostDevices> handles{};
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess || device < 0 || device >= kMostDevices) return nullptr;
  const std::scoped_lock lock(mutex);
  cublasLtHandle_t& handle = handles[static_cast<std::size_t>(device)];
  if (handle == nullptr) {
    const AllowedInCapture allowed;
    if (lt.create(&handle) != CUBLAS_STATUS_SUCCESS) handle = nullptr;
  }
  return handle;
}

}  // namespace kadvise
