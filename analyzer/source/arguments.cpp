#include "analyzer/source/arguments.h"

#include <algorithm>
#include <string_view>
#include <system_error>

#include "analyzer/source/guessed_folders.h"

namespace kadvise::source {
namespace fs = std::filesystem;
namespace {

// What Clang takes for errors although they are warnings, which -w leaves, and nvcc with gcc accepts.
constexpr const char* kAccepted[] = {"-Wno-register",        "-Wno-reserved-user-defined-literal",
                                     "-Wno-narrowing",       "-Wno-address-of-temporary",
                                     "-Wno-non-pod-varargs", "-Wno-invalid-constexpr"};
// Projects that can be built without CUDA, or without what compilers and LibTorch have had for years: whoever
// reads a CUDA source of theirs wants it to be there.
constexpr const char* kDefined[] = {"WITH_CUDA",      "USE_CUDA",       "HAVE_CUDA",     "ENABLE_BF16",
                                    "VERSION_GE_1_1", "VERSION_GE_1_3", "VERSION_GE_1_5"};
constexpr const char* kWithAValue[] = {"-isystem", "-iquote", "-idirafter", "-include"};

void sortInto(const std::vector<std::string>& given, ClangArguments& out) {
  for (std::size_t i = 0; i < given.size(); ++i) {
    auto isOne = [&](auto* name) { return given[i] == name; };
    bool hasValue = std::any_of(std::begin(kWithAValue), std::end(kWithAValue), isOne);
    auto& to = hasValue || given[i].starts_with("-I") ? out.folders : out.language;
    to.push_back(given[i]);
    if (hasValue && i + 1 < given.size()) to.push_back(given[++i]);
  }
}

// In a line that is no directive: a template's parameter, an enumerator, a constant.
bool isNamedInCode(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    std::size_t line = text.rfind('\n', at);
    line = text.find_first_not_of(" \t", line == text.npos ? 0 : line + 1);
    if (text[line] != '#') return true;
  }
  return false;
}

}  // namespace

std::optional<std::pair<fs::path, std::string>> macroText(const ParseRequest& request) {
  std::string text = request.includes + (request.makefile ? request.makefile->macros : "") + request.macros;
  if (text.empty()) return std::nullopt;
  return std::pair(absoluteFile(request).parent_path() / ".macros-of-the-build", text);
}

fs::path absoluteFile(const ParseRequest& request) { return fs::absolute(request.file).lexically_normal(); }

std::vector<std::string> ClangArguments::all() const {
  auto out = language;
  // What CUDA itself is comes before whatever the user puts in front of the file.
  out.insert(out.end(), forced.begin(), forced.end());
  // What the build says comes first: its folders win over ours.
  out.insert(out.end(), folders.begin(), folders.end());
  out.insert(out.end(), headers.begin(), headers.end());
  return out;
}

ClangArguments argumentsOf(const ParseRequest& request) {
  ClangArguments out;
  bool isCuda = request.language == Language::Cuda;
  out.language = {"-fsyntax-only",       "-w", "-ferror-limit=0",
                  "-fno-spell-checking", "-x", isCuda ? "cuda" : "c++"};
  out.language.insert(out.language.end(), std::begin(kAccepted), std::end(kAccepted));
  // For "extern __shared__ float x[32]", which nvcc takes for what it says and Clang only so.
  if (isCuda) out.language.push_back("-fgpu-rdc");
  if (auto own = resourceFolder(); !own.empty()) out.language.push_back("-resource-dir=" + own.string());
  auto& given = request.command.arguments;
  bool hasStandard = std::any_of(given.begin(), given.end(), [](auto& a) { return a.starts_with("-std="); });
  if (!hasStandard) out.language.push_back("-std=" + request.standard);
  if (isCuda && given.empty())
    for (const char* name : kDefined)
      if (!isNamedInCode(request.text, name)) out.language.push_back(std::string("-D") + name);
  if (request.wrapped)
    for (auto& [name, value] : request.wrapped->macros) out.language.push_back("-D" + name + "=" + value);
  if (request.makefile)
    for (auto& folder : request.makefile->folders) out.folders.push_back("-I" + folder.string());
  for (auto& folder : request.first) out.folders.insert(out.folders.end(), {"-isystem", folder.string()});
  if (given.empty())
    for (auto& guess : guessedFolders(absoluteFile(request))) {
      if (guess.isOfProject) out.folders.insert(out.folders.end(), {"-iquote", guess.folder.string()});
      out.folders.insert(out.folders.end(), {"-idirafter", guess.folder.string()});
    }
  for (auto& folder : request.found)
    out.folders.insert(out.folders.end(), {"-iquote", folder.string(), "-idirafter", folder.string()});
  sortInto(given, out);
  if (auto text = macroText(request))
    out.folders.insert(out.folders.end(), {"-include", text->first.string()});
  for (auto& before : request.before)
    out.folders.insert(out.folders.end(), {"-include", before.file.string()});
  auto headers = headerArguments(request.headers, request.tier, request.language, request.pass, request.arch);
  for (std::size_t i = 0; i < headers.size(); ++i) {
    bool isForced = headers[i] == "-include" && i + 1 < headers.size();
    auto& to = isForced ? out.forced : out.headers;
    to.push_back(headers[i]);
    if (isForced) to.push_back(headers[++i]);
  }
  return out;
}

}  // namespace kadvise::source
