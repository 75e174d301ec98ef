#include "kernels/common/cuda_library.h"
#include "kernels/rowprogram/gpu.h"
#include "kernels/runtime_compile/launch.h"

#include <c10/util/Exception.h>

#include <map>
#include <mutex>

namespace kadvise::rowprogram {

const NamedGpu& gpuOfDevice(int device) {
  static auto* const read =
      reinterpret_cast<KadviseCudaDeviceFacts*>(cudaSymbol("kadvise_cuda_device_facts"));
  static std::mutex mutex;
  static auto* const gpus = new std::map<int, NamedGpu>;
  const std::scoped_lock lock(mutex);
  const auto known = gpus->find(device);
  if (known != gpus->end()) return known->second;
  DeviceFacts facts{};
  const char* problem = read(device, &facts);
  TORCH_CHECK(problem == nullptr, problem);
  return gpus->emplace(device, gpuOf(facts)).first->second;
}

}  // namespace kadvise::rowprogram
