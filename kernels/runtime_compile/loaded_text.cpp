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
LoadedText* entryOf(const std::string& text, int arch) {
  const std::string key = std::to_string(arch) + "\n" + text;
  static std::mutex mutex;
  static auto* const texts =
      new std::map<std::string, LoadedText>;  // never destroyed: the process may be ending
  const std::scoped_lock lock(mutex);
  if (const auto known = texts->find(key); known != texts->end()) return &known->second;
  return texts->size() < kMostTexts ? &(*texts)[key] : nullptr;
}

cudaError_t loadKernels(const std::string& image, const RuntimeText& text, LoadedText& loaded) {
  if (driver() == nullptr) return cudaErrorInsufficientDriver;
  CUlibrary library = nullptr;
  if (const auto e = driver()->loadLibrary(&library, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0))
    return errorOf(e);
  loaded.kernels = std::make_unique<LoadedKernel[]>(static_cast<std::size_t>(text.count));
  loaded.count = text.count;
  for (int i = 0; i < text.count; ++i) {
    CUkernel& kernel = loaded.kernels[static_cast<std::size_t>(i)].kernel;
    if (const auto e = driver()->kernelOf(&kernel, library, text.kernels[i])) return errorOf(e);
  }
  return cudaSuccess;
}

void load(const RuntimeText& text, int arch, LoadedText& loaded) {
  Compiled compiled = compileFor(text.text, arch);
  loaded.problem = std::move(compiled.problem);
  if (!loaded.problem.empty()) return;
  const char* problem = sentenceOf(loadKernels(compiled.image, text, loaded), "loading a generated kernel");
  if (problem != nullptr) loaded.problem = problem;
  else loaded.isLoaded = true;
}

CUresult allow(CUfunction function, const RuntimeLaunch& launch) {
  if (launch.sharedBytes > kSharedForAll) {
    const auto e =
        driver()->setAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, launch.sharedBytes);
    if (e != CUDA_SUCCESS) return e;
  }
  if (launch.cluster <= kPortableCluster) return CUDA_SUCCESS;
  return driver()->setAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
}

// Lazy loading would bring the kernel to the device in the midst of a capture, which must not be.
CUresult prepare(LoadedKernel& kernel, std::size_t device, const RuntimeLaunch& launch) {
  static std::mutex mutex;  // a smaller wish must not come after a larger one
  const std::scoped_lock lock(mutex);
  if (kernel.prepared[device] > launch.sharedBytes) return CUDA_SUCCESS;
  const AllowedInCapture allowed;
  CUfunction function = nullptr;
  if (const auto e = driver()->functionOf(&function, kernel.kernel)) return e;
  if (const auto e = driver()->loadFunction(function)) return e;
  if (const auto e = allow(function, launch)) return e;
  kernel.functions[device] = function;
  kernel.prepared[device] = launch.sharedBytes + 1;
  return CUDA_SUCCESS;
}

CUresult start(LoadedKernel& kernel, std::size_t device, const RuntimeLaunch& launch, void* const* arguments,
               cudaStream_t stream) {
  if (kernel.prepared[device] <= launch.sharedBytes) {
    if (const auto e = prepare(kernel, device, launch)) return e;
  }
  CUlaunchAttribute cluster{};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim = {static_cast<unsigned>(launch.cluster), 1, 1};
  CUlaunchConfig config{};
  config.gridDimX = static_cast<unsigned>(launch.grid[0]);
  config.gridDimY = static_cast<unsigned>(launch.grid[1]);
  config.gridDimZ = static_cast<unsigned>(launch.grid[2]);
  config.blockDimX = static_cast<unsigned>(launch.block);
  config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = static_cast<unsigned>(launch.sharedBytes);
  config.hStream = stream;
  config.attrs = &cluster;
  config.numAttrs = launch.cluster > 1 ? 1 : 0;
  return driver()->launch(&config, kernel.functions[device], const_cast<void**>(arguments), nullptr);
}

// The runtime gives a thread its context with the first call that needs one, the driver does not.
cudaError_t enterContextOf(int device) {
  CUcontext context = nullptr;
  if (driver()->currentContext(&context) == CUDA_SUCCESS && context != nullptr) return cudaSuccess;
  return cudaSetDevice(device);
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
  if (const auto e = enterContextOf(device)) return e;
  for (int i = 0; i < call.text->count; ++i) {
    const RuntimeLaunch& launch = call.launches[i];
    if (isEmpty(launch)) continue;
    if (!fits(launch)) return cudaErrorInvalidConfiguration;
    LoadedKernel& kernel = call.text->kernels[static_cast<std::size_t>(i)];
    const auto e = start(kernel, static_cast<std::size_t>(device), launch, call.arguments, stream);
    if (e != CUDA_SUCCESS) return errorOf(e);
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
  LoadedText* entry = entryOf(text->text, arch);
  if (entry == nullptr) return "this process has generated 4096 kernels, and makes no more";
  std::call_once(entry->once, [&] {
    const AllowedInCapture allowed;
    const OnDevice on(device);
    load(*text, arch, *entry);
  });
  *result = entry;
  return entry->problem.empty() ? nullptr : entry->problem.c_str();
}

extern "C" KADVISE_KERNELS_API int kadvise_cuda_has_text(const kadvise::RuntimeText* text, int device) {
  using namespace kadvise;
  int arch = 0;
  if (sentenceOf(archOf(device, arch), "asking a GPU for its architecture") != nullptr) return 0;
  const LoadedText* entry = entryOf(text->text, arch);
  return entry != nullptr && (entry->isLoaded || isCompiled(text->text, arch)) ? 1 : 0;
}

extern "C" KADVISE_KERNELS_API const char* kadvise_cuda_run_text(const kadvise::RuntimeCall* call,
                                                                 void* stream) {
  return kadvise::sentenceOf(kadvise::run(*call, static_cast<cudaStream_t>(stream)),
                             "starting a generated kernel");
}
