#include "analyzer/lint/git_lines.h"

#include <climits>
#include <sstream>

#include "analyzer/core/error.h"
#include "analyzer/lint/program_output.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

// Nothing that a repository's own configuration names is started: no diff driver, no monitor, no pager.
std::vector<std::string> git(std::vector<std::string> words) {
  std::vector<std::string> out = {"git", "--no-pager",          "-c", "core.fsmonitor=false",
                                  "-c",  "core.quotePath=false"};
  out.insert(out.end(), words.begin(), words.end());
  return out;
}

std::string outputOf(const std::vector<std::string>& words, const std::string& what) {
  auto result = runProgram(git(words));
  if (result.code != 0) throw Error("--diff-base", what + ": " + result.firstErrorLine());
  return result.output;
}

std::string trimmedLine(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

// "@@ -10,2 +12,3 @@": lines 12 to 14; a count of 0 is a deletion, which leaves no line.
void takeHunk(const std::string& header, std::vector<std::pair<int, int>>& out) {
  auto plus = header.find('+');
  if (plus == std::string::npos) return;
  int first = 0, count = 1;
  char comma = 0;
  std::istringstream in(header.substr(plus + 1));
  in >> first;
  if (in.peek() == ',') in >> comma >> count;
  if (count > 0) out.emplace_back(first, first + count - 1);
}

}  // namespace

ChangedLines parseDiff(const std::string& diff, const fs::path& folder) {
  ChangedLines out;
  std::istringstream lines(diff);
  std::string line, file;
  while (std::getline(lines, line)) {
    if (line.rfind("+++ ", 0) == 0) {
      file = line.substr(4, line.find('\t') == std::string::npos ? std::string::npos : line.find('\t') - 4);
      file = file == "/dev/null" ? "" : (folder / file).lexically_normal().string();
    } else if (line.rfind("@@ ", 0) == 0 && !file.empty()) {
      takeHunk(line, out[file]);
    }
  }
  std::erase_if(out, [](auto& entry) { return entry.second.empty(); });
  return out;
}

ChangedLines changedSince(const std::string& revision) {
  if (revision.empty() || revision[0] == '-')
    throw Error("--diff-base", "\"" + revision + "\" is no revision");
  fs::path root = trimmedLine(outputOf({"rev-parse", "--show-toplevel"}, "this is no git repository"));
  outputOf({"rev-parse", "--verify", "--quiet", revision + "^{commit}"},
           "git knows no revision \"" + revision + "\"");
  auto out = parseDiff(outputOf({"diff", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-prefix",
                                 "--diff-filter=d", revision, "--"},
                                "git diff"),
                       root);
  std::istringstream untracked(
      outputOf({"-C", root.string(), "ls-files", "-z", "--others", "--exclude-standard"}, "git ls-files"));
  for (std::string file; std::getline(untracked, file, '\0');)
    out[(root / file).lexically_normal().string()] = {{1, INT_MAX}};
  return out;
}

}  // namespace kadvise
