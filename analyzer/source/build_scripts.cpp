#include "analyzer/source/build_scripts.h"

#include <algorithm>
#include <string_view>
#include <system_error>

#include "analyzer/source/build_words.h"
#include "analyzer/source/project_headers.h"

namespace kadvise::source {
namespace fs = std::filesystem;
namespace {

constexpr int kMostFoldersUp = 8, kMostFoldersUpToPython = 2;
constexpr std::size_t kMostBytes = 256u << 10, kMostEntries = 500, kMostPython = 40;
constexpr const char* kCompiling[] = {"cpp_extension", "CUDAExtension", "nvcc", "nvrtc"};
constexpr std::size_t kLongestName = 1024;  // with what stands in braces

std::vector<fs::path> pythonIn(const fs::path& folder) {
  std::error_code ec;
  std::vector<fs::path> out;
  std::size_t seen = 0;
  for (fs::directory_iterator at(folder, ec), end; !ec && at != end && ++seen < kMostEntries;
       at.increment(ec))
    if (at->path().extension() == ".py") out.push_back(at->path());
  std::sort(out.begin(), out.end());
  out.resize(std::min(out.size(), kMostPython));
  return out;
}

// "k_{version}.cu", with the braces of f-strings, is any name that begins and ends so; of a script that
// compiles something so are "k_*.cu", "*.cu" and ".cu", which names are joined with.
bool isLike(std::string_view name, std::string_view pattern, bool compiles) {
  if (auto star = pattern.find('*'); compiles && (star != pattern.npos || pattern.starts_with('.')))
    return name.starts_with(pattern.substr(0, star == pattern.npos ? 0 : star)) &&
           name.ends_with(pattern.substr(pattern.rfind('*') + 1));
  auto open = pattern.find('{'), close = pattern.rfind('}');
  if (open == pattern.npos || close == pattern.npos || close < open) return name == pattern;
  return open > 0 && name.size() > pattern.size() - (close + 1 - open) &&
         name.starts_with(pattern.substr(0, open)) && name.ends_with(pattern.substr(close + 1));
}

bool namesSource(const std::string& text, const fs::path& source) {
  const std::string extension = source.extension().string(), name = source.filename().string();
  if (extension.empty()) return false;
  const std::string_view whole = text;
  const bool compiles = std::any_of(std::begin(kCompiling), std::end(kCompiling),
                                    [&](auto* w) { return text.find(w) != std::string::npos; });
  std::size_t first = 0, looked = 0;  // where the word begins that is looked at, and how far that is known
  for (auto at = text.find(extension); at != std::string::npos; at = text.find(extension, at + 1)) {
    for (; looked < at; ++looked)
      if (std::string_view("/\\\"' \n").find(text[looked]) != std::string_view::npos) first = looked + 1;
    const std::size_t length = at + extension.size() - first;
    if (length <= kLongestName && isLike(name, whole.substr(first, length), compiles)) return true;
  }
  return false;
}

// By the words of compilers and of CMake.
bool saysCxx20(const std::string& text) {
  constexpr const char* kWords[] = {"std=c++20",        "std=c++2a",  "std=c++23",      "std=gnu++20",
                                    "std:c++20",        "cxx_std_20", "cuda_std_20",    "CXX_STANDARD 20",
                                    "CUDA_STANDARD 20", "cxx_std_23", "CXX_STANDARD 23"};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](auto* w) { return text.find(w) != std::string::npos; });
}

class Reader {
 public:
  explicit Reader(const fs::path& source) : source_(source) {}

  void takePythonIn(const fs::path& folder) {
    out_.asked.searched.push_back(folder / "*.py");
    for (auto& file : pythonIn(folder)) {
      std::string text = projectText(file, kMostBytes);
      bool isOfBuild = file.filename().string().starts_with("setup") || namesSource(text, source_);
      (isOfBuild ? out_.asked.there : out_.asked.searched).push_back(file);
      if (isOfBuild) take(text, wordsOfPython(text));
    }
  }

  void takeSetup(const fs::path& file) {
    std::string text = out_.asked.textOf(file, kMostBytes);
    take(text, wordsOfPython(text));
  }

  void takeCMake(const fs::path& file) {
    std::string text = out_.asked.textOf(file, kMostBytes);
    take(text, wordsOfCMake(text));
  }

  ScriptFlags result() {
    for (auto& w : words_)
      if (!w.isConditional) out_.macros.take(w.text.substr(2), false);
    for (auto& w : words_) out_.macros.take(w.text.substr(2), w.isConditional);
    return std::move(out_);
  }

 private:
  void take(const std::string& text, std::vector<BuildWord> words) {
    out_.isCxx20 |= saysCxx20(text);
    for (auto& w : words) {
      out_.fastMath |= w.text == "--use_fast_math" || w.text == "-use_fast_math";
      if (w.text.starts_with("-D")) words_.push_back(std::move(w));
    }
  }

  fs::path source_;
  std::vector<BuildWord> words_;  // the nearest first, of one file in its order
  ScriptFlags out_;
};

}  // namespace

ScriptFlags scriptFlags(const fs::path& source) {
  std::error_code ec;
  fs::path file = fs::absolute(source).lexically_normal();
  if (!fs::is_regular_file(file, ec)) return {};  // a text that nobody builds
  fs::path top = projectOf(file), folder = file.parent_path();
  Reader reader(file);
  bool isWithin = true;
  for (int up = 0; up < kMostFoldersUp && folder.has_relative_path(); ++up, folder = folder.parent_path()) {
    if (isWithin && up <= kMostFoldersUpToPython) reader.takePythonIn(folder);
    else reader.takeSetup(folder / "setup.py");
    reader.takeCMake(folder / "CMakeLists.txt");
    if (fs::exists(folder / ".git", ec)) break;
    isWithin &= folder != top && !top.empty();  // above, these would mark another top if they were there
  }
  return reader.result();
}

}  // namespace kadvise::source
