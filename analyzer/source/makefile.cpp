#include "analyzer/source/makefile.h"

#include <algorithm>
#include <map>
#include <system_error>

#include "analyzer/source/compile_command.h"
#include "analyzer/source/macro_lines.h"

namespace kadvise::source {
namespace fs = std::filesystem;
namespace {

constexpr const char* kNames[] = {"GNUmakefile", "makefile", "Makefile"};  // as make looks for them
constexpr int kMostFoldersUp = 2, kMostFiles = 4, kDeepestVariable = 8, kMostExpansions = 20000;
constexpr std::size_t kMostMissing = 100;
constexpr std::size_t kMostBytes = 256u << 10, kMostLines = 4000, kLongestValue = 4096;

bool isRegular(const fs::path& file) {
  std::error_code ec;
  return fs::is_regular_file(file, ec);
}

std::string trimmed(const std::string& text) {
  auto first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
}

// Lines without comments, and those that a backslash joins as one.
std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> out;
  std::string line;
  bool isOpen = false;
  for (std::size_t at = 0; at < text.size() && out.size() < kMostLines;) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    std::string part = text.substr(at, end - at);
    at = end + 1;
    if (!part.empty() && part.back() == '\r') part.pop_back();
    isOpen = !part.empty() && part.back() == '\\';
    if (isOpen) part.back() = ' ';
    line += part;
    if (isOpen && line.size() < kMostBytes) continue;
    if (auto comment = line.find('#');
        comment != std::string::npos && (comment == 0 || line[comment - 1] != '\\'))
      line.resize(comment);
    out.push_back(std::move(line)), line.clear();
  }
  if (!line.empty()) out.push_back(line);
  return out;
}

class Reader {
 public:
  explicit Reader(AskedFiles before) { out_.asked = std::move(before); }

  MakefileFlags run(const fs::path& makefile) {
    folder_ = makefile.parent_path();
    take(makefile);
    for (auto& line : always_) takeFlags(line, false);
    for (auto& line : sometimes_) takeFlags(line, true);
    out_.macros = macros_.text();
    return std::move(out_);
  }

 private:
  void take(const fs::path& file) {
    auto& [there, searched] = out_.asked;
    if (there.size() >= kMostFiles || searched.size() >= kMostMissing) return;
    if (std::find(there.begin(), there.end(), file) != there.end()) return;
    std::string text = out_.asked.textOf(file, kMostBytes);
    int depth = 0;  // of ifeq, ifdef and the like
    for (auto& line : linesOf(text)) takeLine(line, file, depth);
  }

  void takeLine(const std::string& line, const fs::path& file, int& depth) {
    bool isRecipe = !line.empty() && line[0] == '\t';
    std::string words = trimmed(line);
    if (words.starts_with("ifeq") || words.starts_with("ifneq") || words.starts_with("ifdef") ||
        words.starts_with("ifndef"))
      return void(++depth);
    if (words.starts_with("endif")) return void(depth = std::max(depth - 1, 0));
    for (auto* word : {"include ", "-include ", "sinclude "})
      if (!isRecipe && words.starts_with(word))
        return take((file.parent_path() / trimmed(expanded(words.substr(std::string(word).size()), 0)))
                        .lexically_normal());
    if (!isRecipe) takeAssignment(words, depth > 0);
    auto& lines = depth > 0 ? sometimes_ : always_;
    if (words.find("-D") != std::string::npos || words.find("-I") != std::string::npos ||
        words.find("use_fast_math") != std::string::npos || words.find('$') != std::string::npos)
      lines.push_back(words);
  }

  void takeAssignment(const std::string& words, bool isConditional) {
    auto equals = words.find('=');
    if (equals == std::string::npos || equals == 0) return;
    char kind = words[equals - 1];
    bool isMarked = kind == ':' || kind == '?' || kind == '+';
    std::string name = trimmed(words.substr(0, isMarked ? equals - 1 : equals));
    if (!isMacroName(name)) return;
    std::string value = trimmed(words.substr(equals + 1));
    auto& known = variables_[name];
    if (kind == '+') {
      if (!isConditional && known.size() < kLongestValue) known += " " + value;
    } else if (known.empty() || (kind != '?' && !isConditional)) {
      known = value;
    }
  }

  // $(NAME) as it is known at the end of the file; what only a run of make would tell stays as it is written.
  std::string expanded(const std::string& text, int depth) {
    std::string out;
    for (std::size_t at = 0; at < text.size() && out.size() < kMostBytes; ++at) {
      char open = text[at] == '$' && at + 1 < text.size() ? text[at + 1] : '\0';
      auto close = open == '(' || open == '{' ? text.find(open == '(' ? ')' : '}', at) : std::string::npos;
      if (close == std::string::npos) {
        out += text[at];
        continue;
      }
      std::string name = text.substr(at + 2, close - at - 2);
      auto known = variables_.find(name);
      if (name == "CURDIR" || name == "PWD") out += ".";
      else if (known != variables_.end() && depth < kDeepestVariable && expansions_++ < kMostExpansions)
        out += expanded(known->second, depth + 1);
      else out += "$(" + name + ")";
      at = close;
    }
    return out;
  }

  void takeFlags(const std::string& line, bool isConditional) {
    auto words = shellWords(expanded(line, 0));
    for (std::size_t i = 0; i < words.size(); ++i) {
      out_.fastMath |= words[i] == "-use_fast_math" || words[i] == "--use_fast_math";
      bool isMacro = words[i].starts_with("-D");
      if (!isMacro && !words[i].starts_with("-I")) continue;
      std::string value = words[i].substr(2);
      if (value.empty() && i + 1 < words.size()) value = words[++i];
      if (isMacro) macros_.take(value, isConditional);
      else if (value.find_first_of("$`\n") == std::string::npos) takeFolder(value);
    }
  }

  // Folders of the project only: those of an installed toolkit are found by other ways.
  void takeFolder(const std::string& value) {
    if (value.empty() || fs::path(value).is_absolute()) return;
    fs::path folder = (folder_ / value).lexically_normal();
    std::error_code ec;
    bool isThere = fs::is_directory(folder, ec);
    if (!isThere && out_.asked.searched.size() >= kMostMissing) return;
    auto& known = isThere ? out_.folders : out_.asked.searched;
    if (std::find(known.begin(), known.end(), folder) == known.end()) known.push_back(folder);
  }

  MakefileFlags out_;
  fs::path folder_;
  int expansions_ = 0;  // a variable of variables of variables: bounded in width as well
  std::map<std::string, std::string> variables_;
  std::vector<std::string> always_, sometimes_;
  MacroLines macros_;
};

}  // namespace

MakefileFlags makefileFlags(const fs::path& source) {
  fs::path file = fs::absolute(source).lexically_normal();
  if (!isRegular(file)) return {};  // a text that nobody builds
  std::error_code ec;
  AskedFiles before;
  fs::path folder = file.parent_path();
  for (int up = 0; up <= kMostFoldersUp; ++up, folder = folder.parent_path()) {
    for (auto* name : kNames) {
      if (isRegular(folder / name)) return Reader(std::move(before)).run(folder / name);
      before.note(folder / name);
    }
    if (fs::exists(folder / ".git", ec) || folder == folder.parent_path()) break;
  }
  MakefileFlags none;
  none.asked = std::move(before);
  return none;
}

}  // namespace kadvise::source
