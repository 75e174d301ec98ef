#include "analyzer/source/parse.h"

#include <clang/Basic/DiagnosticAST.h>
#include <clang/Basic/DiagnosticParse.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Lex/PreprocessorOptions.h>

#include <algorithm>
#include <map>

#include "analyzer/core/error.h"
#include "analyzer/source/arguments.h"
#include "analyzer/source/clang_run.h"
#include "analyzer/source/device_code.h"
#include "analyzer/source/place.h"
#include "analyzer/source/preload_set.h"
#include "analyzer/source/preloads.h"
#include "analyzer/source/seen_includes.h"

namespace kadvise::source {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostErrors = 20;
constexpr std::size_t kMostErrorOffsets = 10000;

// What nvcc accepts, and Clang only complains of: `__shared__ alignas(16) float x[8]` is in the tree,
// whatever its type. A kernel that launches a kernel, or calls what is the host's, is in the tree with that
// call. Inline assembly with a bare % ("mov.u32 %0, %smid;"), a pragma before what is no loop, and an
// assertion about types that an instance misses stand in the tree whole, as do the statements around them.
bool isHarmless(unsigned message) {
  constexpr unsigned kHarmless[] = {
      clang::diag::err_attributes_not_allowed,
      clang::diag::err_attribute_not_type_attr,
      clang::diag::err_ref_bad_target,
      clang::diag::err_asm_invalid_escape,
      clang::diag::err_pragma_loop_precedes_nonloop,
      clang::diag::err_static_assert_failed,
      clang::diag::err_static_assert_requirement_failed,
  };
  return std::find(std::begin(kHarmless), std::end(kHarmless), message) != std::end(kHarmless);
}

class ErrorList : public clang::DiagnosticConsumer {
 public:
  // end: of the text; braces that the text before a part leaves open are missing there.
  ErrorList(ParseOutcome& out, std::size_t end, bool isPart) : out_(out), end_(isPart ? end : SIZE_MAX) {}

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
    if (isHarmless(d.getID()) || d.getSourceManager().getFileOffset(at) >= end_) return;
    ++out_.errorCount;
    if (out_.errorOffsets.size() < kMostErrorOffsets)
      out_.errorOffsets.push_back(d.getSourceManager().getFileOffset(at));
    if (out_.errors.size() < kMostErrors)
      out_.errors.push_back(
          {static_cast<int>(d.getSourceManager().getExpansionLineNumber(at)), text.str().str()});
  }

  const std::string& general() const { return general_; }  // an error about no place: wrong arguments

 private:
  ParseOutcome& out_;
  std::size_t end_;
  std::string general_;
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
  Consumer(clang::CompilerInstance& compiler, const ParseRequest& request, const ParseOutcome& outcome,
           const std::function<void(const Unit&)>& look)
      : compiler_(compiler), request_(request), outcome_(outcome), look_(look) {
    for (auto& entry : compiler.getHeaderSearchOpts().UserEntries)
      if (entry.Group == clang::frontend::After) folders_.behind.push_back(entry.Path + "/");
    folders_.ours = request.headers.own.string();
  }

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (auto* d : group) take(d);
    return true;
  }

  // The bodies of headers are most of the work, and no rule looks at them; but kernels are followed into
  // those in which threads wait for each other.
  bool shouldSkipFunctionBody(clang::Decl* d) override {
    return !isInFile(d->getLocation()) && !isWhereThreadsWait(*d);
  }

  void HandleTranslationUnit(clang::ASTContext& context) override {
    // Without this every match would walk through all headers.
    context.setTraversalScope(declarations_);
    bool isFastMath =
        request_.command.fastMath || request_.fastMath || (request_.makefile && request_.makefile->fastMath);
    Unit unit{context,
              compiler_.getSourceManager(),
              declarations_,
              {},
              request_.file,
              request_.tier,
              request_.arch,
              isFastMath,
              request_.surroundings};
    unit.pass = request_.pass, unit.gpu = request_.gpu, unit.folders = folders_;
    unit.errorOffsets = &outcome_.errorOffsets;
    unit.deviceFunctions = deviceFunctionsOf(unit);
    look_(unit);
  }

 private:
  void take(clang::Decl* d) {
    if (isInFile(d->getLocation())) {
      if (!isInstance(d)) declarations_.push_back(d);
    } else if (llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(d) && isOpenBefore(*d)) {
      for (auto* inner : llvm::cast<clang::DeclContext>(d)->decls()) take(inner);
    }
  }

  // A file may be included inside of braces, which end in it or never where it is read behind a part of that
  // text.
  bool isOpenBefore(const clang::Decl& d) const {
    return d.getEndLoc().isInvalid() || isInFile(d.getEndLoc());
  }

  // Device code of the project, from a header that has barriers.
  bool isWhereThreadsWait(const clang::Decl& d) {
    auto& sources = compiler_.getSourceManager();
    auto at = sources.getExpansionLoc(d.getLocation());
    auto* f = d.getAsFunction();
    if (!f || !isDeviceCode(*f) || isKernel(*f) || !isOfProject(sources, folders_, at)) return false;
    auto [known, isNew] = haveBarriers_.try_emplace(sources.getFileID(at), false);
    if (!isNew) return known->second;
    llvm::StringRef text = sources.getBufferData(known->first);
    return known->second = text.contains("__syncthreads") || text.contains("sync()");
  }

  bool isInFile(clang::SourceLocation at) const {
    auto& sources = compiler_.getSourceManager();
    return sources.isInMainFile(sources.getExpansionLoc(at));
  }

  clang::CompilerInstance& compiler_;
  const ParseRequest& request_;
  const ParseOutcome& outcome_;
  const std::function<void(const Unit&)>& look_;
  std::vector<clang::Decl*> declarations_;
  std::map<clang::FileID, bool> haveBarriers_;
  ProjectFolders folders_;
};

