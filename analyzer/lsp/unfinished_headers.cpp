#include "analyzer/lsp/unfinished_headers.h"

#include <string>
#include <system_error>
#include <vector>

namespace kadvise::lsp {
namespace fs = std::filesystem;
namespace {

// "KEY.PID.tmp", to which Clang adds some letters while it writes.
std::vector<fs::path> unfinished(const fs::path& cache, pid_t pid) {
  std::vector<fs::path> out;
  if (cache.empty() || pid <= 0) return out;
  std::string piece = "." + std::to_string(pid);
  std::error_code ec;
  for (fs::directory_iterator at(cache, ec), end; !ec && at != end; at.increment(ec)) {
    std::string name = at->path().filename().string();
    auto dot = name.find('.');
    if (dot == std::string::npos || name.compare(dot, piece.size(), piece) != 0) continue;
    char next = dot + piece.size() < name.size() ? name[dot + piece.size()] : '\0';
    if (next == '.' || next == '-') out.push_back(at->path());
  }
  return out;
}

}  // namespace

bool isMakingHeaders(const fs::path& cache, pid_t pid) { return !unfinished(cache, pid).empty(); }

void forgetUnfinishedHeaders(const fs::path& cache, pid_t pid) {
  for (auto& file : unfinished(cache, pid)) {
    std::error_code ec;
    std::string name = file.filename().string();
    fs::remove(file, ec);
    fs::remove(cache / (name.substr(0, name.find('.')) + ".tried.tmp"), ec);
  }
}

}  // namespace kadvise::lsp
