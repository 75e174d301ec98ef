#include "analyzer/lint/definitions.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostNear = 8;     // of one name, equally near: more say nothing
constexpr std::size_t kMostOfFile = 64;  // of one name, in one file

void add(std::vector<Place>& to, Place p, std::size_t most) {
  if (to.size() < most) to.push_back(p);
}

}  // namespace

void Definitions::add(const FunctionName& name, Place p, const fs::path& file, bool isInternal) {
  OfName& all = names_[keyOf(name)];
  kadvise::add(all.byFile[p.file], p, kMostOfFile);
  kadvise::add(all.byPath[file.string()], p, kMostOfFile);
  if (isInternal) return;
  for (fs::path folder = file.parent_path();; folder = folder.parent_path()) {
    kadvise::add(all.byFolder[folder.string()], p, kMostNear + 1);
    if (folder == folder.parent_path()) return;
  }
}

std::vector<Place> Definitions::meantBy(const FunctionName& name, std::size_t from,
                                        const fs::path& file) const {
  auto known = names_.find(keyOf(name));
  if (name.name.empty() || known == names_.end()) return {};
  const OfName& all = known->second;
  if (auto own = all.byFile.find(from); own != all.byFile.end()) return own->second;
  if (auto declared = all.byPath.find(name.declaredIn); declared != all.byPath.end()) return declared->second;
  for (fs::path folder = file.parent_path();; folder = folder.parent_path()) {
    auto near = all.byFolder.find(folder.string());
    if (near != all.byFolder.end() && near->second.size() <= kMostNear) return near->second;
    if (near != all.byFolder.end() || folder == folder.parent_path()) return {};
  }
}

}  // namespace kadvise
