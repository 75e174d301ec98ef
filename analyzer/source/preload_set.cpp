#include "analyzer/source/preload_set.h"

#include <algorithm>
#include <string_view>
#include <system_error>

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

std::vector<std::string_view> includesOf(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; (at = text.find("#", at)) != std::string_view::npos; ++at) {
    std::size_t word = text.find_first_not_of(" \t", at + 1);
    if (word == std::string_view::npos || text.compare(word, 7, "include") != 0) continue;
    std::size_t open = text.find_first_not_of(" \t", word + 7);
    if (open == std::string_view::npos || (text[open] != '<' && text[open] != '"')) continue;
    std::size_t close = text.find_first_of(">\"\n", open + 1);
    if (close != std::string_view::npos) out.push_back(text.substr(open + 1, close - open - 1));
  }
  return out;
}

template <class Beginnings>
bool includesAny(const std::vector<std::string_view>& includes, const Beginnings& beginnings) {
  return std::any_of(includes.begin(), includes.end(), [&](auto name) {
    return std::any_of(std::begin(beginnings), std::end(beginnings),
                       [&](auto* b) { return b && name.starts_with(b); });
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

std::optional<std::string> preloadFor(const ParseRequest& request, const Arguments& arguments) {
  // The folder of a toolkit that only the build names is as little ours as the build.
  if (request.tier == Tier::Toolkit && request.headers.isOfBuild) return std::nullopt;
  if (!request.command.arguments.empty() && hasOwnHeaders(request, arguments.folders)) return std::nullopt;
  auto includes = includesOf(request.text);
  bool isCuda = request.language == Language::Cuda, isTorch = includesAny(includes, kTorchBeginnings);
  if (!isCuda && !isTorch) return std::nullopt;
  std::size_t sets = 0;
  for (std::size_t i = 0; isCuda && i < std::size(kCudaSets); ++i)
    if (includesAny(includes, kCudaSets[i].beginnings)) sets = i + 1;
  std::string out;
  for (std::size_t i = 0; i < sets; ++i) out += kCudaSets[i].headers;
  return isTorch ? out + kTorchHeaders : out;
}

}  // namespace kadvise::source
