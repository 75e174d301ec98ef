#include "kernels/runtime_compile/loaded_text.h"

#include "kernels/common/allowed_in_capture.h"
#include "kernels/common/launch.cuh"
#include "kernels/kernels.h"
#include "kernels/runtime_compile/compile.h"

#include <map>

namespace kadvise {
namespace {

// A process that makes ever new texts would fill its memory and the GPU's: loaded ones are never given up.
constexpr std::size_t kMostTexts = 4096;
constexpr int kSharedForAll = 48 * 1024;  // dynamic shared memory that needs no asking
constexpr int kPortableCluster = 8;

// The device of the call, which may come from a thread that has none yet.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    if (cudaGetDevice(&before_) == cudaSuccess && before_ != device) cudaSetDevice(device);
  }
  ~OnDevice() { cudaSetDevice(before_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
};

cudaError_t archOf(int device, int& arch) {
  int major = 0, minor = 0;
  if (const auto e = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device)) return e;
  if (const auto e = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device)) return e;
  arch = major * 10 + minor;
  return cudaSuccess;
}

// Null when there is no room for another.
LoadedText* entryOf(const std::string& key) {
  static std::mutex mutex;
  static auto* const texts =
      new std::map<std::string, LoadedText>;  // never destroyed: the process may be ending
  const std::scoped_lock lock(mutex);
  if (const auto known = texts->find(key); known != texts->end()) return &known->second;
  return texts->size() < kMostTexts ? &(*texts)[key] : nullptr;
}

cudaError_t loadKernels(const std::string& image, const RuntimeText& text, LoadedText& loaded) {
  cudaLibrary_t library = nullptr;
  if (const auto e = cudaLibraryLoadData(&library, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0))
    return e;
  loaded.kernels = std::make_unique<LoadedKernel[]>(static_cast<std::size_t>(text.count));
  loaded.count = text.count;
  for (int i = 0; i < text.count; ++i) {
    cudaKernel_t kernel = nullptr;
    if (const auto e = cudaLibraryGetKernel(&kernel, library, text.kernels[i])) return e;
    loaded.kernels[static_cast<std::size_t>(i)].entry = kernel;
  }
  return cudaSuccess;
}

void load(const RuntimeText& text, int arch, LoadedText& loaded) {
  Compiled compiled = compileFor(text.text, arch);
  loaded.problem = std::move(compiled.problem);
  if (!loaded.problem.empty()) return;
  const char* problem = sentenceOf(loadKernels(compiled.image, text, loaded), "loading a generated kernel");
  if (problem != nullptr) loaded.problem = problem;
}

// Lazy loading would bring the kernel to the device in the midst of a capture, which must not be.
cudaError_t prepare(LoadedKernel& kernel, int device, const RuntimeLaunch& launch) {
  static std::mutex mutex;  // a smaller wish must not come after a larger one
  const std::scoped_lock lock(mutex);
  if (kernel.prepared[static_cast<std::size_t>(device)] > launch.sharedBytes) return cudaSuccess;
  const AllowedInCapture allowed;
  cudaFuncAttributes facts;
  if (const auto e = cudaFuncGetAttributes(&facts, kernel.entry)) return e;
  if (launch.sharedBytes > kSharedForAll) {
    const auto e =
        cudaFuncSetAttribute(kernel.entry, cudaFuncAttributeMaxDynamicSharedMemorySize, launch.sharedBytes);
    if (e != cudaSuccess) return e;
  }
  if (launch.cluster > kPortableCluster) {
    if (const auto e = cudaFuncSetAttribute(kernel.entry, cudaFuncAttributeNonPortableClusterSizeAllowed, 1))
      return e;
  }
  kernel.prepared[static_cast<std::size_t>(device)] = launch.sharedBytes + 1;
  return cudaSuccess;
}

cudaError_t start(LoadedKernel& kernel, int device, const RuntimeLaunch& launch, void* const* arguments,
                  cudaStream_t stream) {
  if (kernel.prepared[static_cast<std::size_t>(device)] <= launch.sharedBytes) {
    if (const auto e = prepare(kernel, device, launch)) return e;
  }
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {static_cast<unsigned>(launch.cluster), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(launch.grid[0]), static_cast<unsigned>(launch.grid[1]),
                        static_cast<unsigned>(launch.grid[2]));
  config.blockDim = dim3(static_cast<unsigned>(launch.block));
  config.dynamicSmemBytes = static_cast<std::size_t>(launch.sharedBytes);
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = launch.cluster > 1 ? 1 : 0;
  return cudaLaunchKernelExC(&config, kernel.entry, const_cast<void**>(arguments));
}

bool isEmpty(const RuntimeLaunch& launch) {
  return launch.grid[0] == 0 || launch.grid[1] == 0 || launch.grid[2] == 0;
}

bool fits(const RuntimeLaunch& launch) {
  return launch.grid[0] <= INT32_MAX && launch.grid[1] <= 65535 && launch.grid[2] <= 65535;
}

}  // namespace

cudaError_t run(const RuntimeCall& call, cudaStream_t stream) {
  int device = 0;
  if (const auto e = cudaGetDevice(&device)) return e;
  if (device < 0 || device >= LoadedKernel::kMostDevices) return cudaErrorInvalidDevice;
  for (int i = 0; i < call.text->count; ++i) {
    const RuntimeLaunch& launch = call.launches[i];
    if (isEmpty(launch)) continue;
    if (!fits(launch)) return cudaErrorInvalidConfiguration;
    LoadedKernel& kernel = call.text->kernels[static_cast<std::size_t>(i)];
    if (const auto e = start(kernel, device, launch, call.arguments, stream)) return e;
  }
  return cudaSuccess;
}

}  // namespace kadvise

extern "C" KADVISE_KERNELS_API const char* kadvise_cuda_load_text(const kadvise::RuntimeText* text,
                                                                  int device,
                                                                  const kadvise::LoadedText** result) {
  using namespace kadvise;
  int arch = 0;
  if (const char* problem = sentenceOf(archOf(device, arch), "asking a GPU for its architecture"))
    return problem;
  LoadedText* entry = entryOf(std::to_string(arch) + "\n" + text->text);
  if (entry == nullptr) return "this process has generated 4096 kernels, and makes no more";
  std::call_once(entry->once, [&] {
    const AllowedInCapture allowed;
    const OnDevice on(device);
    load(*text, arch, *entry);
  });
  *result = entry;
  return entry->problem.empty() ? nullptr : entry->problem.c_str();
}

extern "C" KADVISE_KERNELS_API const char* kadvise_cuda_run_text(const kadvise::RuntimeCall* call,
                                                                 void* stream) {
  return kadvise::sentenceOf(kadvise::run(*call, static_cast<cudaStream_t>(stream)),
                             "starting a generated kernel");
}
