#include "analyzer/source/tier.h"

#include <dlfcn.h>

#include <algorithm>
#include <system_error>

#include "analyzer/source/clang.h"

namespace kadvise::source {
namespace fs = std::filesystem;
namespace {

constexpr int kNewestArch = 90;  // that Clang 19 knows

void add(std::vector<std::string>& to, std::initializer_list<std::string> more) { to.insert(to.end(), more); }

// -nocudalib makes Clang's driver forget the version of the SDK, without which no <<<>>> is accepted.
void addToolkit(const HeaderPlaces& places, std::vector<std::string>& out) {
  add(out, {"--cuda-path=" + places.toolkit.string(), "-nocudalib", "-Xclang", "-target-sdk-version=12.5",
            "-Wno-unknown-cuda-version", "-isystem", (places.own / "toolkit").string(), "-include",
            (places.own / "toolkit" / "kadvise_toolkit.h").string()});
  fs::path cccl = places.toolkit / "include" / "cccl";  // since CUDA 13
  std::error_code ec;
  if (fs::exists(cccl, ec)) add(out, {"-isystem", cccl.string()});
}

void addTorch(const HeaderPlaces& places, Tier tier, std::vector<std::string>& out) {
  if (tier == Tier::Stub || places.torch.empty())
    return add(out, {"-isystem", (places.own / "torch").string()});
  fs::path include = places.torch / "include";
  add(out, {"-isystem", include.string(), "-isystem", (include / "torch/csrc/api/include").string()});
}

}  // namespace

const char* word(Tier tier) { return tier == Tier::Toolkit ? "toolkit" : "stub"; }

std::vector<std::string> headerArguments(const HeaderPlaces& places, Tier tier, Language language, Pass pass,
                                         int arch) {
  std::vector<std::string> out;
  if (language == Language::Cuda) {
    add(out, {pass == Pass::Device ? "--cuda-device-only" : "--cuda-host-only",
              "--cuda-gpu-arch=sm_" + std::to_string(std::min(arch, kNewestArch))});
    if (tier == Tier::Toolkit) addToolkit(places, out);
    else
      add(out, {"-nocudainc", "-nocudalib", "-include", (places.own / "cuda" / "kadvise_cuda.h").string()});
  } else if (tier == Tier::Toolkit) {
    add(out, {"-isystem", (places.toolkit / "include").string()});
  }
  if (tier == Tier::Stub) add(out, {"-isystem", (places.own / "cuda").string()});
  addTorch(places, tier, out);
  return out;
}

fs::path resourceFolder() {
  Dl_info where{};
  // The path of the library, whatever links lead to it.
  if (!dladdr(reinterpret_cast<void*>(&clang::createInvocation), &where) || !where.dli_fname) return {};
  std::error_code ec;
  fs::path library = fs::canonical(where.dli_fname, ec);
  const std::string version = std::to_string(CLANG_VERSION_MAJOR);
  for (const fs::path& place : {library.parent_path() / "clang" / version,
                                fs::path("/usr/lib/llvm-" + version + "/lib/clang/" + version),
                                library.parent_path().parent_path() / "lib/clang" / version})
    if (fs::exists(place / "include" / "stddef.h", ec)) return place;
  return {};
}

}  // namespace kadvise::source
