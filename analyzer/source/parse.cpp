#include "analyzer/source/parse.h"

#include <algorithm>
#include <system_error>

#include "analyzer/core/error.h"
#include "analyzer/source/clang.h"
#include "analyzer/source/device_code.h"

namespace kadvise::source {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostErrors = 20;
constexpr int kMostFoldersAbove = 8;

class ErrorList : public clang::DiagnosticConsumer {
 public:
  explicit ErrorList(ParseOutcome& out) : out_(out) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& d) override {
    DiagnosticConsumer::HandleDiagnostic(level, d);
    if (level < clang::DiagnosticsEngine::Error) return;
    llvm::SmallString<128> text;
    d.FormatDiagnostic(text);
    if (!d.hasSourceManager() || d.getLocation().isInvalid()) {
      general_ = general_.empty() ? text.str().str() : general_;
      return;
    }
    auto at = d.getSourceManager().getExpansionLoc(d.getLocation());
    if (!d.getSourceManager().isInMainFile(at)) return;
    ++out_.errorCount;
    if (out_.errors.size() < kMostErrors)
      out_.errors.push_back(
          {static_cast<int>(d.getSourceManager().getExpansionLineNumber(at)), text.str().str()});
  }

  const std::string& general() const { return general_; }  // an error about no place: wrong arguments

 private:
  ParseOutcome& out_;
  std::string general_;
};

class Includes : public clang::PPCallbacks {
 public:
  // ours: the folder of our own headers, which change with the program only.
  Includes(ParseOutcome& out, std::string ours) : out_(out), ours_(std::move(ours)) {}

  bool FileNotFound(llvm::StringRef name) override {
    if (std::find(out_.missing.begin(), out_.missing.end(), name) == out_.missing.end())
      out_.missing.push_back(name.str());
    return true;  // skip it without a word; what it declares is missing, and the rest of the file is there
  }

  void InclusionDirective(clang::SourceLocation, const clang::Token&, llvm::StringRef, bool,
                          clang::CharSourceRange, clang::OptionalFileEntryRef file, llvm::StringRef,
                          llvm::StringRef, const clang::Module*, bool,
                          clang::SrcMgr::CharacteristicKind kind) override {
    if (!file || clang::SrcMgr::isSystem(kind)) return;
    std::string path = file->getName().str();
    if (!ours_.empty() && path.rfind(ours_, 0) == 0) return;
    if (std::find(out_.dependencies.begin(), out_.dependencies.end(), path) == out_.dependencies.end())
      out_.dependencies.push_back(path);
  }

 private:
  ParseOutcome& out_;
  std::string ours_;
};

bool isInstance(const clang::Decl* d) {
  auto implicit = [](auto* t) {
    return t->getTemplateSpecializationKind() == clang::TSK_ImplicitInstantiation;
  };
  if (auto* f = llvm::dyn_cast<clang::FunctionDecl>(d)) return implicit(f);
  if (auto* v = llvm::dyn_cast<clang::VarDecl>(d)) return implicit(v);
  if (auto* r = llvm::dyn_cast<clang::CXXRecordDecl>(d)) return implicit(r);
  return false;
}

class Consumer : public clang::ASTConsumer {
 public:
  Consumer(clang::CompilerInstance& compiler, const ParseRequest& request,
           const std::function<void(const Unit&)>& look)
      : compiler_(compiler), request_(request), look_(look) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (auto* d : group)
      if (isInFile(d) && !isInstance(d)) declarations_.push_back(d);
    return true;
  }

  // The bodies of headers are most of the work, and no rule looks at them.
  bool shouldSkipFunctionBody(clang::Decl* d) override { return !isInFile(d); }

  void HandleTranslationUnit(clang::ASTContext& context) override {
    // Without this every match would walk through all headers.
    context.setTraversalScope(declarations_);
    Unit unit{
        context,       compiler_.getSourceManager(), declarations_,        {}, request_.file, request_.tier,
        request_.arch, request_.command.fastMath,    request_.surroundings};
    unit.deviceFunctions = deviceFunctionsOf(unit);
    look_(unit);
  }

 private:
  bool isInFile(const clang::Decl* d) const {
    auto& sources = compiler_.getSourceManager();
    return sources.isInMainFile(sources.getExpansionLoc(d->getLocation()));
  }

  clang::CompilerInstance& compiler_;
  const ParseRequest& request_;
  const std::function<void(const Unit&)>& look_;
  std::vector<clang::Decl*> declarations_;
};

