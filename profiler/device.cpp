#include "profiler/device.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/passes/tensorexpr_fuser.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/version.h>

#include <fstream>
#include <memory>

#include "analyzer/core/error.h"
#include "profiler/cupti.h"

namespace kadvise {
namespace {

int deviceCount() {
  int count = 0;
  // Without a driver this fails, and that is the answer: none.
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

// libtorch_cuda must be loaded before anything asks LibTorch for CUDA: the empty hooks it would then install
// stay for the life of the process.
void loadTorchCuda() {
  Dl_info here{};
  std::string beside = "libtorch_cuda.so";
  if (::dladdr(reinterpret_cast<void*>(&at::globalContext), &here) && here.dli_fname) {
    std::string path = here.dli_fname;
    if (auto slash = path.rfind('/'); slash != std::string::npos) beside = path.substr(0, slash + 1) + beside;
  }
  if (!::dlopen(beside.c_str(), RTLD_NOW | RTLD_GLOBAL))
    throw Error("device", std::string("the CUDA half of LibTorch cannot be loaded: ") + ::dlerror());
  if (!at::globalContext().hasCUDA())
    throw Error("device", "LibTorch does not see the GPU that the driver reports; use --device cpu");
}

std::string cpuName() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(std::min(line.size(), line.find(':') + 2));
  return "CPU";
}

Device cpu() {
  Device d;
  d.name = cpuName();
  return d;
}

Device cuda(int index) {
  loadTorchCuda();
  cudaDeviceProp properties{};
  if (auto error = cudaGetDeviceProperties(&properties, index); error != cudaSuccess)
    throw Error("device", "cuda:" + std::to_string(index) + " does not answer: " + cudaGetErrorString(error));
  cudaSetDevice(index);
  Device d;
  d.torch = c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(index));
  d.name = properties.name;
  d.arch = properties.major * 10 + properties.minor;
  at::globalContext().lazyInitDevice(c10::kCUDA);
  return d;
}

// A LibTorch without its CUDA half beside a driver is no error, but has to be said.
Device firstGpuOrCpu() {
  try {
    return cuda(0);
  } catch (const Error& e) {
    Device d = cpu();
    d.note = e.reason;
    return d;
  }
}

std::string versionText(int v) { return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10); }

std::string matmulPrecision() {
  switch (at::globalContext().float32MatmulPrecision()) {
    case at::Float32MatmulPrecision::HIGHEST:
      return "highest (no TF32)";
    case at::Float32MatmulPrecision::HIGH:
      return "high (TF32)";
    case at::Float32MatmulPrecision::MEDIUM:
      return "medium";
  }
  return "?";
}

std::string fusionStrategyText() {
  std::string out;
  for (auto [behaviour, depth] : torch::jit::getFusionStrategy())
    out += (out.empty() ? "" : ", ") +
           std::string(behaviour == torch::jit::FusionBehavior::STATIC ? "static " : "dynamic ") +
           std::to_string(depth);
  return out;
}

// Counts what LibTorch's CPU allocator hands out on this thread.
class HeldBytes : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void*, std::int64_t bytes, std::size_t, std::size_t, c10::Device device) override {
    if (!device.is_cpu()) return;
    held_ += bytes;
    peak_ = std::max(peak_, held_);
  }
  bool memoryProfilingEnabled() const override { return true; }
  std::size_t peak() const { return static_cast<std::size_t>(peak_); }

 private:
  std::int64_t held_ = 0, peak_ = 0;
};

}  // namespace

std::string Device::label() const { return torch.str() + " " + name; }

Device chooseDevice(const std::string& wanted) {
  if (wanted == "cpu") return cpu();
  int count = deviceCount();
  if (wanted == "auto") return count > 0 ? firstGpuOrCpu() : cpu();
  if (wanted.rfind("cuda", 0) != 0)
    throw Error("device", "\"" + wanted + "\" is not cpu, cuda, cuda:N or auto");
  if (count == 0) throw Error("device", "no CUDA device answers on this machine; use --device cpu");
  int index = wanted.size() > 5 ? std::stoi(wanted.substr(5)) : 0;
  if (index >= count)
    throw Error("device", "there is no " + wanted + "; this machine has " + std::to_string(count) +
                              " CUDA device" + (count == 1 ? "" : "s"));
  return cuda(index);
}

