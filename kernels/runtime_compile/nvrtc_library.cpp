#include "kernels/runtime_compile/nvrtc_library.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

namespace kadvise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "libnvrtc.so.13";
constexpr const char* kRemedy =
    "install it with torch's own packages (pip install nvidia-cuda-nvrtc) or with a CUDA 13 toolkit, and set "
    "KADVISE_NVRTC to the file where it is found nowhere else";

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool findAll(void* library, Nvrtc& f) {
  return find(library, "nvrtcVersion", f.version) && find(library, "nvrtcGetErrorString", f.errorString) &&
         find(library, "nvrtcGetNumSupportedArchs", f.architectureCount) &&
         find(library, "nvrtcGetSupportedArchs", f.architectures) &&
         find(library, "nvrtcCreateProgram", f.create) && find(library, "nvrtcCompileProgram", f.compile) &&
         find(library, "nvrtcDestroyProgram", f.destroy) &&
         find(library, "nvrtcGetProgramLogSize", f.logSize) && find(library, "nvrtcGetProgramLog", f.log) &&
         find(library, "nvrtcGetCUBINSize", f.cubinSize) && find(library, "nvrtcGetCUBIN", f.cubin) &&
         find(library, "nvrtcGetPTXSize", f.ptxSize) && find(library, "nvrtcGetPTX", f.ptx);
}

fs::path folderOf(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  return fs::path(info.dli_fname).parent_path();
}

// Packages of LibTorch give the library a name of their own: libnvrtc-1234abcd.so.13.
std::vector<fs::path> inFolder(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code problem;
  if (folder.empty()) return found;
  for (const auto& entry : fs::directory_iterator(folder, problem)) {
    const std::string name = entry.path().filename().string();
    const bool isNvrtc =
        name == kFile || (name.starts_with("libnvrtc-") && !name.starts_with("libnvrtc-builtins"));
    if (isNvrtc && name.find(".so.13") != std::string::npos) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

// The compiler opens its second library by its bare name, which the loader knows where it is open already.
void openBuiltins(const fs::path& folder) {
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(folder, problem)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("libnvrtc-builtins") || name.find(".alt.") != std::string::npos) continue;
    if (name.find(".so.13") != std::string::npos) dlopen(entry.path().c_str(), RTLD_NOW | RTLD_LOCAL);
  }
}

std::vector<fs::path> places() {
  std::vector<fs::path> all = inFolder(folderOf(reinterpret_cast<const void*>(&cudaRuntimeGetVersion)));
  all.push_back(kFile);  // wherever the loader looks
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* root = std::getenv(variable);
    if (root == nullptr || *root == '\0') continue;
    for (const char* folder : {"lib64", "lib"}) all.push_back(fs::path(root) / folder / kFile);
  }
  all.push_back(fs::path("/usr/local/cuda/lib64") / kFile);
  return all;
}

struct Loaded {
  Nvrtc functions{};
  std::string problem;
};

void* openFirst(std::string& problem) {
  if (const char* asked = std::getenv("KADVISE_NVRTC")) {
    if (*asked == '\0') problem = "KADVISE_NVRTC is set and empty, which switches NVRTC off";
    void* library = *asked != '\0' ? dlopen(asked, RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (library == nullptr && problem.empty()) problem = std::string("KADVISE_NVRTC: ") + dlerror();
    return library;
  }
  if (void* torchs = dlopen(kFile, RTLD_NOW | RTLD_NOLOAD)) return torchs;
  for (const fs::path& place : places()) {
    if (void* library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  }
  problem = std::string("generated kernels need NVRTC, and there is no ") + kFile + ": " + kRemedy;
  return nullptr;
}

Loaded load() {
  Loaded loaded;
  void* library = openFirst(loaded.problem);
  if (library == nullptr) return loaded;
  if (!findAll(library, loaded.functions)) {
    loaded.problem = std::string("the NVRTC that was found lacks functions of CUDA 13: ") + kRemedy;
    return loaded;
  }
  openBuiltins(folderOf(reinterpret_cast<const void*>(loaded.functions.version)));
  return loaded;
}

}  // namespace

const Nvrtc* nvrtc(std::string& problem) {
  static const Loaded loaded = load();
  problem = loaded.problem;
  return problem.empty() ? &loaded.functions : nullptr;
}

}  // namespace kadvise
