#include "analyzer/source/function_names.h"

#include <filesystem>

namespace kadvise::source {
namespace {

constexpr std::size_t kLongestName = 300;

std::string pathOf(const Unit& unit, clang::SourceLocation at) {
  auto& sources = unit.sources;
  auto file = sources.getFileEntryRefForID(sources.getFileID(sources.getFileLoc(at)));
  if (!file) return "";
  llvm::SmallString<256> path = file->getName();
  sources.getFileManager().makeAbsolutePath(path);
  return std::filesystem::path(path.str().str()).lexically_normal().string();
}

}  // namespace

FunctionName nameForOthers(const Unit& unit, const clang::FunctionDecl& f) {
  std::string name = f.getQualifiedNameAsString();
  if (name.size() > kLongestName) name.clear();
  return {std::move(name), static_cast<int>(f.getNumParams()), pathOf(unit, f.getLocation())};
}

}  // namespace kadvise::source