void synchronize(const Device& device) {
  if (!device.isCuda()) return;
  if (auto error = cudaDeviceSynchronize(); error != cudaSuccess)
    throw Error("device", std::string("the GPU reports ") + cudaGetErrorString(error));
}

bool isLost(const Device& device) {
  if (!device.isCuda()) return false;
  switch (cudaDeviceSynchronize()) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorAssert:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorHardwareStackError:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchTimeout:
    case cudaErrorECCUncorrectable:
      return true;
    default:
      return false;
  }
}

std::map<std::string, std::string> environmentOf(const Device& device) {
  std::map<std::string, std::string> e;
  e["torch"] = TORCH_VERSION;
  e["cpu"] = cpuName();
  e["cpuThreads"] = std::to_string(at::get_num_threads());
  e["executor"] = std::string(torch::jit::getExecutorMode() ? "profiling" : "legacy") +
                  (torch::jit::getProfilingMode() ? "" : ", without profiles") + ", TensorExpr fuser " +
                  (torch::jit::tensorExprFuserEnabled() ? "on" : "off") + ", fusion " + fusionStrategyText();
  e["mode"] = "eval, inference mode";
  e["float32Matmul"] = matmulPrecision();
  int version = 0;
  if (cudaRuntimeGetVersion(&version) == cudaSuccess) e["cudaRuntime"] = versionText(version);
  bool driver = cudaDriverGetVersion(&version) == cudaSuccess && version > 0;
  e["driver"] = driver ? "for CUDA " + versionText(version) : "none";
  if (!device.note.empty()) e["gpu"] = device.note;
  if (!device.isCuda()) return e;
  e["cudnnConvolutionTf32"] = at::globalContext().allowTF32CuDNN(at::Float32Op::CONV) ? "on" : "off";
  std::string refused = kernelRecordsRefused();
  e["cupti"] = refused.empty() ? "available" : refused;
  return e;
}

void seedAll(const Device& device, std::uint64_t seed) {
  // torch::manual_seed would ask for CUDA and so fix its hooks, even when only the CPU is used.
  auto set = [seed](at::Generator generator) {
    std::lock_guard<std::mutex> lock(generator.mutex());
    generator.set_current_seed(seed);
  };
  set(at::detail::getDefaultCPUGenerator());
  if (device.isCuda()) set(at::globalContext().defaultGenerator(device.torch));
}

std::size_t peakBytesOf(const Device& device, const std::function<void()>& run) {
  if (!device.isCuda()) {
    auto held = std::make_shared<HeldBytes>();
    c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, held);
    run();
    return held->peak();
  }
  synchronize(device);
  auto* allocator = c10::getDeviceAllocator(c10::kCUDA);
  auto index = device.torch.index();
  constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  auto heldBefore = allocator->getDeviceStats(index).allocated_bytes[kAll].current;
  allocator->resetPeakStats(index);
  run();
  synchronize(device);
  auto peak = allocator->getDeviceStats(index).allocated_bytes[kAll].peak;
  return static_cast<std::size_t>(std::max<std::int64_t>(0, peak - heldBefore));
}

std::int64_t allocatedSegments(const Device& device) {
  if (!device.isCuda()) return 0;
  constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  return c10::getDeviceAllocator(c10::kCUDA)->getDeviceStats(device.torch.index()).segment[kAll].allocated;
}

void releaseCachedMemory(const Device& device) {
  if (device.isCuda()) c10::getDeviceAllocator(c10::kCUDA)->emptyCache();
}

std::string busIdOf(const Device& device) {
  char id[32] = "";
  if (device.isCuda()) cudaDeviceGetPCIBusId(id, sizeof id, device.torch.index());
  return id;
}

}  // namespace kadvise
