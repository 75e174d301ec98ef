#include "analyzer/source/macro_lines.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace kadvise::source {
namespace {

constexpr std::size_t kMostMacros = 200;

// Names of compilers and systems are theirs: a build for several of them defines each where it is right.
// With an underscore at either end ("_N_") a name is a project's.
bool isReserved(const std::string& name) {
  if (name.starts_with("__")) return true;
  return name.size() > 1 && name[0] == '_' && std::isupper(static_cast<unsigned char>(name[1])) &&
         !name.ends_with("_");
}

// "GPU", "USE_CUDA": whoever asks for kernels builds them.
bool turnsCudaOn(const std::string& name) {
  static const std::set<std::string> kParts = {"GPU",    "CUDA",    "USE", "WITH",  "HAVE",
                                               "ENABLE", "ENABLED", "HAS", "BUILD", "SUPPORT"};
  bool isOfCuda = false;
  std::istringstream parts(name);
  for (std::string part; std::getline(parts, part, '_');) {
    if (!kParts.count(part)) return false;
    isOfCuda |= part == "GPU" || part == "CUDA";
  }
  return isOfCuda;
}

std::string linesOf(const std::pair<std::string, std::string>& macro) {
  return "#ifndef " + macro.first + "\n#define " + macro.first + macro.second + "\n#endif\n";
}

std::set<std::string> wordsOf(const std::string& text) {
  std::set<std::string> out;
  std::string word;
  for (char c : text + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') word += c;
    else out.insert(std::move(word)), word.clear();
  }
  return out;
}

}  // namespace

bool isMacroName(const std::string& text) {
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

void MacroLines::take(const std::string& definition, bool isConditional) {
  // What only a run of the build would tell stays as it is written.
  if (definition.find_first_of("$`\n") != std::string::npos) return;
  auto equals = definition.find('=');
  std::string name = definition.substr(0, equals);
  bool hasValue = equals != std::string::npos;
  if (!isMacroName(name) || isReserved(name) || (isConditional && !hasValue && !turnsCudaOn(name))) return;
  bool isKnown = std::any_of(macros_.begin(), macros_.end(), [&](auto& m) { return m.first == name; });
  if (isKnown || macros_.size() >= kMostMacros) return;
  macros_.emplace_back(name, hasValue ? " " + definition.substr(equals + 1) : " 1");
}

std::string MacroLines::text() const {
  std::string out;
  for (auto& macro : macros_) out += linesOf(macro);
  return out;
}

std::string MacroLines::textOf(std::set<std::string> names) const {
  for (std::size_t known = 0; known != names.size();) {
    known = names.size();
    for (auto& [name, value] : macros_)
      if (names.count(name)) names.merge(wordsOf(value));
  }
  std::string out;
  for (auto& macro : macros_)
    if (names.count(macro.first)) out += linesOf(macro);
  return out;
}

std::string MacroLines::cudaTextFor(const std::string& source) const {
  std::set<std::string> names;
  for (auto& [name, value] : macros_)
    if (turnsCudaOn(name) && source.find(name) != source.npos) names.insert(name);
  return names.empty() ? "" : textOf(std::move(names));
}

}  // namespace kadvise::source
