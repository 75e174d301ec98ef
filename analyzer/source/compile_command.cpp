#include "analyzer/source/compile_command.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <string_view>

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"

namespace kadvise::source {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kResponseFileBytes = 4u << 20;
constexpr int kDeepestResponseFile = 4;
constexpr std::size_t kMostWords = 20000;

// What becomes of an option: kept as `as` with its value, dropped with its value, or dropped alone.
struct Option {
  const char *name, *as;  // as: "" to drop
  bool takesValue;
};
// Longer names first where one begins another. Values follow as the next word, after "=", or joined (-DX).
constexpr Option kOptions[] = {
    {"--define-macro", "-D", true},
    {"--undefine-macro", "-U", true},
    {"--include-path", "-I", true},
    {"--system-include", "-isystem", true},
    {"--pre-include", "-include", true},
    {"-isystem", "-isystem", true},
    {"-iquote", "-iquote", true},
    {"-idirafter", "-idirafter", true},
    {"-include-pch", "", true},
    {"-include", "-include", true},
    {"--std", "-std=", true},
    {"-std", "-std=", true},
    {"-D", "-D", true},
    {"-U", "-U", true},
    {"-I", "-I", true},
    {"--compiler-bindir", "", true},
    {"-ccbin", "", true},
    {"--ptxas-options", "", true},
    {"-Xptxas", "", true},
    {"-Xcudafe", "", true},
    {"-Xfatbin", "", true},
    {"-Xnvlink", "", true},
    {"-Xlinker", "", true},
    {"-Xarchive", "", true},
    {"-Xarch_device", "", true},
    {"-Xarch_host", "", true},
    {"--threads", "", true},
    {"-t", "", true},
    {"--keep-dir", "", true},
    {"--output-directory", "", true},
    {"-odir", "", true},
    {"--output-file", "", true},
    {"-o", "", true},
    {"-MF", "", true},
    {"-MT", "", true},
    {"-MQ", "", true},
    {"--dependency-output", "", true},
    {"--library", "", true},
    {"--library-path", "", true},
    {"-L", "", true},
    {"-l", "", true},
    {"-arch", "", true},  // of macOS's clang; nvcc's is looked at before
    {"--cudart", "", true},
    {"-cudart", "", true},
    {"--maxrregcount", "", true},
    {"-maxrregcount", "", true},
    {"--diag-suppress", "", true},
    {"--diag-error", "", true},
    {"--diag-warn", "", true},
    {"-diag-suppress", "", true},
    {"-x", "", true},  // the language is known
    {"--x", "", true},
};
// Kept as they are: what changes the meaning of the text.
constexpr const char* kKept[] = {
    "-fno-exceptions", "-fexceptions",  "-fno-rtti",       "-frtti",       "-fopenmp",     "-fsigned-char",
    "-funsigned-char", "-fshort-enums", "-fms-extensions", "-fpermissive", "-fcoroutines", "-fconcepts",
    "-fchar8_t",       "-fno-char8_t",  "-pthread",        "-ffast-math",  "-m32",         "-m64",
    "-nostdinc++",     "-fgpu-rdc"};

bool startsWith(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

// The number in "arch=compute_90a,code=sm_90a", "sm_90", "90-real".
int archIn(std::string_view text) {
  int newest = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!std::isdigit(static_cast<unsigned char>(text[at]))) continue;
    int number = 0;
    while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) && number < 10000)
      number = number * 10 + (text[at++] - '0');
    if (number >= 30 && number < 1000) newest = std::max(newest, number);
  }
  return newest;
}

class Translator {
 public:
  explicit Translator(fs::path directory) { out_.directory = std::move(directory); }

  CompileCommand run(std::vector<std::string> words) {
    if (words.empty()) return out_;
    takeProgram(words.front());
    words.erase(words.begin());
    std::erase(words, "-Xclang");  // CMake writes it before "-include" and before its value
    words.resize(std::min(words.size(), kMostWords));
    words_ = std::move(words);
    while (at_ < words_.size()) {
      if (words_[at_] == "&&" || words_[at_] == ";")
        break;  // a second call: of the same file, for another pass
      takeWord();
    }
    return out_;
  }

 private:
  void takeProgram(const fs::path& program) {
    std::string name = program.filename().string();
    out_.forCuda = startsWith(name, "nvcc");
    // As it is written: looking for it on the PATH would make the result depend on who runs us.
    if (out_.forCuda && program.is_absolute()) out_.toolkit = program.parent_path().parent_path();
  }

  std::string next() { return at_ < words_.size() ? words_[at_++] : std::string(); }

  void takeWord() {
    std::string word = next();
    if (takeResponseFile(word) || takeArch(word) || takeHostOptions(word) || takeMeaning(word)) return;
    for (auto* kept : kKept)
      if (word == kept) return out_.arguments.push_back(word);
    for (auto& option : kOptions)
      if (takeOption(option, word)) return;
    // Anything else: a warning, an optimisation, an option of nvcc's own phases, or the file itself.
  }

  bool takeResponseFile(const std::string& word) {
    std::string file;
    if (word.size() > 1 && word[0] == '@') file = word.substr(1);
    else if (word == "--options-file" || word == "-optf") file = next();
    else if (startsWith(word, "--options-file=")) file = word.substr(15);
    else return false;
    if (++responseFiles_ > kDeepestResponseFile) return true;
    out_.responseFiles.push_back(fs::absolute(out_.directory / file));
    try {
      auto more = shellWords(readFile(out_.responseFiles.back(), kResponseFileBytes));
      if (words_.size() + more.size() < kMostWords)
        words_.insert(words_.begin() + static_cast<std::ptrdiff_t>(at_), more.begin(), more.end());
    } catch (const Error&) {
      // A build that has not run yet: what it would say is missing, and the includes will tell.
    }
    return true;
  }

