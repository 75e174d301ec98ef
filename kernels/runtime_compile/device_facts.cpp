// What a GPU says of itself, and of a stream.
#include "kernels/common/launch.cuh"
#include "kernels/kernels.h"
#include "kernels/runtime_compile/launch.h"

#include <cstdio>

namespace kadvise {
namespace {

cudaError_t readFacts(int device, DeviceFacts& facts) {
  int major = 0, minor = 0, l2 = 0, kilohertz = 0, bits = 0;
  const auto read = [&](cudaDeviceAttr attribute, int& value) {
    return cudaDeviceGetAttribute(&value, attribute, device);
  };
  if (const auto e = read(cudaDevAttrComputeCapabilityMajor, major)) return e;
  if (const auto e = read(cudaDevAttrComputeCapabilityMinor, minor)) return e;
  if (const auto e = read(cudaDevAttrMultiProcessorCount, facts.sms)) return e;
  if (const auto e = read(cudaDevAttrMaxSharedMemoryPerBlockOptin, facts.sharedBytesPerBlock)) return e;
  if (const auto e = read(cudaDevAttrL2CacheSize, l2)) return e;
  // Not every driver says these two, and some say 0.
  const bool says = read(cudaDevAttrMemoryClockRate, kilohertz) == cudaSuccess &&
                    read(cudaDevAttrGlobalMemoryBusWidth, bits) == cudaSuccess;
  if (!says) cudaGetLastError();
  cudaDeviceProp properties;
  if (const auto e = cudaGetDeviceProperties(&properties, device)) return e;
  std::snprintf(facts.name, sizeof(facts.name), "%s", properties.name);
  facts.arch = major * 10 + minor;
  facts.l2Bytes = l2;
  facts.memoryBytesPerSecond = says ? 2.0 * 1e3 * kilohertz * bits / 8 : 0;  // two transfers a clock
  return cudaSuccess;
}

}  // namespace
}  // namespace kadvise

extern "C" KADVISE_KERNELS_API const char* kadvise_cuda_device_facts(int device,
                                                                     kadvise::DeviceFacts* facts) {
  return kadvise::sentenceOf(kadvise::readFacts(device, *facts), "asking a GPU what it has");
}

extern "C" KADVISE_KERNELS_API int kadvise_cuda_is_captured(void* stream) {
  cudaStreamCaptureStatus status{};
  if (cudaStreamIsCapturing(static_cast<cudaStream_t>(stream), &status) != cudaSuccess) {
    // The legacy stream answers with an error while another thread captures in the global mode.
    cudaGetLastError();
    return 1;
  }
  return status != cudaStreamCaptureStatusNone;
}
