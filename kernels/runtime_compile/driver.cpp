#include "kernels/runtime_compile/driver.h"

namespace kadvise {
namespace {

constexpr unsigned kVersion = 12040;  // of cuFuncLoad, the newest of them

template <class Function>
bool find(const char* name, Function& function) {
  void* symbol = nullptr;
  cudaDriverEntryPointQueryResult found{};
  const auto error = cudaGetDriverEntryPointByVersion(name, &symbol, kVersion, cudaEnableDefault, &found);
  if (error != cudaSuccess) cudaGetLastError();
  function = reinterpret_cast<Function>(symbol);
  return error == cudaSuccess && found == cudaDriverEntryPointSuccess && function != nullptr;
}

bool findAll(Driver& f) {
  return find("cuLibraryLoadData", f.loadLibrary) && find("cuLibraryGetKernel", f.kernelOf) &&
         find("cuKernelGetFunction", f.functionOf) && find("cuFuncLoad", f.loadFunction) &&
         find("cuFuncSetAttribute", f.setAttribute) && find("cuLaunchKernelEx", f.launch) &&
         find("cuCtxGetCurrent", f.currentContext);
}

}  // namespace

const Driver* driver() {
  static Driver functions{};
  static const bool hasAll = findAll(functions);
  return hasAll ? &functions : nullptr;
}

}  // namespace kadvise
