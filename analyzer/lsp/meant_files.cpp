#include "analyzer/lsp/meant_files.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <system_error>
#include <tuple>
#include <unordered_set>

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/lsp/text.h"

namespace kadvise::lsp {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostEntries = 30'000;  // of all roots together
constexpr int kMostDepth = 12;
constexpr std::size_t kMostBytes = 4u << 20;
constexpr std::size_t kMostCandidates = 50;  // of one name, __init__.py say
constexpr std::size_t kShortestLine = 6;     // "else:" is a line of every file

bool isFile(const fs::path& path) {
  std::error_code ec;
  return fs::is_regular_file(path, ec);
}

bool isSkipped(const fs::path& folder) {
  auto name = folder.filename().string();
  return (name.size() > 1 && name[0] == '.') || name == "node_modules" || name == "__pycache__";
}

using Named = std::map<std::string, std::vector<fs::path>>;

// Files of the roots that have one of the names.
Named search(const std::vector<fs::path>& roots, const std::set<std::string>& names) {
  Named out;
  std::set<fs::path> seen;
  std::size_t entries = 0;
  for (auto& root : roots) {
    std::error_code ec;
    fs::recursive_directory_iterator at(root, fs::directory_options::skip_permission_denied, ec), end;
    for (; !ec && at != end && ++entries <= kMostEntries; at.increment(ec)) {
      std::error_code kind;
      if (at->is_directory(kind)) {
        if (at->is_symlink(kind) || isSkipped(at->path()) || at.depth() >= kMostDepth)
          at.disable_recursion_pending();
        continue;
      }
      auto name = at->path().filename().string();
      if (!names.count(name) || out[name].size() >= kMostCandidates) continue;
      if (auto path = canonicalOf(at->path()); seen.insert(path).second) out[name].push_back(path);
    }
  }
  return out;
}

struct Candidate {
  fs::path path;
  std::ptrdiff_t folders = 0;  // that it has in common with the reported path, from the end
  std::size_t lines = 0;       // of the report that it holds
};

std::ptrdiff_t commonEnd(const fs::path& a, const fs::path& b) {
  std::vector<fs::path> x(a.begin(), a.end()), y(b.begin(), b.end());
  return std::distance(x.rbegin(), std::mismatch(x.rbegin(), x.rend(), y.rbegin(), y.rend()).first);
}

std::size_t linesIn(const fs::path& file, const std::set<std::string>& wanted) {
  try {
    Text text(readFile(file, kMostBytes));
    std::unordered_set<std::string> there;
    for (std::size_t i = 0; i < text.lines(); ++i) there.insert(wordsOfLine(text.line(i)));
    return static_cast<std::size_t>(
        std::count_if(wanted.begin(), wanted.end(), [&](auto& line) { return there.count(line) > 0; }));
  } catch (const Error&) {
    return 0;
  }
}

fs::path chosen(const ReportedFile& reported, const std::vector<fs::path>& files) {
  std::set<std::string> wanted;
  for (auto& s : reported.snippets)
    if (auto words = wordsOfLine(s); words.size() >= kShortestLine) wanted.insert(words);
  std::vector<Candidate> fit;
  for (auto& file : files) {
    Candidate c{file, commonEnd(reported.path, file), linesIn(file, wanted)};
    if (c.lines > 0 && c.lines * 2 >= wanted.size()) fit.push_back(c);
  }
  auto isBetter = [](auto& a, auto& b) {
    return std::tie(a.folders, a.lines) > std::tie(b.folders, b.lines);
  };
  std::sort(fit.begin(), fit.end(), isBetter);
  bool isOne = fit.size() == 1 || (fit.size() > 1 && isBetter(fit[0], fit[1]));
  return isOne ? fit.front().path : fs::path();
}

}  // namespace

std::string wordsOfLine(std::string_view line) {
  std::string out;
  for (char c : line) {
    bool isBlank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (!isBlank) out += c;
    else if (!out.empty() && out.back() != ' ') out += ' ';
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out.substr(0, std::min(out.find(" #"), out.find(" //")));
}

fs::path canonicalOf(const fs::path& path) {
  std::error_code ec;
  auto out = fs::weakly_canonical(path, ec);
  return ec ? path.lexically_normal() : out;
}

std::map<std::string, fs::path> meantFiles(const std::vector<ReportedFile>& reported, const fs::path& folder,
                                           const std::vector<fs::path>& roots) {
  std::map<std::string, fs::path> out;
  std::vector<const ReportedFile*> open;
  std::set<std::string> names;
  for (auto& r : reported) {
    fs::path path = folder / r.path;
    if (isFile(path)) out[r.path] = canonicalOf(path);
    else if (auto name = path.filename().string(); !name.empty()) names.insert(name), open.push_back(&r);
  }
  if (open.empty()) return out;
  Named found = search(roots, names);
  for (auto* r : open)
    if (auto file = chosen(*r, found[fs::path(r->path).filename().string()]); !file.empty())
      out[r->path] = file;
  return out;
}

}  // namespace kadvise::lsp