class Action : public clang::ASTFrontendAction {
 public:
  Action(const ParseRequest& request, const std::function<void(const Unit&)>& look, ParseOutcome& out)
      : request_(request), look_(look), out_(out) {}

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    compiler.getPreprocessor().addPPCallbacks(
        std::make_unique<Includes>(out_, request_.headers.own.string()));
    return std::make_unique<Consumer>(compiler, request_, look_);
  }

 private:
  const ParseRequest& request_;
  const std::function<void(const Unit&)>& look_;
  ParseOutcome& out_;
};

fs::path absoluteOf(const ParseRequest& request) { return fs::absolute(request.file).lexically_normal(); }

// Without a build: a project's includes begin at one of the folders above the file, or at an include/ there,
// up to its repository. Only for includes in quotes, and behind all system headers for the others.
void addGuessedFolders(const fs::path& file, std::vector<std::string>& out) {
  std::error_code ec;
  int steps = 0;
  for (fs::path at = file.parent_path(); steps++ < kMostFoldersAbove; at = at.parent_path()) {
    out.insert(out.end(), {"-iquote", at.string()});
    for (auto* name : {"include", "src", "common", "Common"})
      if (fs::is_directory(at / name, ec))
        out.insert(out.end(), {"-iquote", (at / name).string(), "-idirafter", (at / name).string()});
    if (fs::exists(at / ".git", ec) || at == at.parent_path()) return;
  }
}

std::vector<std::string> argumentsOf(const ParseRequest& request) {
  std::vector<std::string> out = {"clang++",
                                  "-fsyntax-only",
                                  "-w",
                                  "-ferror-limit=0",
                                  "-fno-spell-checking",
                                  "-x",
                                  request.language == Language::Cuda ? "cuda" : "c++"};
  if (auto own = resourceFolder(); !own.empty()) out.push_back("-resource-dir=" + own.string());
  auto& given = request.command.arguments;
  bool hasStandard =
      std::any_of(given.begin(), given.end(), [](auto& a) { return a.rfind("-std=", 0) == 0; });
  if (!hasStandard) out.push_back("-std=c++17");
  auto headers = headerArguments(request.headers, request.tier, request.language, request.pass, request.arch);
  if (given.empty()) addGuessedFolders(absoluteOf(request), out);
  // What the build says comes first: its folders win over ours.
  out.insert(out.end(), given.begin(), given.end());
  out.insert(out.end(), headers.begin(), headers.end());
  out.push_back("--");
  out.push_back(absoluteOf(request).string());
  return out;
}

// The file's text stands over whatever is on the disk, so that an editor's unsaved text and an example are
// files.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> filesFor(const ParseRequest& request) {
  llvm::IntrusiveRefCntPtr<llvm::vfs::OverlayFileSystem> out(
      new llvm::vfs::OverlayFileSystem(llvm::vfs::createPhysicalFileSystem()));
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> own(new llvm::vfs::InMemoryFileSystem);
  own->addFile(absoluteOf(request).string(), 0,
               llvm::MemoryBuffer::getMemBuffer(request.text, absoluteOf(request).string()));
  out->pushOverlay(own);
  std::error_code ec;
  auto& folder = request.command.directory;
  if (!folder.empty() && fs::is_directory(folder, ec)) out->setCurrentWorkingDirectory(folder.string());
  return out;
}

}  // namespace

ParseOutcome parse(const ParseRequest& request, const std::function<void(const Unit&)>& look) {
  ParseOutcome out;
  ErrorList errors(out);
  auto files = filesFor(request);
  auto arguments = argumentsOf(request);
  std::vector<const char*> words;
  for (auto& a : arguments) words.push_back(a.c_str());

  clang::CompilerInstance compiler;
  auto options = llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>();
  auto diagnostics = clang::CompilerInstance::createDiagnostics(options.get(), &errors, false);
  clang::CreateInvocationOptions how;
  how.Diags = diagnostics;
  how.VFS = files;
  auto invocation = clang::createInvocation(words, std::move(how));
  if (!invocation)
    throw Error(request.file, errors.general().empty() ? "Clang does not accept the arguments of its build"
                                                       : "Clang: " + errors.general());
  auto& frontend = invocation->getFrontendOpts();
  frontend.SkipFunctionBodies = true;
  frontend.DisableFree = false;  // one process reads many files
  compiler.setInvocation(std::move(invocation));
  compiler.setDiagnostics(diagnostics.get());
  compiler.createFileManager(files);
  compiler.setVerboseOutputStream(llvm::nulls());
  Action action(request, look, out);
  compiler.ExecuteAction(action);
  return out;
}

}  // namespace kadvise::source
