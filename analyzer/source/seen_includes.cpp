#include "analyzer/source/seen_includes.h"

#include <llvm/Support/Path.h>

#include <algorithm>
#include <set>

#include "analyzer/core/source_record.h"

namespace kadvise::source {
namespace {

class SeenIncludes : public clang::PPCallbacks {
 public:
  SeenIncludes(clang::CompilerInstance& compiler, ParseOutcome& out, std::string ours)
      : compiler_(compiler), out_(out), ours_(std::move(ours)) {
    for (auto& entry : compiler.getHeaderSearchOpts().UserEntries)
      if (entry.Group == clang::frontend::After) behind_.push_back(entry.Path + "/");
  }

  bool FileNotFound(llvm::StringRef name) override {
    if (std::find(out_.missing.begin(), out_.missing.end(), name) == out_.missing.end())
      out_.missing.push_back(name.str());
    return true;  // skip it without a word; what it declares is missing, and the rest of the file is there
  }

  void InclusionDirective(clang::SourceLocation hash, const clang::Token&, llvm::StringRef name,
                          bool isAngled, clang::CharSourceRange, clang::OptionalFileEntryRef file,
                          llvm::StringRef, llvm::StringRef, const clang::Module*, bool,
                          clang::SrcMgr::CharacteristicKind kind) override {
    if (!file) return takeMissing(hash, name, isAngled);
    std::string path = file->getName().str();
    if (clang::SrcMgr::isSystem(kind) && !isBehind(path)) {
      if (isAngled && isOfUser(hash) && !isOurs(path)) takeHidden(name);
      return;
    }
    if (isOurs(path)) return;
    if (std::find(out_.dependencies.begin(), out_.dependencies.end(), path) == out_.dependencies.end())
      out_.dependencies.push_back(path);
  }

  // "__has_include" asks for headers, too.
  void HasInclude(clang::SourceLocation at, llvm::StringRef name, bool isAngled,
                  clang::OptionalFileEntryRef file, clang::SrcMgr::CharacteristicKind) override {
    if (!file) takeMissing(at, name, isAngled);
  }

 private:
  // The user's own, although Clang takes what comes behind system headers for one of them.
  bool isBehind(const std::string& path) const {
    return std::any_of(behind_.begin(), behind_.end(),
                       [&](auto& folder) { return path.starts_with(folder); });
  }

  bool isOurs(const std::string& path) const { return !ours_.empty() && path.starts_with(ours_); }

  bool isOfUser(clang::SourceLocation at) const {
    auto& sources = compiler_.getSourceManager();
    at = sources.getExpansionLoc(at);
    return !sources.isInSystemHeader(at) || isBehind(sources.getFilename(at).str());
  }

  // "<error.h>" is the project's own where a build names its folder: that comes before those of the system.
  void takeHidden(llvm::StringRef name) {
    for (auto& folder : behind_) {
      if (!compiler_.getFileManager().getOptionalFileRef(folder + name.str())) continue;
      if (std::find(out_.hidden.begin(), out_.hidden.end(), folder) == out_.hidden.end())
        out_.hidden.push_back(folder);
      return;
    }
  }

  // What the headers of a toolkit lack is the same in every file.
  void takeMissing(clang::SourceLocation at, llvm::StringRef name, bool isAngled) {
    auto& sources = compiler_.getSourceManager();
    at = sources.getExpansionLoc(at);
    if (sources.isInSystemHeader(at)) return;
    if (llvm::sys::path::is_absolute(name)) return add(name, "");
    auto& search = compiler_.getPreprocessor().getHeaderSearchInfo();
    auto folders = search.search_dir_range();
    if (!isAngled)
      if (auto includer = sources.getFileEntryRefForID(sources.getFileID(at)))
        add(includer->getDir().getName(), name);
    for (auto folder = isAngled ? search.angled_dir_begin() : folders.begin(); folder != folders.end();
         ++folder)
      if (folder->isNormalDir()) add(folder->getName(), name);
  }

  void add(llvm::StringRef folder, llvm::StringRef name) {
    if (out_.searched.size() >= kMostSearched) return;
    llvm::SmallString<256> path(folder);
    llvm::sys::path::append(path, name);
    compiler_.getFileManager().makeAbsolutePath(path);
    llvm::sys::path::remove_dots(path);  // not "..", which may go through a link
    if (seen_.insert(path.str().str()).second) out_.searched.push_back(path.str().str());
  }

  clang::CompilerInstance& compiler_;
  ParseOutcome& out_;
  std::string ours_;
  std::vector<std::string> behind_;  // folders
  std::set<std::string> seen_;
};

}  // namespace

std::unique_ptr<clang::PPCallbacks> seenIncludes(clang::CompilerInstance& compiler, ParseOutcome& out,
                                                 std::string ours) {
  return std::make_unique<SeenIncludes>(compiler, out, std::move(ours));
}

}  // namespace kadvise::source
