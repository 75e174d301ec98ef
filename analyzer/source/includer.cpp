#include "analyzer/source/includer.h"

#include <algorithm>
#include <system_error>
#include <vector>

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/source/include_lines.h"

namespace kadvise::source {
namespace fs = std::filesystem;
namespace {

constexpr int kMostFoldersUp = 3;
constexpr std::size_t kMostFiles = 200, kMostBytes = 1u << 20;
// In the order of preference: a source is read for its own sake, a header for others.
constexpr const char* kExtensions[] = {".cu",  ".cpp", ".cc", ".cxx", ".c",
                                       ".cuh", ".h",   ".hh", ".hpp", ".hxx"};

std::size_t preference(const fs::path& file) {
  auto it = std::find(std::begin(kExtensions), std::end(kExtensions), file.extension());
  return static_cast<std::size_t>(it - std::begin(kExtensions));
}

void addSources(const fs::path& folder, const fs::path& without, std::vector<fs::path>& out) {
  std::error_code ec;
  std::vector<fs::path> found;
  for (fs::directory_iterator at(folder, ec), end; !ec && at != end && found.size() < kMostFiles;
       at.increment(ec)) {
    std::error_code none;
    if (preference(at->path()) < std::size(kExtensions) && at->path() != without && at->is_regular_file(none))
      found.push_back(at->path());
  }
  std::sort(found.begin(), found.end(), [](auto& a, auto& b) {
    return std::pair(preference(a), a.string()) < std::pair(preference(b), b.string());
  });
  out.insert(out.end(), found.begin(), found.end());
}

}  // namespace

std::optional<TextBefore> textBefore(const fs::path& named) {
  fs::path file = fs::absolute(named).lexically_normal();
  std::vector<fs::path> sources;
  fs::path folder = file.parent_path();
  for (int up = 0; up <= kMostFoldersUp && folder.has_relative_path(); ++up, folder = folder.parent_path())
    addSources(folder, file, sources);
  std::string name = file.filename().string();
  for (auto& source : sources) {
    try {
      std::string text = readFile(source, kMostBytes);
      if (text.find(name) == std::string::npos) continue;
      for (auto& line : includeLines(text))
        if ((source.parent_path() / line.name).lexically_normal() == file)
          return TextBefore{source, source.parent_path() / (".before-" + name), text.substr(0, line.offset)};
    } catch (const Error&) {
      // Not readable, or too long to be looked at: another one may do.
    }
  }
  return std::nullopt;
}

}  // namespace kadvise::source
