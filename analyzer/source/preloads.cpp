#include "analyzer/source/preloads.h"

#include <clang/Lex/PreprocessorOptions.h>
#include <unistd.h>

#include <system_error>
#include <utility>

#include "analyzer/core/hash.h"
#include "analyzer/core/kept_files.h"
#include "analyzer/source/attempt.h"
#include "analyzer/source/clang_run.h"
#include "analyzer/source/preload_files.h"

namespace kadvise::source {
namespace fs = std::filesystem;
namespace {

// Differs when this program was built anew.
std::string stampOfProgram() {
  std::error_code ec;
  const char* self = "/proc/self/exe";
  return CLANG_VERSION_STRING + std::to_string(fs::file_size(self, ec)) + ":" +
         std::to_string(fs::last_write_time(self, ec).time_since_epoch().count());
}

std::string keyOf(const ParseRequest& request, const ClangArguments& arguments, const std::string& text) {
  static const std::string kProgram = stampOfProgram();
  std::string all = kProgram + "\n" + request.headers.own.string() + "\n" + text;
  for (auto& a : arguments.language) all += "\n" + a;
  for (auto& a : arguments.forced) all += "\n" + a;
  for (auto& a : arguments.headers) all += "\n" + a;
  return stableHash(all) + stableHash("second\n" + all);
}

// Macros that name a build and that no header reads: with them each extension would have headers of its own.
bool isOnlyOfTheFile(const std::string& argument) {
  return argument.starts_with("-DTORCH_EXTENSION_NAME=") || argument.starts_with("-DPYBIND11_BUILD_ABI=") ||
         argument.starts_with("-DPYBIND11_COMPILER_TYPE=") || argument.starts_with("-DPYBIND11_STDLIB=") ||
         argument == "-DTORCH_API_INCLUDE_EXTENSION_H";
}

class MadeOf : public clang::PPCallbacks {
 public:
  explicit MadeOf(std::set<std::string>& out) : out_(out) {}
  bool FileNotFound(llvm::StringRef) override { return true; }
  void InclusionDirective(clang::SourceLocation, const clang::Token&, llvm::StringRef, bool,
                          clang::CharSourceRange, clang::OptionalFileEntryRef file, llvm::StringRef,
                          llvm::StringRef, const clang::Module*, bool,
                          clang::SrcMgr::CharacteristicKind) override {
    if (file) out_.insert(file->getName().str());
  }

 private:
  std::set<std::string>& out_;
};

class MakePreload : public clang::GeneratePCHAction {
 public:
  explicit MakePreload(std::set<std::string>& madeOf) : madeOf_(madeOf) {}
  bool BeginSourceFileAction(clang::CompilerInstance& compiler) override {
    compiler.getPreprocessor().addPPCallbacks(std::make_unique<MadeOf>(madeOf_));
    return GeneratePCHAction::BeginSourceFileAction(compiler);
  }

 private:
  std::set<std::string>& madeOf_;
};

}  // namespace

Preloads::Preloads(fs::path folder) : folder_(isOwnFolder(folder) ? std::move(folder) : fs::path()) {}

fs::path Preloads::textFile(const ParseRequest& request) {
  return request.headers.own / "kadvise-preloaded.cuh";
}

fs::path Preloads::find(const ParseRequest& request, const ClangArguments& given, const std::string& text) {
  if (folder_.empty()) return {};
  ClangArguments arguments = given;
  std::erase_if(arguments.language, isOnlyOfTheFile);
  std::string key = keyOf(request, arguments, text);
  auto [at, isFresh] = known_.try_emplace(key);
  Known& known = at->second;
  if (!isFresh && known.header.empty()) return {};
  std::error_code ec;
  if (!isFresh && fs::exists(known.header, ec)) {
    touchPreload(known.header);
    return known.header;
  }
  // Removed for room: once more, but where that is too small for all that are in use, the file goes without.
  if (!isFresh && std::exchange(known.isMadeAgain, true)) return known.header = fs::path();
  fs::path header = folder_ / (key + ".pch");
  if (!isWhole(header)) {
    FolderLock lock(folder_);
    if (!lock) {  // somebody makes one: it may be there for the next file
      known_.erase(at);
      return {};
    }
    header = make(request, arguments, text, key);
  }
  if (!header.empty()) touchPreload(header);
  return known.header = header;
}

void Preloads::drop(const fs::path& header) {
  for (auto& [key, known] : known_)
    if (known.header == header) known.header.clear();
  removePreload(header);
}

fs::path Preloads::make(const ParseRequest& request, const ClangArguments& arguments, const std::string& text,
                        const std::string& key) {
  fs::path header = folder_ / (key + ".pch");
  Attempt attempt(folder_ / (key + ".tried.tmp"));
  if (attempt.isHopeless()) return {};
  attempt.begin();
  fs::path temporary = folder_ / (key + "." + std::to_string(::getpid()) + ".tmp");
  std::set<std::string> madeOf;
  // Nothing of the user's folders, so that what is kept for other files cannot come from there.
  ClangCall call{arguments.language, textFile(request), "/", {{textFile(request), text}}};
  call.arguments.insert(call.arguments.end(), arguments.forced.begin(), arguments.forced.end());
  call.arguments.insert(call.arguments.end(), arguments.headers.begin(), arguments.headers.end());
  clang::IgnoringDiagConsumer silent;
  MakePreload action(madeOf);
  bool isRun = runClang(
      call, silent,
      [&](clang::CompilerInvocation& invocation) {
        invocation.getFrontendOpts().ProgramAction = clang::frontend::GeneratePCH;
        invocation.getFrontendOpts().OutputFile = temporary.string();
        invocation.getPreprocessorOpts().AllowPCHWithCompilerErrors = true;
      },
      action);
  madeOf.erase(textFile(request).string());
  std::error_code ec;
  bool isMade = isRun && commitPreload(temporary, header, madeOf);
  fs::remove(temporary, ec);
  attempt.end();
  if (!isMade) return {};
  removeOldPreloads(folder_);
  return header;
}

}  // namespace kadvise::source
