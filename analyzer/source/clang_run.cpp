#include "analyzer/source/clang_run.h"

#include <system_error>

namespace kadvise::source {
namespace fs = std::filesystem;
namespace {

// Files and folders of the disk, and nothing else: to read a pipe or a device could take for ever.
class RegularFiles : public llvm::vfs::ProxyFileSystem {
 public:
  RegularFiles() : ProxyFileSystem(llvm::vfs::createPhysicalFileSystem()) {}

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine& path) override {
    auto out = ProxyFileSystem::status(path);
    if (out && !out->isRegularFile() && !out->isDirectory())
      return std::make_error_code(std::errc::no_such_file_or_directory);
    return out;
  }

  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine& path) override {
    auto known = status(path);  // before it is opened: opening a pipe waits for its writer
    if (!known) return known.getError();
    return ProxyFileSystem::openFileForRead(path);
  }
};

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> filesFor(const ClangCall& call) {
  llvm::IntrusiveRefCntPtr<llvm::vfs::OverlayFileSystem> out(
      new llvm::vfs::OverlayFileSystem(llvm::makeIntrusiveRefCnt<RegularFiles>()));
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> own(new llvm::vfs::InMemoryFileSystem);
  for (auto& [path, text] : call.texts)
    own->addFile(path.string(), 0, llvm::MemoryBuffer::getMemBuffer(text, path.string()));
  // Packages of CUDA's headers alone have no bin/, without which Clang takes a folder for no toolkit.
  constexpr llvm::StringRef kToolkit = "--cuda-path=";
  for (llvm::StringRef a : call.arguments)
    if (a.consume_front(kToolkit)) own->addFile(a + "/bin/nothing", 0, llvm::MemoryBuffer::getMemBuffer(""));
  out->pushOverlay(own);
  std::error_code ec;
  if (!call.directory.empty() && fs::is_directory(call.directory, ec))
    out->setCurrentWorkingDirectory(call.directory.string());
  return out;
}

}  // namespace

bool runClang(const ClangCall& call, clang::DiagnosticConsumer& messages,
              const std::function<void(clang::CompilerInvocation&)>& adjust, clang::FrontendAction& action) {
  auto files = filesFor(call);
  std::string file = call.file.string();
  std::vector<const char*> words = {"clang++"};
  for (auto& a : call.arguments) words.push_back(a.c_str());
  words.insert(words.end(), {"--", file.c_str()});

  clang::CompilerInstance compiler;
  auto options = llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>();
  auto diagnostics = clang::CompilerInstance::createDiagnostics(options.get(), &messages, false);
  clang::CreateInvocationOptions how;
  how.Diags = diagnostics;
  how.VFS = files;
  auto invocation = clang::createInvocation(words, std::move(how));
  if (!invocation) return false;
  clang::ProcessWarningOptions(*diagnostics, invocation->getDiagnosticOpts());
  invocation->getFrontendOpts().SkipFunctionBodies = true;
  invocation->getFrontendOpts().DisableFree = false;  // one process reads many files
  adjust(*invocation);
  compiler.setInvocation(std::move(invocation));
  compiler.setDiagnostics(diagnostics.get());
  compiler.createFileManager(files);
  compiler.setVerboseOutputStream(llvm::nulls());
  compiler.ExecuteAction(action);
  return true;
}

}  // namespace kadvise::source
