#include "analyzer/core/hardware.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

#include "analyzer/core/error.h"

namespace kadvise {
namespace {

constexpr double kGB = 1e9, kTera = 1e12, kMiB = 1024 * 1024;

// A launch is on no data sheet: about what PyTorch adds for each operator when launches are not replayed as a
// graph.
constexpr double kLaunch = 5e-6, kLaunchOfOlder = 6e-6;

// Sources, all public: NVIDIA's data sheets of V100 (2020), T4 (2019), A100 (2021), A10 (2021), L4 and L40S
// (2023), H100 (2023), H200 (2024) and HGX B200 (2025); the white papers on the architectures GA102 (3090),
// AD102 (4090) and Blackwell RTX (5090). Rates with sparsity are halved. GeForce tensor rates are those with
// fp32 accumulation.
// clang-format off
constexpr Gpu kGpus[] = {
    // name        arch  DRAM           L2          SMs  fp32          tf32          fp16           fp64          launch
    {"V100",        70,   900 * kGB,    6 * kMiB,   80,  15.7 * kTera,  15.7 * kTera,  125.0 * kTera,  7.8 * kTera, kLaunchOfOlder},
    {"T4",          75,   320 * kGB,    4 * kMiB,   40,   8.1 * kTera,   8.1 * kTera,   65.0 * kTera, 0.25 * kTera, kLaunchOfOlder},
    {"A100",        80,  2039 * kGB,   40 * kMiB,  108,  19.5 * kTera, 156.0 * kTera,  312.0 * kTera,  9.7 * kTera, kLaunch},
    {"A100 40GB",   80,  1555 * kGB,   40 * kMiB,  108,  19.5 * kTera, 156.0 * kTera,  312.0 * kTera,  9.7 * kTera, kLaunch},
    {"A10",         86,   600 * kGB,    6 * kMiB,   72,  31.2 * kTera,  62.5 * kTera,  125.0 * kTera, 0.49 * kTera, kLaunch},
    {"RTX 3090",    86,   936 * kGB,    6 * kMiB,   82,  35.6 * kTera,  35.6 * kTera,   71.0 * kTera, 0.56 * kTera, kLaunch},
    {"L40S",        89,   864 * kGB,   96 * kMiB,  142,  91.6 * kTera, 183.0 * kTera,  362.0 * kTera, 1.43 * kTera, kLaunch},
    {"L4",          89,   300 * kGB,   48 * kMiB,   58,  30.3 * kTera,  60.0 * kTera,  121.0 * kTera, 0.47 * kTera, kLaunch},
    {"RTX 4090",    89,  1008 * kGB,   72 * kMiB,  128,  82.6 * kTera,  82.6 * kTera,  165.2 * kTera, 1.29 * kTera, kLaunch},
    {"H100",        90,  3350 * kGB,   50 * kMiB,  132,  67.0 * kTera, 494.0 * kTera,  989.0 * kTera, 34.0 * kTera, kLaunch},
    {"H100 PCIe",   90,  2000 * kGB,   50 * kMiB,  114,  51.0 * kTera, 378.0 * kTera,  756.0 * kTera, 26.0 * kTera, kLaunch},
    {"H200",        90,  4800 * kGB,   50 * kMiB,  132,  67.0 * kTera, 494.0 * kTera,  989.0 * kTera, 34.0 * kTera, kLaunch},
    {"B200",       100,  7700 * kGB,  126 * kMiB,  148,  75.0 * kTera, 1125.0 * kTera, 2250.0 * kTera, 37.0 * kTera, kLaunch},
    {"RTX 5090",   120,  1792 * kGB,   96 * kMiB,  170, 104.8 * kTera, 104.8 * kTera,  209.5 * kTera, 1.64 * kTera, kLaunch},
};
// clang-format on

constexpr const char* kDefault = "H100";

// "NVIDIA A100-SXM4-40GB" -> {nvidia, a100, sxm4, 40gb}: "L4" is not part of "L40S".
std::set<std::string> wordsOf(const std::string& text) {
  std::set<std::string> words;
  std::string word;
  for (char c : text + " ") {
    if (c != ' ' && c != '-') {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!word.empty()) {
      words.insert(std::move(word));
      word.clear();
    }
  }
  return words;
}

const Gpu* ofArchitecture(int arch) {
  auto found = std::find_if(std::begin(kGpus), std::end(kGpus), [&](const Gpu& g) { return g.arch == arch; });
  return found == std::end(kGpus) ? nullptr : found;
}

}  // namespace

std::span<const Gpu> gpus() { return kGpus; }

const Gpu* defaultGpu() { return gpuNamed(kDefault); }

const Gpu* gpuNamed(const std::string& text) {
  std::string digits = text.rfind("sm_", 0) == 0 ? text.substr(3) : text;
  bool isNumber =
      !digits.empty() && digits.size() <= 3 && digits.find_first_not_of("0123456789") == std::string::npos;
  if (isNumber) return ofArchitecture(std::stoi(digits));
  auto words = wordsOf(text);
  for (auto& gpu : kGpus)
    if (wordsOf(gpu.name) == words) return &gpu;
  return nullptr;
}

std::string gpuNames() {
  std::string names, architectures;
  for (auto& gpu : kGpus) {
    names += std::string(gpu.name) + ", ";
    auto arch = "sm_" + std::to_string(gpu.arch);
    if (ofArchitecture(gpu.arch) == &gpu) architectures += (architectures.empty() ? "" : ", ") + arch;
  }
  return names + "or " + architectures;
}

// The entry with the most words of the device's name, all of which must be there.
const Gpu* gpuOfDevice(const std::string& deviceName, int arch) {
  auto device = wordsOf(deviceName);
  const Gpu* best = nullptr;
  std::size_t most = 0;
  for (auto& gpu : kGpus) {
    auto words = wordsOf(gpu.name);
    bool fits = gpu.arch == arch && std::includes(device.begin(), device.end(), words.begin(), words.end());
    if (fits && words.size() > most) best = &gpu, most = words.size();
  }
  return best;
}

GpuChoice chooseGpu(const std::string& asked, const std::string& deviceName, int arch) {
  if (!asked.empty()) {
    if (auto* gpu = gpuNamed(asked)) return {gpu, "asked for by --arch"};
    throw Error("--arch " + asked, "is no GPU that estimates can be made for; there are " + gpuNames());
  }
  if (auto* gpu = gpuOfDevice(deviceName, arch)) return {gpu, "the GPU in use"};
  if (auto* gpu = arch ? ofArchitecture(arch) : nullptr)
    return {gpu, "stands for sm_" + std::to_string(arch) + ", since " + deviceName + " is not in the table"};
  std::string why = arch ? deviceName + " is not in the table" : "no GPU is in use";
  return {defaultGpu(), why + "; --arch names another"};
}

}  // namespace kadvise
