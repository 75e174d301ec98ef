#include "profiler/driver_api.h"

#include <dlfcn.h>

namespace kadvise {
namespace {

template <class Function>
Function* driverFunction(const char* name) {
  return reinterpret_cast<Function*>(driverSymbol(name));
}

}  // namespace

void* driverSymbol(const char* name) {
  static void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return driver ? ::dlsym(driver, name) : nullptr;
}

CUcontext currentContext() {
  CUcontext context = nullptr;
  auto* current = driverFunction<CUresult(CUcontext*)>("cuCtxGetCurrent");
  return current && current(&context) == CUDA_SUCCESS ? context : nullptr;
}

std::string kernelNameOf(CUgraphNode node) {
  auto* typeOf = driverFunction<CUresult(CUgraphNode, CUgraphNodeType*)>("cuGraphNodeGetType");
  auto* parametersOf =
      driverFunction<CUresult(CUgraphNode, CUDA_KERNEL_NODE_PARAMS*)>("cuGraphKernelNodeGetParams_v2");
  auto* functionName = driverFunction<CUresult(const char**, CUfunction)>("cuFuncGetName");
  auto* kernelName = driverFunction<CUresult(const char**, CUkernel)>("cuKernelGetName");
  CUgraphNodeType type{};
  if (!typeOf || !parametersOf || typeOf(node, &type) != CUDA_SUCCESS || type != CU_GRAPH_NODE_TYPE_KERNEL)
    return "";
  CUDA_KERNEL_NODE_PARAMS parameters{};
  if (parametersOf(node, &parameters) != CUDA_SUCCESS) return "";
  const char* name = nullptr;
  if (parameters.func && functionName && functionName(&name, parameters.func) == CUDA_SUCCESS && name)
    return name;
  if (parameters.kern && kernelName && kernelName(&name, parameters.kern) == CUDA_SUCCESS && name)
    return name;
  return "";
}

}  // namespace kadvise
