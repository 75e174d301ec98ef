#include "analyzer/lint/git_lines.h"

#include <climits>
#include <set>
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

ProgramOutput git(const fs::path& folder, std::vector<std::string> words, const Settings& settings) {
  std::vector<std::string> before = {"git", "--no-pager", "-C", folder.string()};
  // Old versions know only these, which cannot have a "=" in the name; in the environment there may be one.
  for (auto& [name, value] : settings)
    if (name.find('=') == std::string::npos) before.insert(before.end(), {"-c", name + "=" + value});
  words.insert(words.begin(), before.begin(), before.end());
  return runProgram(words, environmentOf(settings));
}

std::string outputOf(const fs::path& folder, const std::vector<std::string>& words, const std::string& what,
                     const Settings& settings = kSettings) {
  auto result = git(folder, words, settings);
  std::string why = result.firstErrorLine();
  if (result.code != 0) throw Error("--diff-base", why.empty() ? what : what + ": " + why);
  return result.output;
}

// Filters are programs through which git reads the files of some repositories. Their names are in the
// configuration, whoever wrote it; what is set to nothing is not run.
Settings withoutFilters(const fs::path& folder) {
  Settings out = kSettings;
  auto names =
      git(folder, {"config", "-z", "--name-only", "--get-regexp", "^filter\\..*\\.(clean|process|required)$"},
          kSettings);
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

// Behind "--- " or "+++ "; "" for no file.
std::string nameIn(const std::string& line) {
  std::string name = line.substr(4);
  if (!name.empty() && name.back() == '\t') name.pop_back();  // behind names with spaces
  return name == "/dev/null" ? "" : unquoted(name);
}

}  // namespace

ChangedFiles parseDiff(const std::string& diff, const fs::path& folder) {
  ChangedFiles out;
  std::istringstream lines(diff);
  std::string line, file, before;
  int left = 0;  // lines of a hunk: whatever they look like, they are text
  while (std::getline(lines, line)) {
    if (left > 0) {
      left -= line.rfind('\\', 0) != 0;  // "\ No newline at end of file" is none
    } else if (line.rfind("--- ", 0) == 0) {
      before = nameIn(line);
    } else if (line.rfind("+++ ", 0) == 0) {
      std::string name = nameIn(line);
      file = name.empty() ? "" : (folder / name).lexically_normal().string();
    } else if (line.rfind("@@ ", 0) == 0) {
      Hunk hunk = hunkOf(line);
      left = hunk.before + hunk.after;
      if (file.empty()) continue;
      auto& changed = out[file];
      changed.folder = folder, changed.before = before;
      // A deletion leaves no line.
      if (hunk.after > 0) changed.lines.emplace_back(hunk.first, hunk.first + hunk.after - 1);
    }
  }
  return out;
}

namespace {

ChangedFiles changedIn(const fs::path& root, const std::string& revision) {
  outputOf(root, {"rev-parse", "--verify", "--quiet", revision + "^{commit}"},
           "git knows no revision \"" + revision + "\"");
  auto out = parseDiff(outputOf(root,
                                {"diff", "-U0", "--inter-hunk-context=0", "--no-color", "--no-ext-diff",
                                 "--no-textconv", "--text", "--no-prefix", "--no-relative",
                                 "--ignore-submodules=all", "--diff-filter=d", revision, "--"},
                                "git diff", withoutFilters(root)),
                       root);
  std::istringstream untracked(
      outputOf(root, {"ls-files", "-z", "--others", "--exclude-standard"}, "git ls-files"));
  for (std::string file; std::getline(untracked, file, '\0');)
    out[(root / file).lexically_normal().string()] = {{{1, INT_MAX}}, root, ""};
  return out;
}

// A path may lead through a folder that is not there.
fs::path nearestFolder(fs::path path) {
  std::error_code ec;
  path = fs::absolute(path).lexically_normal();
  while (!fs::is_directory(path, ec) && path != path.parent_path()) path = path.parent_path();
  return path;
}

}  // namespace

ChangedFiles changedSince(const std::string& revision, const std::vector<fs::path>& folders) {
  if (revision.empty() || revision[0] == '-')
    throw Error("--diff-base", "\"" + revision + "\" is no revision");
  std::set<fs::path> asked, roots;
  for (auto& folder : folders) asked.insert(nearestFolder(folder));
  for (auto& folder : asked)
    roots.insert(trimmedLine(
        outputOf(folder, {"rev-parse", "--show-toplevel"}, folder.string() + " is in no git repository")));
  ChangedFiles out;
  for (auto& root : roots) out.merge(changedIn(root, revision));
  return out;
}

std::optional<std::string> textBefore(const std::string& revision, const ChangedFile& file) {
  if (file.before.empty()) return std::nullopt;
  auto result = git(file.folder, {"cat-file", "blob", revision + ":" + file.before}, kSettings);
  if (result.code != 0) return std::nullopt;
  return std::move(result.output);
}

}  // namespace kadvise
