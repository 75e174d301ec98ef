#include "analyzer/source/preload_set.h"

#include <algorithm>
#include <system_error>

#include "analyzer/source/include_lines.h"

namespace kadvise::source {
namespace fs = std::filesystem;
namespace {

// A file that includes a header whose name begins so gets the headers of that set and of those before it.
struct Set {
  const char* beginnings[8];
  const char* headers;
};
constexpr Set kCudaSets[] = {
    {{"cuda_fp16.h", "cuda_bf16.h", "cooperative_groups"},
     "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cooperative_groups.h>\n"},
    {{"cub/", "thrust/"}, "#include <cub/cub.cuh>\n"},
};
constexpr const char* kTorchBeginnings[] = {"torch/", "ATen/", "c10/", "pybind11/"};
constexpr const char* kTorchHeaders =
    "#include <torch/extension.h>\n#include <ATen/cuda/CUDAContext.h>\n#include <c10/cuda/CUDAGuard.h>\n";
// Where one of these is in a folder of the build, that folder and not ours has the headers.
constexpr const char* kMarks[] = {"cuda_runtime.h", "cuda_fp16.h", "cooperative_groups.h", "cub/cub.cuh",
                                  "torch/extension.h"};

template <class Beginnings>
bool includesAny(const std::vector<IncludeLine>& includes, const Beginnings& beginnings) {
  return std::any_of(includes.begin(), includes.end(), [&](auto& line) {
    return std::any_of(std::begin(beginnings), std::end(beginnings),
                       [&](auto* b) { return b && line.name.starts_with(b); });
  });
}

bool hasOwnHeaders(const ParseRequest& request, const std::vector<std::string>& folders) {
  const fs::path known[] = {request.headers.toolkit / "include", request.headers.torch / "include"};
  for (std::size_t i = 0; i < folders.size(); ++i) {
    fs::path folder = folders[i].starts_with("-I") ? folders[i].substr(2) : folders[i];
    if (folder.is_relative()) folder = request.command.directory / folder;
    std::error_code ec;
    bool isKnown = std::any_of(std::begin(known), std::end(known),
                               [&](auto& k) { return fs::equivalent(folder, k, ec); });
    if (isKnown) continue;
    for (auto* mark : kMarks)
      if (fs::exists(folder / mark, ec)) return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> preloadFor(const ParseRequest& request, const ClangArguments& arguments) {
  // The folder of a toolkit that only the build names is as little ours as the build.
  if (request.tier == Tier::Toolkit && request.headers.isOfBuild) return std::nullopt;
  bool hasFolders = !request.command.arguments.empty() || request.makefile;
  if (hasFolders && hasOwnHeaders(request, arguments.folders)) return std::nullopt;
  auto includes = includeLines(request.text);
  for (auto& before : request.before)
    for (auto& line : includeLines(before.text)) includes.push_back(line);
  bool isCuda = request.language == Language::Cuda, isTorch = includesAny(includes, kTorchBeginnings);
  if (!isCuda && !isTorch) return std::nullopt;
  std::size_t sets = 0;
  isCuda = isCuda && !isWrapped(request.text);
  for (std::size_t i = 0; isCuda && i < std::size(kCudaSets); ++i)
    if (includesAny(includes, kCudaSets[i].beginnings)) sets = i + 1;
  std::string out;
  for (std::size_t i = 0; i < sets; ++i) out += kCudaSets[i].headers;
  return isTorch ? out + kTorchHeaders : out;
}

}  // namespace kadvise::source
