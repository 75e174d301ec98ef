#include "kernels/runtime_compile/compile.h"

#include "kernels/common/file_cache.h"
#include "kernels/runtime_compile/nvrtc_library.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace kadvise {
namespace {

constexpr std::uint64_t kMostCacheBytes = std::uint64_t{256} << 20;

// Never destroyed: operators may run while the process ends.
FileCache& cache() {
  static auto* const files = new FileCache(cacheFolder(), "kernel", kMostCacheBytes);
  return *files;
}

// What NVRTC compiles for: the architecture itself where it knows it, else the newest virtual one that is not
// newer.
std::string targetOf(const Nvrtc& nvrtc, int arch) {
  int count = 0;
  if (nvrtc.architectureCount(&count) != NVRTC_SUCCESS || count <= 0) return {};
  std::vector<int> known(static_cast<std::size_t>(count));
  if (nvrtc.architectures(known.data()) != NVRTC_SUCCESS) return {};
  if (std::find(known.begin(), known.end(), arch) != known.end()) return "sm_" + std::to_string(arch);
  int newest = 0;
  for (const int one : known) newest = one <= arch ? std::max(newest, one) : newest;
  return newest > 0 ? "compute_" + std::to_string(newest) : std::string();
}

// The end of a log says most, and a sentence must stay readable.
std::string logOf(const Nvrtc& nvrtc, nvrtcProgram program) {
  constexpr std::size_t kMost = 2000;
  std::size_t size = 0;
  if (nvrtc.logSize(program, &size) != NVRTC_SUCCESS || size <= 1) return {};
  std::string log(size, '\0');
  if (nvrtc.log(program, log.data()) != NVRTC_SUCCESS) return {};
  log.resize(std::min(size - 1, kMost));
  return ": " + log;
}

std::string imageOf(const Nvrtc& nvrtc, nvrtcProgram program, bool isCubin) {
  const auto sizeOf = isCubin ? nvrtc.cubinSize : nvrtc.ptxSize;
  const auto get = isCubin ? nvrtc.cubin : nvrtc.ptx;
  std::size_t size = 0;
  if (sizeOf(program, &size) != NVRTC_SUCCESS) return {};
  std::string image(size, '\0');
  return get(program, image.data()) == NVRTC_SUCCESS ? image : std::string();
}

Compiled compileBy(const Nvrtc& nvrtc, const std::string& text, const std::string& target) {
  nvrtcProgram program = nullptr;
  const auto created = nvrtc.create(&program, text.c_str(), "generated.cu", 0, nullptr, nullptr);
  if (created != NVRTC_SUCCESS) return {{}, std::string("NVRTC: ") + nvrtc.errorString(created)};
  const std::string architecture = "--gpu-architecture=" + target;
  const char* const options[] = {architecture.c_str(), "--std=c++17", "--minimal"};
  const auto result = nvrtc.compile(program, static_cast<int>(std::size(options)), options);
  Compiled compiled;
  if (result == NVRTC_SUCCESS) compiled.image = imageOf(nvrtc, program, target.starts_with("sm_"));
  if (compiled.image.empty()) {
    compiled.problem = std::string("NVRTC could not compile a generated kernel for ") + target + ", " +
                       nvrtc.errorString(result) + logOf(nvrtc, program);
  }
  nvrtc.destroy(&program);
  return compiled;
}

std::string versionOf(const Nvrtc& nvrtc) {
  int major = 0, minor = 0;
  nvrtc.version(&major, &minor);
  return std::to_string(major) + "." + std::to_string(minor);
}

// What is kept is found without the compiler, which takes 30 ms to open. Its version is that of the runtime
// beside it, unless another one was asked for.
std::string keyOf(const std::string& text, int arch) {
  int version = 0;
  cudaRuntimeGetVersion(&version);
  const char* asked = std::getenv("KADVISE_NVRTC");
  return "sm_" + std::to_string(arch) + " cuda " + std::to_string(version) + " " +
         (asked != nullptr ? asked : "") + "\n" + text;
}

}  // namespace

bool isCompiled(const std::string& text, int arch) { return cache().read(keyOf(text, arch)).has_value(); }

Compiled compileFor(const std::string& text, int arch) {
  const std::string key = keyOf(text, arch);
  if (auto kept = cache().read(key)) return {std::move(*kept), {}};
  std::string problem;
  const Nvrtc* compiler = nvrtc(problem);
  if (compiler == nullptr) return {{}, problem};
  const std::string target = targetOf(*compiler, arch);
  if (target.empty()) {
    return {{},
            "NVRTC " + versionOf(*compiler) + " compiles for no GPU as old as sm_" + std::to_string(arch)};
  }
  Compiled compiled = compileBy(*compiler, text, target);
  if (compiled.problem.empty()) cache().write(key, compiled.image);
  return compiled;
}

}  // namespace kadvise
