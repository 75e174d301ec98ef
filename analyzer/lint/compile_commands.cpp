#include "analyzer/lint/compile_commands.h"

#include <system_error>
#include <vector>

namespace kadvise {
namespace fs = std::filesystem;
namespace {

constexpr const char* kName = "compile_commands.json";

std::vector<fs::path> placesOf(const fs::path& folder) {
  std::vector<fs::path> out = {folder / kName, folder / "build" / kName};
  std::error_code ec;
  for (fs::directory_iterator at(folder / "build", ec), end; !ec && at != end; at.increment(ec))
    if (at->is_directory(ec)) out.push_back(at->path() / kName);
  return out;
}

}  // namespace

fs::path findCompileDatabase(const fs::path& folder) {
  std::error_code ec;
  for (fs::path at = fs::absolute(folder).lexically_normal(); !at.empty(); at = at.parent_path()) {
    fs::path newest;
    for (auto& place : placesOf(at))
      if (fs::is_regular_file(place, ec) &&
          (newest.empty() || fs::last_write_time(place, ec) > fs::last_write_time(newest, ec)))
        newest = place;
    if (!newest.empty()) return newest;
    // Beyond a repository nothing speaks of its files.
    if (fs::exists(at / ".git", ec) || at == at.parent_path()) break;
  }
  return {};
}

}  // namespace kadvise
