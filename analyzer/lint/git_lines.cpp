#include "analyzer/lint/git_lines.h"

#include <climits>
#include <sstream>
#include <utility>
#include <vector>

#include "analyzer/core/error.h"
#include "analyzer/lint/program_output.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

// Nothing that a repository's own configuration names is started: no monitor, pager, hook or diff driver, no
// remote to fetch a missing object from, and, once they are known, no filter.
const Settings kSettings = {
    {"core.fsmonitor", "false"}, {"core.hooksPath", "/dev/null"}, {"core.quotePath", "false"}};

std::vector<std::string> environmentOf(const Settings& settings) {
  std::vector<std::string> out = {"GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none",
                                  "GIT_TERMINAL_PROMPT=0",
                                  "GIT_CONFIG_COUNT=" + std::to_string(settings.size())};
  for (std::size_t i = 0; i < settings.size(); ++i) {
    out.push_back("GIT_CONFIG_KEY_" + std::to_string(i) + "=" + settings[i].first);
    out.push_back("GIT_CONFIG_VALUE_" + std::to_string(i) + "=" + settings[i].second);
  }
  return out;
}

ProgramOutput git(std::vector<std::string> words, const Settings& settings) {
  std::vector<std::string> before = {"git", "--no-pager"};
  // Old versions know only these, which cannot have a "=" in the name; in the environment there may be one.
  for (auto& [name, value] : settings)
    if (name.find('=') == std::string::npos) before.insert(before.end(), {"-c", name + "=" + value});
  words.insert(words.begin(), before.begin(), before.end());
  return runProgram(words, environmentOf(settings));
}

std::string outputOf(const std::vector<std::string>& words, const std::string& what,
                     const Settings& settings = kSettings) {
  auto result = git(words, settings);
  if (result.code != 0) throw Error("--diff-base", what + ": " + result.firstErrorLine());
  return result.output;
}

// Filters are programs through which git reads the files of some repositories. Their names are in the
// configuration, whoever wrote it; what is set to nothing is not run.
Settings withoutFilters() {
  Settings out = kSettings;
  auto names = git(
      {"config", "-z", "--name-only", "--get-regexp", "^filter\\..*\\.(clean|process|required)$"}, kSettings);
  std::istringstream lines(names.output);
  for (std::string name; std::getline(lines, name, '\0');)
    out.emplace_back(name, name.ends_with(".required") ? "false" : "");
  return out;
}

std::string trimmedLine(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

// What stands behind "@@ -10,2 +12,3 @@", but for the beginning.
struct Hunk {
  int before = 1, first = 0, after = 1;  // lines there were; the first that is there now, and how many
};

Hunk hunkOf(const std::string& header) {
  Hunk out;
  std::istringstream in(header);
  char skipped = 0;
  int line = 0;
  in >> skipped >> skipped >> skipped >> line;  // "@@ -"
  if (in.peek() == ',') in >> skipped >> out.before;
  in >> skipped >> out.first;
  if (in.peek() == ',') in >> skipped >> out.after;
  return out;
}

// As git writes a name with characters that are no ordinary ones: "a\nb", "\303\274".
std::string unquoted(const std::string& name) {
  if (name.size() < 2 || name.front() != '"' || name.back() != '"') return name;
  static const std::string kLetters = "abfnrtv", kMeant = "\a\b\f\n\r\t\v";
  std::string out;
  for (std::size_t i = 1; i + 1 < name.size(); ++i) {
    if (name[i] != '\\') {
      out += name[i];
      continue;
    }
    char c = name[++i];
    if (auto at = kLetters.find(c); at != std::string::npos) out += kMeant[at];
    else if (c >= '0' && c <= '3' && i + 3 < name.size())
      out += static_cast<char>(std::stoi(name.substr(i, 3), nullptr, 8)), i += 2;
    else out += c;
  }
  return out;
}

}  // namespace

ChangedLines parseDiff(const std::string& diff, const fs::path& folder) {
  ChangedLines out;
  std::istringstream lines(diff);
  std::string line, file;
  int left = 0;  // lines of a hunk: whatever they look like, they are text
  while (std::getline(lines, line)) {
    if (left > 0) {
      left -= line.rfind('\\', 0) != 0;  // "\ No newline at end of file" is none
    } else if (line.rfind("+++ ", 0) == 0) {
      std::string name = line.substr(4);
      if (!name.empty() && name.back() == '\t') name.pop_back();  // behind names with spaces
      file = name == "/dev/null" ? "" : (folder / unquoted(name)).lexically_normal().string();
    } else if (line.rfind("@@ ", 0) == 0) {
      Hunk hunk = hunkOf(line);
      left = hunk.before + hunk.after;
      // A deletion leaves no line.
      if (!file.empty() && hunk.after > 0) out[file].emplace_back(hunk.first, hunk.first + hunk.after - 1);
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
  auto out = parseDiff(outputOf({"diff", "-U0", "--inter-hunk-context=0", "--no-color", "--no-ext-diff",
                                 "--no-textconv", "--text", "--no-prefix", "--no-relative",
                                 "--ignore-submodules=all", "--diff-filter=d", revision, "--"},
                                "git diff", withoutFilters()),
                       root);
  std::istringstream untracked(
      outputOf({"-C", root.string(), "ls-files", "-z", "--others", "--exclude-standard"}, "git ls-files"));
  for (std::string file; std::getline(untracked, file, '\0');)
    out[(root / file).lexically_normal().string()] = {{1, INT_MAX}};
  return out;
}

}  // namespace kadvise