  bool takeArch(const std::string& word) {
    std::string value;
    for (auto* name :
         {"--generate-code", "-gencode", "--gpu-architecture", "-arch", "--cuda-gpu-arch", "-gpu"}) {
      if (word == name) value = next();
      else if (startsWith(word, std::string(name) + "=")) value = word.substr(std::string(name).size() + 1);
      else continue;
      out_.arch = std::max(out_.arch, archIn(value));
      return true;
    }
    if (word == "--gpu-code" || word == "-code") return next(), true;
    return false;
  }

  // -Xcompiler a,b: what it gives to the host compiler.
  bool takeHostOptions(const std::string& word) {
    std::string value;
    if (word == "-Xcompiler" || word == "--compiler-options") value = next();
    else if (startsWith(word, "-Xcompiler=")) value = word.substr(11);
    else if (startsWith(word, "--compiler-options=")) value = word.substr(19);
    else return false;
    for (auto& c : value)
      if (c == ',') c = ' ';
    auto more = shellWords(value);
    if (words_.size() + more.size() < kMostWords)
      words_.insert(words_.begin() + static_cast<std::ptrdiff_t>(at_), more.begin(), more.end());
    return true;
  }

  bool takeMeaning(const std::string& word) {
    if (word == "--use_fast_math" || word == "-use_fast_math" || word == "-ffast-math") out_.fastMath = true;
    if (word == "-cuda") out_.forCuda = true;  // nvc++
    if ((word == "-x" || word == "--x") && at_ < words_.size() &&
        (words_[at_] == "cu" || words_[at_] == "cuda"))
      out_.forCuda = true;
    if (startsWith(word, "--cuda-path=")) out_.toolkit = word.substr(12);
    if (word == "-rdc=true" || word == "-dc" || word == "--device-c")
      return out_.arguments.push_back("-fgpu-rdc"), true;
    return false;
  }

  bool takeOption(const Option& option, const std::string& word) {
    std::string_view name = option.name;
    if (!startsWith(word, name)) return false;
    std::string value = word.substr(name.size());
    bool isLong = name.size() > 2;
    if (value.empty()) value = option.takesValue ? next() : "";
    else if (value[0] == '=') value = value.substr(1);
    else if (isLong && name != "-isystem" && name != "-iquote" && name != "-include")
      return false;  // -include-pch
    if (!*option.as || value.empty()) return true;
    std::string as = option.as;
    if (as == "-std=") out_.arguments.push_back(as + standard(value));
    else if (as.size() == 2)
      out_.arguments.push_back(as + value);  // joined: a value that begins with "-" stays one
    else out_.arguments.insert(out_.arguments.end(), {as, value});
    return true;
  }

  // What Clang 19 does not know is read as the newest it does.
  static std::string standard(const std::string& value) {
    static constexpr const char* kKnown[] = {"c++11",   "c++14",   "c++17",   "c++20",   "c++23", "gnu++11",
                                             "gnu++14", "gnu++17", "gnu++20", "gnu++23", "c++2a", "c++2b",
                                             "gnu++2a", "gnu++2b", "c++1z",   "gnu++1z"};
    return std::any_of(std::begin(kKnown), std::end(kKnown), [&](auto* k) { return value == k; }) ? value
                                                                                                  : "c++20";
  }

  CompileCommand out_;
  std::vector<std::string> words_;
  std::size_t at_ = 0;
  int responseFiles_ = 0;
};

}  // namespace

std::vector<std::string> shellWords(const std::string& text) {
  std::vector<std::string> out;
  std::string word;
  char quote = 0;
  bool open = false;  // a word has begun, perhaps an empty one in quotes
  for (std::size_t i = 0; i < text.size() && out.size() < kMostWords; ++i) {
    char c = text[i];
    bool escapes = c == '\\' && quote != '\'' && i + 1 < text.size();
    if (escapes && (quote == 0 || text[i + 1] == '"' || text[i + 1] == '\\' || text[i + 1] == '$')) {
      word += text[++i], open = true;
    } else if (quote) {
      if (c == quote) quote = 0;
      else word += c;
    } else if (c == '\'' || c == '"') {
      quote = c, open = true;
    } else if (std::isspace(static_cast<unsigned char>(c))) {
      if (open) out.push_back(std::move(word)), word.clear(), open = false;
    } else {
      word += c, open = true;
    }
  }
  if (open) out.push_back(word);
  return out;
}

CompileCommand translate(const std::vector<std::string>& call, const fs::path& directory) {
  return Translator(directory).run(call);
}

bool isHeader(const fs::path& file) {
  constexpr const char* kHeaders[] = {".h", ".hh", ".hpp", ".hxx", ".inl"};
  return std::find(std::begin(kHeaders), std::end(kHeaders), file.extension()) != std::end(kHeaders);
}

Language languageOf(const fs::path& file, const std::string& text) {
  std::string extension = file.extension().string();
  if (extension == ".cu" || extension == ".cuh" || file.stem().extension() == ".cu") return Language::Cuda;
  if (!isHeader(file)) return Language::Cxx;
  for (auto* word : {"__global__", "__device__", "__shared__", "<<<", "C10_HOST_DEVICE", "threadIdx"})
    if (text.find(word) != std::string::npos) return Language::Cuda;
  return Language::Cxx;
}

}  // namespace kadvise::source