class Action : public clang::ASTFrontendAction {
 public:
  Action(const ParseRequest& request, const std::function<void(const Unit&)>& look, ParseOutcome& out)
      : request_(request), look_(look), out_(out) {}

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    keepFromItself(compiler.getPreprocessor());
    compiler.getPreprocessor().addPPCallbacks(seenIncludes(compiler, out_, request_.headers.own.string()));
    return std::make_unique<Consumer>(compiler, request_, out_, look_);
  }

 private:
  // "#pragma once" says nothing in the file that is read; a header of its own that includes it again would
  // define all twice.
  void keepFromItself(clang::Preprocessor& preprocessor) const {
    auto& sources = preprocessor.getSourceManager();
    auto file = sources.getFileEntryRefForID(sources.getMainFileID());
    if (file && request_.text.find("#pragma once") != std::string::npos)
      preprocessor.getHeaderSearchInfo().MarkFileIncludeOnce(*file);
  }

  const ParseRequest& request_;
  const std::function<void(const Unit&)>& look_;
  ParseOutcome& out_;
};

struct Attempt {
  ParseOutcome outcome;
  bool isLooked = false;  // the file was read to its end, with whatever errors
};

// preloaded: a precompiled header, "" for none; text: what it is made of, which is read without it, too.
Attempt attempt(const ParseRequest& request, const ClangArguments& arguments, const fs::path& preloaded,
                const std::string& text, const std::function<void(const Unit&)>& look) {
  Attempt out;
  ErrorList errors(out.outcome, request.text.find_last_not_of(" \t\r\n") + 1, !request.before.empty());
  ClangCall call{arguments.all(), absoluteFile(request), request.command.directory, {}};
  call.texts.emplace_back(absoluteFile(request), request.text);
  if (auto text = macroText(request)) call.texts.push_back(*text);
  for (auto& before : request.before) call.texts.emplace_back(before.file, before.text);
  if (!preloaded.empty() || !text.empty()) call.texts.emplace_back(Preloads::textFile(request), text);
  auto looked = [&](const Unit& unit) {
    out.isLooked = true;
    look(unit);
  };
  std::function<void(const Unit&)> lookOnce = looked;
  Action action(request, lookOnce, out.outcome);
  auto load = [&](clang::CompilerInvocation& invocation) {
    if (preloaded.empty()) return;
    invocation.getPreprocessorOpts().ImplicitPCHInclude = preloaded.string();
    invocation.getPreprocessorOpts().AllowPCHWithCompilerErrors = true;
  };
  if (!runClang(call, errors, load, action))
    throw Error(request.file, errors.general().empty() ? "Clang does not accept the arguments of its build"
                                                       : "Clang: " + errors.general());
  return out;
}

}  // namespace

ParseOutcome parse(const ParseRequest& request, const std::function<void(const Unit&)>& look) {
  ClangArguments arguments = argumentsOf(request);
  auto text = request.preloads ? preloadFor(request, arguments) : std::nullopt;
  fs::path preloaded = text ? request.preloads->find(request, arguments, *text) : fs::path();
  if (!preloaded.empty()) {
    Attempt first = attempt(request, arguments, preloaded, *text, look);
    if (first.isLooked) return std::move(first.outcome);
    request.preloads->drop(preloaded);
  }
  // The same names are known whether another process is just making it or not.
  if (text && !text->empty())
    arguments.forced.insert(arguments.forced.end(), {"-include", Preloads::textFile(request).string()});
  return attempt(request, arguments, {}, text.value_or(""), look).outcome;
}

}  // namespace kadvise::source
