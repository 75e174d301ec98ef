#include "analyzer/source/wrapped_libraries.h"

#include <cctype>
#include <system_error>

#include "analyzer/source/project_text.h"

namespace kadvise::source {
namespace fs = std::filesystem;
namespace {

constexpr const char* kMacros[] = {"THRUST_CUB_WRAPPED_NAMESPACE", "THRUST_WRAPPED_NAMESPACE",
                                   "CUB_WRAPPED_NAMESPACE"};
constexpr int kMostFoldersAbove = 8;
constexpr std::size_t kMostBytes = 256u << 10;

// "NAME=value" as a whole word; "" when it is not there, or only the run of CMake would tell the value.
std::string valueIn(const std::string& text, const std::string& name) {
  auto isWord = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    bool isOption = at > 1 && text.compare(at - 2, 2, "-D") == 0;
    bool isPart = !isOption && at > 0 && isWord(text[at - 1]);
    std::size_t first = at + name.size() + 1, last = first;
    if (isPart || first >= text.size() || text[first - 1] != '=') continue;
    while (last < text.size() && isWord(text[last])) ++last;
    if (last > first && !std::isdigit(static_cast<unsigned char>(text[first])))
      return text.substr(first, last - first);
  }
  return "";
}

}  // namespace

std::optional<WrappedLibraries> wrappedLibraries(const fs::path& source) {
  std::error_code ec;
  fs::path folder = fs::absolute(source).lexically_normal().parent_path();
  for (int up = 0; up < kMostFoldersAbove && folder.has_relative_path();
       ++up, folder = folder.parent_path()) {
    WrappedLibraries out{{}, folder / "CMakeLists.txt"};
    std::string text = projectText(out.file, kMostBytes);
    for (auto* name : kMacros)
      if (auto value = valueIn(text, name); !value.empty()) out.macros.emplace_back(name, value);
    if (!out.macros.empty()) return out;
    if (fs::exists(folder / ".git", ec)) break;
  }
  return std::nullopt;
}

bool isWrapped(const std::string& text) {
  if (text.find("CUB_NS_PREFIX") != text.npos) return true;  // what older ones had for it
  for (auto* name : kMacros)
    if (text.find(name) != text.npos) return true;
  return false;
}

}  // namespace kadvise::source
